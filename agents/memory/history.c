/* SPDX-License-Identifier: MIT */
/* agents/memory/history.c - a map of conversations, each a list of messages, in order of last use.
 *
 * Happy path: find or make the conversation, append a copy, move it to the fresh end, then forget
 * from the stale end while over the limit.
 * Failure: no memory leaves everything as it was. */
#include "agents/memory/history.h"

#include <string.h>

#include "agents/memory/elsewhere.h"
#include "core/base/buf.h"
#include "core/base/list.h"
#include "core/base/map.h"
#include "core/base/mem.h"

enum { NOTE_BYTES = 16 * 1024, ELSEWHERE_USERS = 1024 };

struct entry {
    struct list link; /* in conversation.entries */
    enum llm_role role;
    bool partial;
    char *meant; /* or NULL */
    size_t meant_len, len;
    char text[];
};

struct conversation {
    struct list link; /* in history.by_use, stalest first */
    struct list entries;
    size_t count, bytes;
    uint64_t version, said;
    struct buf notes[HISTORY_ELSEWHERE];
    struct identity key;
    struct str name; /* in history.by_name */
    char names[];
};

struct history {
    struct map by_name; /* identity_name -> struct conversation */
    struct list by_use;
    size_t bytes, limit_bytes;
    struct elsewhere *elsewhere;
};

struct history *history_create(size_t limit_bytes)
{
    struct history *history = mem_zalloc(1, sizeof *history);
    if (history == NULL)
        return NULL;
    map_init(&history->by_name);
    list_init(&history->by_use);
    history->limit_bytes = limit_bytes;
    history->elsewhere = elsewhere_create(ELSEWHERE_USERS);
    if (history->elsewhere != NULL)
        return history;
    mem_free(history);
    return NULL;
}

static void drop_entry(struct entry *entry)
{
    mem_free(entry->meant);
    mem_free(entry);
}

static void drop_conversation(struct history *history, struct conversation *conversation)
{
    for (struct list *link; (link = list_take_first(&conversation->entries)) != NULL;)
        drop_entry(list_item(link, struct entry, link));
    for (size_t i = 0; i < countof(conversation->notes); i++)
        buf_fini(&conversation->notes[i]);
    list_remove(&conversation->link);
    map_take(&history->by_name, conversation->name);
    history->bytes -= conversation->bytes;
    mem_free(conversation);
}

void history_destroy(struct history *history)
{
    if (history == NULL)
        return;
    while (!list_is_empty(&history->by_use))
        drop_conversation(history, list_item(history->by_use.next, struct conversation, link));
    map_fini(&history->by_name);
    elsewhere_destroy(history->elsewhere);
    mem_free(history);
}

/* The caller's own conversation, or NULL. */
static struct conversation *find_own(const struct history *history, const struct identity *key)
{
    char room[IDENTITY_NAME_BYTES];
    return map_find(&history->by_name, identity_name(key, room));
}

static struct conversation *begin_conversation(struct history *history, const struct identity *key)
{
    char room[IDENTITY_NAME_BYTES];
    struct str name = identity_name(key, room);
    size_t own = identity_bytes(key), names = own + name.len;
    struct conversation *made = mem_zalloc(1, sizeof *made + names);
    if (made == NULL)
        return NULL;
    made->key = identity_copy_to(made->names, key);
    made->name = str_make(made->names + own, name.len);
    memcpy(made->names + own, name.at, name.len);
    made->bytes = sizeof *made + names;
    for (size_t i = 0; i < countof(made->notes); i++)
        buf_init(&made->notes[i], NOTE_BYTES);
    list_init(&made->entries);
    if (!map_put(&history->by_name, made->name, made)) {
        mem_free(made);
        return NULL;
    }
    list_push(&history->by_use, &made->link);
    history->bytes += made->bytes;
    return made;
}

static void forget_stale(struct history *history, const struct conversation *keep)
{
    while (history->bytes > history->limit_bytes && !list_is_empty(&history->by_use)) {
        struct conversation *stalest = list_item(history->by_use.next, struct conversation, link);
        if (stalest == keep)
            return;
        drop_conversation(history, stalest);
    }
}

/* A single conversation over the limit loses its oldest messages. */
static void forget_oldest(struct history *history, struct conversation *conversation)
{
    while (history->bytes > history->limit_bytes && conversation->count > 1) {
        struct entry *oldest = list_item(conversation->entries.next, struct entry, link);
        size_t bytes = sizeof *oldest + oldest->len + oldest->meant_len;
        list_remove(&oldest->link);
        drop_entry(oldest);
        conversation->count--;
        conversation->bytes -= bytes;
        history->bytes -= bytes;
    }
}

