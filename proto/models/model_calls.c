/* SPDX-License-Identifier: MIT */
/* proto/models/model_calls.c - which call a piece belongs to, and calls that are hidden in a text.
 *
 * Happy path: a piece with a number that is known goes on with that call; one with a new number and
 * a name begins one.
 * Quirks:
 *   one number for all calls            a name and another id begin a call once the one before is
 *                                       a whole JSON value
 *   a new id on each piece              without a name, or while the call is not whole: the same
 *   no number                           the id tells, else a name begins a call
 *   a piece of a call nobody began      is passed over
 * Failure: too many calls, an unbounded id or name, no memory. */
#include "proto/models/model_calls.h"

#include <string.h>

#include "core/base/mem.h"
#include "proto/json_read.h"

enum { ID_BYTES = 256, NAME_BYTES = 128 };

struct model_call_slot {
    int64_t index;
    bool is_given; /* arguments came whole */
    size_t id_len, name_len;
    char id[ID_BYTES], name[NAME_BYTES];
    struct buf arguments;
};

/* ---- which call ---- */

/* Whether the call's arguments are a whole JSON object. */
static bool is_whole(const struct model_call_slot *slot)
{
    struct str text = str_trim(buf_str(&slot->arguments));
    struct json_read reader;
    if (slot->is_given)
        return true;
    if (text.len == 0 || text.at[text.len - 1] != '}')
        return false;
    json_read_init(&reader, text);
    return json_read_skip(&reader, json_read_next(&reader)) &&
           json_read_next(&reader) == JSON_TOKEN_END;
}

static struct str id_of(const struct model_call_slot *slot)
{
    return str_make(slot->id, slot->id_len);
}

static struct model_call_slot *find_index(const struct model_calls *calls, int64_t index)
{
    for (size_t i = calls->count; i-- > 0;)
        if (calls->slots[i].index == index)
            return &calls->slots[i];
    return NULL;
}

static struct model_call_slot *find_id(const struct model_calls *calls, struct str id)
{
    for (size_t i = calls->count; i-- > 0;)
        if (str_equal(id_of(&calls->slots[i]), id))
            return &calls->slots[i];
    return NULL;
}

/* The call that piece goes on with; NULL: a new one, or none. */
static struct model_call_slot *find(const struct model_calls *calls,
                                    const struct model_call_piece *piece)
{
    struct model_call_slot *last = calls->count == 0 ? NULL : &calls->slots[calls->count - 1];
    struct model_call_slot *slot = last;
    bool has_name = piece->name.len > 0, has_id = piece->id.len > 0;
    if (piece->index >= 0)
        slot = find_index(calls, piece->index);
    else if (has_id)
        slot = find_id(calls, piece->id);
    if (slot == NULL && piece->index < 0 && !has_name)
        slot = last; /* a new id on each piece, and no number */
    if (slot == NULL || !has_name || (has_id && str_equal(id_of(slot), piece->id)))
        return slot;
    return is_whole(slot) && piece->arguments.len > 0 ? NULL : slot;
}

/* ---- taking pieces ---- */

static enum err_code add(struct model_calls *calls, const struct model_call_piece *piece,
                         size_t limit_bytes, struct err *err)
{
    if (piece->id.len > ID_BYTES || piece->name.len > NAME_BYTES)
        return err_set(err, ERR_PROTOCOL, "the model calls a tool with a name or an id too long");
    if (calls->count == MODEL_MOST_CALLS)
        return err_set(err, ERR_PROTOCOL, "the model calls more than %d tools at once",
                       MODEL_MOST_CALLS);
    if (calls->slots == NULL)
        calls->slots = mem_zalloc(MODEL_MOST_CALLS, sizeof *calls->slots);
    if (calls->slots == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for a model's calls of tools");
    struct model_call_slot *slot = &calls->slots[calls->count++];
    *slot = (struct model_call_slot){.index = piece->index};
    slot->id_len = piece->id.len;
    slot->name_len = piece->name.len;
    memcpy(slot->id, piece->id.len > 0 ? piece->id.at : "", piece->id.len);
    memcpy(slot->name, piece->name.at, piece->name.len);
    buf_init(&slot->arguments, limit_bytes);
    return ERR_OK;
}

enum err_code model_calls_take(struct model_calls *calls, const struct model_call_piece *piece,
                               size_t limit_bytes, struct err *err)
{
    struct model_call_slot *slot = find(calls, piece);
    if (slot == NULL && piece->name.len == 0)
        return ERR_OK;
    if (slot == NULL) {
        enum err_code code = add(calls, piece, limit_bytes, err);
        if (code != ERR_OK)
            return code;
        slot = &calls->slots[calls->count - 1];
    }
    if (piece->is_whole && slot->is_given)
        return ERR_OK; /* said again */
    slot->is_given |= piece->is_whole;
    if (piece->is_whole && str_equal(piece->arguments, STR("{}")))
        return ERR_OK; /* what a stream begins with; and what none means */
    calls->bytes += piece->arguments.len;
    if (calls->bytes > limit_bytes)
        return err_set(err, ERR_TOO_LARGE, "the model's calls of tools are over %zu bytes",
                       limit_bytes);
    buf_push(&slot->arguments, piece->arguments);
    return buf_ok(&slot->arguments)
               ? ERR_OK
               : err_set(err, ERR_NO_MEMORY, "no memory for a model's calls of tools");
}

struct model_call model_calls_get(const struct model_calls *calls, size_t i)
{
    const struct model_call_slot *slot = &calls->slots[i];
    struct str arguments = buf_str(&slot->arguments);
    return (struct model_call){
        .id = id_of(slot),
        .name = str_make(slot->name, slot->name_len),
        .arguments = arguments.len > 0 ? arguments : STR("{}"),
    };
}

void model_calls_clear(struct model_calls *calls)
{
    for (size_t i = 0; i < calls->count; i++)
        buf_fini(&calls->slots[i].arguments);
    mem_free(calls->slots);
    *calls = (struct model_calls){0};
}

/* ---- calls in a text ---- */

struct text_call {
    char room[NAME_BYTES];
    struct model_call_piece piece;
};

static bool is_offered(struct str name, const struct model_tool *offered, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(offered[i].name, name))
            return true;
    return false;
}

