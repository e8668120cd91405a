/* SPDX-License-Identifier: MIT */
/* core/base/identity.c - three comparisons of names: as names, empty is any, absent is any.
 *
 * Failure: no room in an arena: names that are absent. */
#include "core/base/identity.h"

#include <string.h>

#include "core/base/buf.h"

static bool fits(struct str is, struct str wanted)
{
    return str_is_empty(wanted) || str_equal(is, wanted);
}

static bool passes(struct str is, struct str wanted)
{
    return str_is_absent(wanted) || str_equal(is, wanted);
}

bool identity_equal(const struct identity *a, const struct identity *b)
{
    return identity_is_same_user(a, b) && str_equal(a->conversation_id, b->conversation_id);
}

bool identity_is_same_user(const struct identity *a, const struct identity *b)
{
    return str_equal(a->company_id, b->company_id) && str_equal(a->user_id, b->user_id);
}

bool identity_is_of(const struct identity *owner, const struct identity *caller)
{
    return identity_is_same_user(owner, caller) &&
           fits(owner->conversation_id, caller->conversation_id);
}

bool identity_fits(const struct identity *owner, const struct identity *wanted)
{
    return fits(owner->company_id, wanted->company_id) && fits(owner->user_id, wanted->user_id) &&
           fits(owner->conversation_id, wanted->conversation_id);
}

bool identity_passes(const struct identity *owner, const struct identity *filter)
{
    return passes(owner->company_id, filter->company_id) &&
           passes(owner->user_id, filter->user_id) &&
           passes(owner->conversation_id, filter->conversation_id);
}

struct identity identity_in(const struct identity *identity, struct str conversation_id)
{
    return (struct identity){conversation_id, identity->company_id, identity->user_id,
                             identity->role};
}

struct identity identity_user(const struct identity *identity)
{
    return identity_in(identity, STR(""));
}

static void push_cut(struct buf *name, struct str text)
{
    buf_push(name, str_slice(text, 0, size_min(text.len, name->limit - buf_len(name))));
}

/* Lengths in front keep the parts apart. Without printf: a run asks for it some fifteen times, and
 * that was a twelfth of all that a short run took. */
struct str identity_name(const struct identity *identity, char room[IDENTITY_NAME_BYTES])
{
    struct buf name = {.at = room, .cap = IDENTITY_NAME_BYTES, .limit = IDENTITY_NAME_BYTES - 1};
    buf_push_u64(&name, identity->company_id.len);
    buf_push_char(&name, ':');
    buf_push_u64(&name, identity->user_id.len);
    buf_push_char(&name, ':');
    push_cut(&name, identity->company_id);
    push_cut(&name, identity->user_id);
    push_cut(&name, identity->conversation_id);
    room[buf_len(&name)] = '\0';
    return buf_str(&name);
}

struct identity identity_copy(struct arena *arena, const struct identity *identity)
{
    return (struct identity){arena_str(arena, identity->conversation_id),
                             arena_str(arena, identity->company_id),
                             arena_str(arena, identity->user_id), arena_str(arena, identity->role)};
}

size_t identity_bytes(const struct identity *identity)
{
    return identity->conversation_id.len + identity->company_id.len + identity->user_id.len +
           identity->role.len;
}

static struct str copy_name(char **room, struct str name)
{
    struct str copy = str_make(*room, name.len);
    if (str_is_absent(name))
        return name;
    memcpy(*room, name.at, name.len);
    *room += name.len;
    return copy;
}

struct identity identity_copy_to(char *room, const struct identity *identity)
{
    struct identity copy;
    copy.conversation_id = copy_name(&room, identity->conversation_id);
    copy.company_id = copy_name(&room, identity->company_id);
    copy.user_id = copy_name(&room, identity->user_id);
    copy.role = copy_name(&room, identity->role);
    return copy;
}