enum err_code history_append(struct history *history, const struct identity *key,
                             enum llm_role role, struct str text, bool partial)
{
    struct entry *entry = mem_alloc(sizeof *entry + text.len);
    if (entry == NULL)
        return ERR_NO_MEMORY;
    struct conversation *conversation = find_own(history, key);
    if (conversation == NULL)
        conversation = begin_conversation(history, key);
    if (conversation == NULL) {
        mem_free(entry);
        return ERR_NO_MEMORY;
    }
    *entry = (struct entry){.role = role, .partial = partial, .len = text.len};
    if (text.len > 0)
        memcpy(entry->text, text.at, text.len);
    list_push(&conversation->entries, &entry->link);
    conversation->count++;
    conversation->said++;
    conversation->bytes += sizeof *entry + text.len;
    history->bytes += sizeof *entry + text.len;
    list_remove(&conversation->link);
    list_push(&history->by_use, &conversation->link);
    forget_stale(history, conversation);
    forget_oldest(history, conversation);
    return ERR_OK;
}

size_t history_last(const struct history *history, const struct identity *key,
                    struct history_message *messages, size_t max)
{
    const struct conversation *conversation = find_own(history, key);
    if (conversation == NULL)
        return 0;
    size_t count = size_min(conversation->count, max), at = count;
    const struct list *link = conversation->entries.prev;
    for (; at > 0; link = link->prev) {
        const struct entry *entry = list_item(link, const struct entry, link);
        messages[--at] = (struct history_message){entry->role,
                                                  entry->partial,
                                                  {entry->text, entry->len},
                                                  {entry->meant, entry->meant_len}};
    }
    return count;
}

size_t history_count(const struct history *history, const struct identity *key)
{
    const struct conversation *conversation = find_own(history, key);
    return conversation == NULL ? 0 : conversation->count;
}

uint64_t history_said(const struct history *history, const struct identity *key)
{
    const struct conversation *conversation = find_own(history, key);
    return conversation == NULL ? 0 : conversation->said;
}

void history_set_said(struct history *history, const struct identity *key, uint64_t said)
{
    struct conversation *conversation = find_own(history, key);
    if (conversation != NULL)
        conversation->said = said;
}

void history_set_meant(struct history *history, const struct identity *key, struct str meant)
{
    struct conversation *conversation = find_own(history, key);
    if (conversation == NULL || str_is_empty(meant))
        return;
    for (struct list *link = conversation->entries.prev; link != &conversation->entries;
         link = link->prev) {
        struct entry *entry = list_item(link, struct entry, link);
        if (entry->role != LLM_USER)
            continue;
        char *copy = entry->meant == NULL ? mem_alloc(meant.len) : NULL;
        if (copy == NULL)
            return;
        memcpy(copy, meant.at, meant.len);
        entry->meant = copy;
        entry->meant_len = meant.len;
        conversation->bytes += meant.len;
        history->bytes += meant.len;
        return;
    }
}

void history_set_note(struct history *history, const struct identity *key, enum history_note which,
                      struct str bytes)
{
    struct conversation *conversation = find_own(history, key);
    if (which == HISTORY_ELSEWHERE) {
        elsewhere_set(history->elsewhere, key, bytes);
        return;
    }
    if (conversation == NULL)
        return;
    struct buf *note = &conversation->notes[which];
    size_t before = buf_len(note);
    buf_clear(note);
    buf_push(note, bytes);
    if (!buf_ok(note)) { /* none rather than half of one */
        buf_fini(note);
        buf_init(note, NOTE_BYTES);
    }
    conversation->bytes += buf_len(note) - before;
    history->bytes += buf_len(note) - before;
}

struct str history_note(const struct history *history, const struct identity *key,
                        enum history_note which)
{
    const struct conversation *conversation = find_own(history, key);
    if (which == HISTORY_ELSEWHERE)
        return elsewhere_get(history->elsewhere, key);
    return conversation == NULL ? STR("") : buf_str(&conversation->notes[which]);
}

uint64_t history_version(const struct history *history, const struct identity *key)
{
    const struct conversation *conversation = find_own(history, key);
    return conversation == NULL ? 0 : conversation->version;
}

void history_set_version(struct history *history, const struct identity *key, uint64_t version)
{
    struct conversation *conversation = find_own(history, key);
    if (conversation != NULL)
        conversation->version = version;
}

bool history_forget(struct history *history, const struct identity *key)
{
    struct conversation *conversation = find_own(history, key);
    if (conversation == NULL)
        return false;
    drop_conversation(history, conversation);
    return true;
}

void history_forget_user(struct history *history, const struct identity *key)
{
    LIST_EACH_SAFE(link, &history->by_use) {
        struct conversation *conversation = list_item(link, struct conversation, link);
        if (identity_is_same_user(&conversation->key, key))
            drop_conversation(history, conversation);
    }
    elsewhere_set(history->elsewhere, key, STR(""));
}
