/* SPDX-License-Identifier: MIT */
/* agents/memory/elsewhere.c - a map of users, in order of last change.
 *
 * Happy path: a user's entry is replaced whole. Failure: no memory, or a caller whose names are too
 * long for a key: the user has none. */
#include "agents/memory/elsewhere.h"

#include <stdio.h>
#include <string.h>

#include "core/base/list.h"
#include "core/base/map.h"
#include "core/base/mem.h"

enum { KEY_BYTES = 300 }; /* two names of 128 bytes and a length */

struct person {
    struct list link; /* stalest first */
    struct str key, text;
    char bytes[];
};

struct elsewhere {
    struct map by_key;
    struct list by_use;
    size_t max_users;
};

struct elsewhere *elsewhere_create(size_t max_users)
{
    struct elsewhere *elsewhere = mem_zalloc(1, sizeof *elsewhere);
    if (elsewhere == NULL)
        return NULL;
    map_init(&elsewhere->by_key);
    list_init(&elsewhere->by_use);
    elsewhere->max_users = max_users;
    return elsewhere;
}

static void drop(struct elsewhere *elsewhere, struct person *person)
{
    list_remove(&person->link);
    map_take(&elsewhere->by_key, person->key);
    mem_free(person);
}

void elsewhere_destroy(struct elsewhere *elsewhere)
{
    if (elsewhere == NULL)
        return;
    while (!list_is_empty(&elsewhere->by_use))
        drop(elsewhere, list_item(elsewhere->by_use.next, struct person, link));
    map_fini(&elsewhere->by_key);
    mem_free(elsewhere);
}

/* The length in front keeps the two names apart. Absent: too long. */
static struct str key_of(const struct identity *user, char *room)
{
    int len = snprintf(room, KEY_BYTES, "%zu:%.*s%.*s", user->company_id.len,
                       STR_ARG(user->company_id), STR_ARG(user->user_id));
    return len < KEY_BYTES ? str_make(room, (size_t)len) : (struct str){NULL, 0};
}

/* text cut to ELSEWHERE_BYTES at the end of a line. */
static struct str cut(struct str text)
{
    if (text.len <= ELSEWHERE_BYTES)
        return text;
    size_t len = ELSEWHERE_BYTES;
    while (len > 0 && text.at[len - 1] != '\n')
        len--;
    return str_slice(text, 0, len);
}

void elsewhere_set(struct elsewhere *elsewhere, const struct identity *user, struct str text)
{
    char room[KEY_BYTES];
    struct str key = key_of(user, room);
    struct person *old = str_is_absent(key) ? NULL : map_find(&elsewhere->by_key, key);
    if (old != NULL)
        drop(elsewhere, old);
    text = cut(text);
    if (str_is_absent(key) || text.len == 0)
        return;
    struct person *person = mem_zalloc(1, sizeof *person + key.len + text.len);
    if (person == NULL)
        return;
    memcpy(person->bytes, key.at, key.len);
    memcpy(person->bytes + key.len, text.at, text.len);
    person->key = str_make(person->bytes, key.len);
    person->text = str_make(person->bytes + key.len, text.len);
    if (!map_put(&elsewhere->by_key, person->key, person)) {
        mem_free(person);
        return;
    }
    list_push(&elsewhere->by_use, &person->link);
    if (map_count(&elsewhere->by_key) > elsewhere->max_users)
        drop(elsewhere, list_item(elsewhere->by_use.next, struct person, link));
}

struct str elsewhere_get(const struct elsewhere *elsewhere, const struct identity *user)
{
    char room[KEY_BYTES];
    struct str key = key_of(user, room);
    const struct person *person = str_is_absent(key) ? NULL : map_find(&elsewhere->by_key, key);
    return person == NULL ? STR("") : person->text;
}
