/* SPDX-License-Identifier: MIT */
/* server/records/run_input.c - the format: the message, a NUL, which no message has, then flags
 * (whether the earlier messages add to the conversation, whether the caller has a role, ...), the
 * hash of the graph's file, the length and name of the caller's role, those of the client's tools
 * and of how they may be called, those of what the caller keeps with the run, then a sender, a
 * length and a text for each earlier message.
 *
 * Failure: no memory; damaged bytes are read as no earlier messages. */
#include "server/records/run_input.h"

#include <string.h>

#include "core/base/fixed.h"

enum {
    SAID_ADDS = 1,
    HAS_ROLE = 2,
    HAS_TOOLS = 4,
    HAS_DEFINITION = 8,
    HAS_CHOICE = 16,
    HAS_METADATA = 32
};
enum { SAID_BYTES = 32 * 1024 * 1024, LENGTH_BYTES = 4, HASH_BYTES = 8 };
enum { HEAD_BYTES = 1 + LENGTH_BYTES };

/* Nothing for an empty text: a flag says that it is not there. */
static void push_text(struct buf *input, struct str text)
{
    if (text.len == 0)
        return;
    fixed_push(input, text.len, LENGTH_BYTES);
    buf_push(input, text);
}

struct str run_input_write(const struct session *session, struct arena *arena)
{
    struct buf input;
    struct str role = session->caller.role;
    struct str tools = session->client_tools;
    struct str choice = session->client_choice, metadata = session->metadata;
    bool is_plain = session->said_count == 0 && role.len == 0 && tools.len == 0 &&
                    choice.len == 0 && metadata.len == 0;
    if (is_plain && session->definition == 0)
        return session->message;
    buf_init(&input, SAID_BYTES);
    buf_push(&input, session->message);
    buf_push_char(&input, '\0');
    fixed_push(&input,
               (session->said_adds ? SAID_ADDS : 0) | (role.len > 0 ? HAS_ROLE : 0) |
                   (tools.len > 0 ? HAS_TOOLS : 0) | (choice.len > 0 ? HAS_CHOICE : 0) |
                   (metadata.len > 0 ? HAS_METADATA : 0) |
                   (session->definition != 0 ? HAS_DEFINITION : 0),
               1);
    if (session->definition != 0)
        fixed_push(&input, session->definition, HASH_BYTES);
    push_text(&input, role);
    push_text(&input, tools);
    push_text(&input, choice);
    push_text(&input, metadata);
    for (size_t i = 0; i < session->said_count; i++) {
        fixed_push(&input, session->said[i].role, 1);
        fixed_push(&input, session->said[i].text.len, LENGTH_BYTES);
        buf_push(&input, session->said[i].text);
    }
    struct str written = buf_ok(&input) ? arena_str(arena, buf_str(&input)) : (struct str){NULL, 0};
    buf_fini(&input);
    return written;
}

struct str run_input_message(struct str input)
{
    return str_split(&input, '\0');
}

/* Read the next earlier message. False: there is none, or the bytes are damaged. */
static bool take_said(struct str *rest, struct history_message *said)
{
    if (rest->len < HEAD_BYTES)
        return false;
    uint64_t role = fixed_take(rest, 1), len = fixed_take(rest, LENGTH_BYTES);
    if (role > LLM_ASSISTANT || len > rest->len)
        return false;
    *said = (struct history_message){.role = (enum llm_role)role,
                                     .text = str_slice(*rest, 0, (size_t)len)};
    *rest = str_from(*rest, (size_t)len);
    return true;
}

/* False: the bytes are damaged. */
static bool take_text(struct str *rest, struct str *text)
{
    uint64_t len = rest->len < LENGTH_BYTES ? UINT64_MAX : fixed_take(rest, LENGTH_BYTES);
    if (len > rest->len)
        return false;
    *text = str_slice(*rest, 0, (size_t)len);
    *rest = str_from(*rest, (size_t)len);
    return true;
}

/* Who asks now keeps a role of its own, or has none (empty); absent: nobody asks, or nobody said.
 * False: the bytes are damaged; the role is then one that nobody has, not none. */
static bool take_role(struct str *rest, struct session *session, struct arena *arena)
{
    struct str asks = session->caller.role, role;
    session->caller.role = STR("?");
    if (!take_text(rest, &role))
        return false;
    session->caller.role = str_is_absent(asks) ? arena_str(arena, role) : asks;
    return true;
}

/* Who asks now may have other tools. False: the bytes are damaged. */
static bool take_tools(struct str *rest, struct session *session, struct arena *arena)
{
    struct str tools;
    if (!take_text(rest, &tools))
        return false;
    if (str_is_empty(session->client_tools))
        session->client_tools = arena_str(arena, tools);
    return true;
}

static bool take_choice(struct str *rest, struct session *session, struct arena *arena)
{
    struct str choice;
    if (!take_text(rest, &choice))
        return false;
    session->client_choice = arena_str(arena, choice);
    return true;
}

/* Who asks now may keep something else with it. False: the bytes are damaged. */
static bool take_metadata(struct str *rest, struct session *session, struct arena *arena)
{
    struct str metadata;
    if (!take_text(rest, &metadata))
        return false;
    if (str_is_empty(session->metadata))
        session->metadata = arena_str(arena, metadata);
    return true;
}

/* Damaged bytes: a hash that no file has. */
static uint64_t take_definition(struct str *rest, uint64_t flags)
{
    if ((flags & HAS_DEFINITION) == 0)
        return 0;
    return rest->len < HASH_BYTES ? UINT64_MAX - 1 : fixed_take(rest, HASH_BYTES);
}

uint64_t run_input_definition(struct str input)
{
    (void)str_split(&input, '\0');
    return input.len == 0 ? 0 : take_definition(&input, fixed_take(&input, 1));
}

struct str run_input_metadata(struct str input)
{
    static const unsigned before[] = {HAS_ROLE, HAS_TOOLS, HAS_CHOICE};
    struct str text;
    (void)str_split(&input, '\0');
    uint64_t flags = input.len == 0 ? 0 : fixed_take(&input, 1);
    if ((flags & HAS_METADATA) == 0)
        return STR("");
    (void)take_definition(&input, flags);
    for (size_t i = 0; i < countof(before); i++)
        if ((flags & before[i]) != 0 && !take_text(&input, &text))
            return STR("");
    return take_text(&input, &text) ? text : STR("");
}

void run_input_read(struct str input, struct session *session, struct arena *arena)
{
    struct history_message one;
    struct str rest = input;
    size_t count = 0;
    (void)str_split(&rest, '\0');
    if (rest.len == 0)
        return;
    uint64_t flags = fixed_take(&rest, 1);
    session->definition = take_definition(&rest, flags);
    if (((flags & HAS_ROLE) != 0 && !take_role(&rest, session, arena)) ||
        ((flags & HAS_TOOLS) != 0 && !take_tools(&rest, session, arena)) ||
        ((flags & HAS_CHOICE) != 0 && !take_choice(&rest, session, arena)) ||
        ((flags & HAS_METADATA) != 0 && !take_metadata(&rest, session, arena)))
        return;
    for (struct str left = rest; left.len > 0; count++)
        if (!take_said(&left, &one))
            return;
    struct history_message *said = arena_array(arena, count, sizeof *said);
    for (size_t i = 0; said != NULL && i < count && take_said(&rest, &said[i]); i++)
        said[i].text = arena_str(arena, said[i].text);
    session->said = said;
    session->said_count = said == NULL ? 0 : count;
    session->said_adds = (flags & SAID_ADDS) != 0;
}