/* The value's text, whose token was read and is skipped here. False: broken. */
static bool take_value(struct json_read *reader, struct str *value, bool *is_object)
{
    enum json_token token = json_read_next(reader);
    const char *from = reader->at - 1;
    *is_object = token == JSON_TOKEN_OBJECT;
    if (!json_read_skip(reader, token))
        return false;
    *value = str_make(from, (size_t)(reader->at - from));
    return true;
}

/* An object whose first token was read, as a call. False: broken, or no call. */
static bool read_call(struct json_read *reader, struct text_call *call)
{
    enum json_token token;
    bool is_object = false;
    call->piece = (struct model_call_piece){.index = -1, .is_whole = true};
    while ((token = json_read_next(reader)) == JSON_TOKEN_KEY) {
        bool is_name = json_read_is(reader, STR("name"));
        bool is_arguments =
            json_read_is(reader, STR("arguments")) || json_read_is(reader, STR("parameters"));
        if (is_name) {
            if (json_read_next(reader) != JSON_TOKEN_STRING || reader->text.len > NAME_BYTES)
                return false;
            size_t len = json_read_unescape_to(reader, call->room);
            call->piece.name = str_make(call->room, len);
        } else if (is_arguments) {
            if (!take_value(reader, &call->piece.arguments, &is_object) || !is_object)
                return false;
        } else if (!json_read_skip(reader, token)) {
            return false;
        }
    }
    return token == JSON_TOKEN_OBJECT_END && is_object && call->piece.name.len > 0;
}

/* A call or an array of them at the start of text, which is cut off *text. How many were taken, all
 * or none of them. */
static size_t read_calls(struct model_calls *calls, struct str *text,
                         const struct model_tool *offered, size_t offered_count, size_t limit_bytes)
{
    struct json_read reader;
    struct text_call call;
    size_t taken = 0;
    json_read_init(&reader, *text);
    enum json_token token = json_read_next(&reader);
    bool is_array = token == JSON_TOKEN_ARRAY;
    if (is_array)
        token = json_read_next(&reader);
    while (token == JSON_TOKEN_OBJECT) {
        if (!read_call(&reader, &call) || !is_offered(call.piece.name, offered, offered_count) ||
            add(calls, &call.piece, limit_bytes, NULL) != ERR_OK)
            return 0;
        struct model_call_slot *slot = &calls->slots[calls->count - 1];
        buf_push(&slot->arguments, call.piece.arguments);
        slot->is_given = true;
        taken++;
        if (!is_array)
            break;
        token = json_read_next(&reader);
    }
    if (is_array && token != JSON_TOKEN_ARRAY_END)
        return 0;
    *text = str_from(*text, json_read_offset(&reader));
    return taken;
}

/* text without the fence around it. */
static struct str without_fence(struct str text)
{
    text = str_trim(text);
    if (!str_starts_with(text, STR("```")) || !str_ends_with(text, STR("```")) || text.len < 6)
        return text;
    text = str_slice(text, 3, text.len - 3);
    if (str_starts_with(text, STR("json")))
        text = str_from(text, 4);
    return str_trim(text);
}

static size_t read_marked(struct model_calls *calls, struct str text,
                          const struct model_tool *offered, size_t count, size_t limit_bytes,
                          struct str *before)
{
    const struct str open = STR("<tool_call>"), close = STR("</tool_call>");
    ptrdiff_t at = str_find(text, open);
    size_t taken = 0;
    *before = str_trim(str_slice(text, 0, at == STR_NONE ? 0 : (size_t)at));
    text = str_from(text, at == STR_NONE ? text.len : (size_t)at);
    while (str_starts_with(text, open)) {
        text = str_trim(str_from(text, open.len));
        size_t one = read_calls(calls, &text, offered, count, limit_bytes);
        if (one == 0)
            return 0;
        taken += one;
        text = str_trim(text);
        if (str_starts_with(text, close))
            text = str_trim(str_from(text, close.len));
    }
    return taken;
}

size_t model_calls_read_text(struct model_calls *calls, struct str text,
                             const struct model_tool *offered, size_t offered_count,
                             size_t limit_bytes, struct str *before)
{
    static const struct str marks[] = {STR("[TOOL_CALLS]"), STR("<|python_tag|>")};
    *before = STR("");
    if (offered_count == 0)
        return 0;
    size_t taken = read_marked(calls, text, offered, offered_count, limit_bytes, before);
    if (taken == 0) {
        model_calls_clear(calls);
        *before = STR("");
        struct str rest = without_fence(text);
        for (size_t i = 0; i < countof(marks); i++)
            if (str_starts_with(rest, marks[i]))
                rest = str_trim(str_from(rest, marks[i].len));
        bool may_be = rest.len > 0 && (rest.at[0] == '{' || rest.at[0] == '[');
        if (may_be)
            taken = read_calls(calls, &rest, offered, offered_count, limit_bytes);
        if (!str_is_empty(str_trim(rest)))
            taken = 0; /* there is more than calls: an answer that shows JSON */
    }
    if (taken == 0)
        model_calls_clear(calls);
    return taken;
}
