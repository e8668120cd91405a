/* SPDX-License-Identifier: MIT */
/* backends/stores/store_memory.c - conversations in a list, last changed first; each in an arena.
 *
 * Happy path: a call is answered as it starts and told of on the next turn. Failure: as
 * core/store/store_asks.h says of each call; no memory. */
#include "backends/stores/store_memory_internal.h"

#include <string.h>

#include "core/base/mem.h"

enum { CONVERSATION_BYTES = 64 * 1024 * 1024 };

/* NULL: there is none yet. */
static struct store_memory_conversation *find(const struct store_memory *memory,
                                              const struct identity *key)
{
    LIST_EACH(link, &memory->conversations)
        if (identity_equal(&store_memory_conversation_of(link)->key, key))
            return store_memory_conversation_of(link);
    return NULL;
}

uint64_t store_memory_version(const struct store_memory *memory, const struct identity *key)
{
    const struct store_memory_conversation *conversation = find(memory, key);
    return conversation == NULL ? 0 : conversation->version;
}

static enum err_code find_there(const struct store_memory *memory, const struct identity *key,
                                struct store_memory_conversation **found, struct err *err)
{
    *found = find(memory, key);
    return *found == NULL ? err_set(err, ERR_NOT_FOUND, "there is no such conversation") : ERR_OK;
}

static struct store_memory_conversation *make(const struct store_memory *memory,
                                              const struct identity *key)
{
    struct store_memory_conversation *made = mem_zalloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    arena_init(&made->arena, CONVERSATION_BYTES);
    list_init(&made->checkpoints);
    list_init(&made->turns);
    list_init(&made->notes);
    made->key = identity_copy(&made->arena, key);
    made->began_ms = store_memory_now(memory);
    return made;
}

static void drop(struct store_memory_conversation *conversation)
{
    list_remove(&conversation->link);
    arena_fini(&conversation->arena);
    mem_free(conversation);
}

/* ---- reading ---- */

static enum err_code add_notes(struct store_call *call, const struct list *notes,
                               const struct identity *owner)
{
    enum err_code code = ERR_OK;
    LIST_EACH(link, notes)
        if (code == ERR_OK &&
            (owner == NULL || identity_is_same_user(&store_memory_kept_of(link)->key, owner)))
            code = store_add_note(call, &store_memory_kept_of(link)->is.note);
    return code;
}

/* The shared notes of the caller's other conversations, last changed first. */
static enum err_code add_shared(const struct store_memory *memory, struct store_call *call)
{
    const struct identity *key = &call->ask.load->key;
    enum err_code code = ERR_OK;
    size_t left = STORE_SHARED_MOST;
    LIST_EACH(of, &memory->conversations) {
        const struct store_memory_conversation *conversation = store_memory_conversation_of(of);
        if (!identity_is_same_user(&conversation->key, key) || left == 0 ||
            str_equal(conversation->key.conversation_id, key->conversation_id))
            continue;
        left--;
        LIST_EACH(link, &conversation->notes) {
            struct store_note note = store_memory_kept_of(link)->is.note;
            if (code != ERR_OK || note.name.at[0] != STORE_SHARED[0])
                continue;
            note.name = arena_printf(&call->arena, STORE_SHARED "%.*s", STR_ARG(note.name));
            code = str_is_absent(note.name) ? ERR_TOO_LARGE : store_add_note(call, &note);
        }
    }
    return code;
}

static bool is_in(const struct store_load *ask, const struct store_turn *turn)
{
    return (ask->before_turn == 0 || turn->number < ask->before_turn) &&
           (ask->at_version == 0 || turn->version <= ask->at_version);
}

enum err_code store_memory_load(struct store_memory *memory, struct store_call *call,
                                struct err *err UNUSED)
{
    const struct store_load *ask = call->ask.load;
    struct store_memory_conversation *conversation = find(memory, &ask->key);
    uint64_t left = store_rows(ask->turn_limit);
    enum err_code code = ERR_OK;
    if (conversation != NULL) {
        call->version = conversation->version;
        call->total = conversation->turn_count;
        code = add_notes(call, &conversation->notes, NULL);
    }
    if (code == ERR_OK)
        code = add_notes(call, &memory->notes, &ask->key);
    if (code == ERR_OK)
        code = add_shared(memory, call);
    if (conversation == NULL || (ask->since_version != 0 && ask->since_version == call->version))
        return code;
    struct list *link = conversation->turns.prev;
    for (; code == ERR_OK && left > 0 && link != &conversation->turns; link = link->prev) {
        if (!is_in(ask, &store_memory_kept_of(link)->is.turn))
            continue;
        code = store_add_turn(call, &store_memory_kept_of(link)->is.turn);
        left--;
    }
    store_reverse_turns(call);
    return code;
}

enum err_code store_memory_restore(struct store_memory *memory, struct store_call *call,
                                   struct err *err)
{
    const struct store_restore *ask = call->ask.restore;
    struct store_memory_conversation *conversation;
    enum err_code code = find_there(memory, &ask->key, &conversation, err);
    if (code != ERR_OK)
        return code;
    uint64_t at = ask->at_version == 0 ? conversation->version : ask->at_version;
    const struct list *first = NULL;
    LIST_EACH(link, &conversation->checkpoints)
        if (store_memory_kept_of(link)->is.checkpoint.is_full &&
            store_memory_kept_of(link)->is.checkpoint.version <= at)
            first = link;
    if (first == NULL || at > conversation->version)
        return err_set(err, ERR_NOT_FOUND, "there is no such version");
    call->version = at;
    for (const struct list *link = first; code == ERR_OK && link != &conversation->checkpoints;
         link = link->next) {
        const struct store_memory_kept *kept =
            list_item(link, const struct store_memory_kept, link);
        if (kept->is.checkpoint.version <= at)
            code = store_add_checkpoint(call, &kept->is.checkpoint);
    }
    return code;
}

enum err_code store_memory_checkpoints(struct store_memory *memory, struct store_call *call,
                                       struct err *err)
{
    const struct store_checkpoints *ask = call->ask.checkpoints;
    struct store_memory_conversation *conversation;
    uint64_t left = store_rows(ask->limit);
    enum err_code code = find_there(memory, &ask->key, &conversation, err);
    if (code != ERR_OK)
        return code;
    struct list *link = conversation->checkpoints.prev;
    for (; code == ERR_OK && left > 0 && link != &conversation->checkpoints; link = link->prev) {
        struct store_checkpoint checkpoint = store_memory_kept_of(link)->is.checkpoint;
        if (ask->before_version != 0 && checkpoint.version >= ask->before_version)
            continue;
        checkpoint.bytes = (struct str){NULL, 0};
        code = store_add_checkpoint(call, &checkpoint);
        left--;
    }
    return code;
}

enum err_code store_memory_list(struct store_memory *memory, struct store_call *call,
                                struct err *err UNUSED)
{
    const struct store_list *ask = call->ask.list;
    uint64_t left = store_rows(ask->limit);
    enum err_code code = ERR_OK;
    LIST_EACH(link, &memory->conversations) {
        const struct store_memory_conversation *conversation = store_memory_conversation_of(link);
        if (code != ERR_OK || left == 0)
            break;
        if (!identity_is_same_user(&conversation->key, &ask->key) ||
            (ask->before_ms != 0 && conversation->changed_ms >= ask->before_ms))
            continue;
        struct store_summary summary = {conversation->key.conversation_id,
                                        STR(""),
                                        conversation->version,
                                        conversation->turn_count,
                                        conversation->began_ms,
                                        conversation->changed_ms};
        if (!list_is_empty(&conversation->turns))
            summary.title =
                str_utf8_prefix(store_memory_kept_of(conversation->turns.next)->is.turn.question,
                                STORE_TITLE_BYTES);
        code = store_add_summary(call, &summary);
        left--;
    }
    return code;
}

static bool holds(struct str text, struct str part)
{
    for (size_t at = 0; at + part.len <= text.len; at++)
        if (str_equal_nocase(str_slice(text, at, at + part.len), part))
            return true;
    return false;
}

/* Newest first; one list of conversations is not in the order of turns. */
static void sort_turns(struct store_call *call)
{
    struct store_turn *turns = (struct store_turn *)(uintptr_t)call->turns;
    for (size_t i = 1; i < call->turn_count; i++) {
        struct store_turn turn = turns[i];
        size_t at = i;
        for (; at > 0 && turns[at - 1].time_ms < turn.time_ms; at--)
            turns[at] = turns[at - 1];
        turns[at] = turn;
    }
}

enum err_code store_memory_search(struct store_memory *memory, struct store_call *call,
                                  struct err *err UNUSED)
{
    const struct store_search *ask = call->ask.search;
    enum err_code code = ERR_OK;
    LIST_EACH(link, &memory->conversations) {
        struct store_memory_conversation *conversation = store_memory_conversation_of(link);
        if (!identity_is_same_user(&conversation->key, &ask->key))
            continue;
        struct list *at = conversation->turns.prev;
        for (; code == ERR_OK && at != &conversation->turns; at = at->prev) {
            const struct store_turn *turn = &store_memory_kept_of(at)->is.turn;
            if (holds(turn->question, ask->text) || holds(turn->answer, ask->text))
                code = store_add_turn(call, turn);
        }
    }
    sort_turns(call);
    call->turn_count = size_min(call->turn_count, store_rows(ask->limit));
    return code;
}

enum err_code store_memory_notes(struct store_memory *memory, struct store_call *call,
                                 struct err *err UNUSED)
{
    const struct store_notes *ask = call->ask.notes;
    uint64_t left = store_rows(ask->limit);
    enum err_code code = ERR_OK;
    LIST_EACH(link, &memory->conversations) {
        struct store_memory_conversation *conversation = store_memory_conversation_of(link);
        LIST_EACH(at, &conversation->notes) {
            const struct store_note *note = &store_memory_kept_of(at)->is.note;
            if (code != ERR_OK || left == 0)
                return code;
            if (!str_starts_with(note->name, ask->prefix))
                continue;
            code = store_add_note(call, note);
            left--;
        }
    }
    return code;
}

/* ---- writing ---- */

static struct store_memory_kept *copy_turn(struct store_memory_conversation *to,
                                           const struct store_turn *turn, uint64_t time_ms)
{
    struct store_memory_kept *kept = arena_alloc(&to->arena, sizeof *kept);
    if (kept == NULL)
        return NULL;
    kept->is.turn = (struct store_turn){.version = to->version,
                                        .number = ++to->turn_count,
                                        .time_ms = time_ms,
                                        .conversation_id = to->key.conversation_id,
                                        .run_id = arena_str(&to->arena, turn->run_id),
                                        .question = arena_str(&to->arena, turn->question),
                                        .answer = arena_str(&to->arena, turn->answer),
                                        .details = arena_str(&to->arena, turn->details),
                                        .partial = turn->partial};
    return kept;
}

/* Replace, add or remove the note of this name (and owner). */
static bool put_note(struct list *notes, struct arena *arena, const struct identity *owner,
                     const struct store_note *note)
{
    struct store_memory_kept *kept = NULL;
    LIST_EACH(link, notes)
        if (str_equal(store_memory_kept_of(link)->is.note.name, note->name) &&
            identity_is_same_user(&store_memory_kept_of(link)->key, owner))
            kept = store_memory_kept_of(link);
    if (kept != NULL)
        list_remove(&kept->link);
    if (str_is_empty(note->bytes))
        return true;
    kept = arena_alloc(arena, sizeof *kept);
    if (kept == NULL)
        return false;
    const struct identity user = identity_user(owner);
    kept->key = identity_copy(arena, &user);
    kept->is.note =
        (struct store_note){arena_str(arena, note->name), arena_str(arena, note->bytes)};
    list_push(notes, &kept->link);
    return arena_ok(arena);
}

/* What save brings, into conversation. False: no memory. */
static bool add_all(struct store_memory *memory, struct store_memory_conversation *to,
                    const struct store_save *ask)
{
    uint64_t now_ms = store_memory_now(memory);
    struct store_memory_kept *kept = arena_alloc(&to->arena, sizeof *kept);
    if (kept == NULL)
        return false;
    kept->is.checkpoint = ask->checkpoint;
    kept->is.checkpoint.version = ++to->version;
    kept->is.checkpoint.time_ms = now_ms;
    kept->is.checkpoint.run_id = arena_str(&to->arena, ask->checkpoint.run_id);
    kept->is.checkpoint.bytes = arena_str(&to->arena, ask->checkpoint.bytes);
    list_push(&to->checkpoints, &kept->link);
    for (size_t i = 0; i < ask->turn_count; i++) {
        kept = copy_turn(to, &ask->turns[i], now_ms);
        if (kept == NULL)
            return false;
        list_push(&to->turns, &kept->link);
    }
    for (size_t i = 0; i < ask->note_count; i++)
        if (!put_note(&to->notes, &to->arena, &to->key, &ask->notes[i]))
            return false;
    to->changed_ms = now_ms;
    return arena_ok(&to->arena);
}

enum err_code store_memory_save(struct store_memory *memory, struct store_call *call,
                                struct err *err)
{
    const struct store_save *ask = call->ask.save;
    struct store_memory_conversation *conversation = find(memory, &ask->key);
    call->version = conversation == NULL ? 0 : conversation->version;
    if (call->version != ask->expected_version)
        return err_set(err, ERR_CONFLICT, "the conversation was changed meanwhile");
    if (conversation == NULL)
        conversation = make(memory, &ask->key);
    if (conversation == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for a conversation");
    list_remove(&conversation->link);
    list_push_front(&memory->conversations, &conversation->link);
    if (!add_all(memory, conversation, ask)) { /* its arena is spent for ever */
        drop(conversation);
        return err_set(err, ERR_NO_MEMORY, "no memory for a conversation");
    }
    call->version = conversation->version;
    return ERR_OK;
}

enum err_code store_memory_keep(struct store_memory *memory, struct store_call *call,
                                struct err *err)
{
    const struct store_keep *ask = call->ask.keep;
    struct store_memory_conversation *conversation;
    if (str_is_empty(ask->key.conversation_id))
        return put_note(&memory->notes, &memory->notes_arena, &ask->key, &ask->note)
                   ? ERR_OK
                   : err_set(err, ERR_NO_MEMORY, "no memory for a note");
    enum err_code code = find_there(memory, &ask->key, &conversation, err);
    if (code == ERR_OK &&
        !put_note(&conversation->notes, &conversation->arena, &conversation->key, &ask->note))
        code = err_set(err, ERR_NO_MEMORY, "no memory for a note");
    return code;
}

/* ---- removing ---- */

/* Everything of the user at once: there is no one to wait for it. */
static enum err_code erase_user(struct store_memory *memory, struct store_call *call)
{
    const struct identity *user = &call->ask.erase->key;
    LIST_EACH_SAFE(link, &memory->conversations) {
        struct store_memory_conversation *conversation = store_memory_conversation_of(link);
        if (!identity_is_same_user(&conversation->key, user))
            continue;
        drop(conversation);
        call->total++;
    }
    LIST_EACH_SAFE(link, &memory->runs) {
        struct store_memory_run *run = list_item(link, struct store_memory_run, link);
        if (!identity_is_same_user(&run->run.key, user))
            continue;
        store_memory_drop_run(run);
        call->total++;
    }
    LIST_EACH_SAFE(link, &memory->notes)
        if (identity_is_same_user(&store_memory_kept_of(link)->key, user))
            list_remove(link);
    call->total += store_memory_drop_jobs(memory, user);
    return ERR_OK;
}

enum err_code store_memory_erase(struct store_memory *memory, struct store_call *call,
                                 struct err *err)
{
    const struct store_erase *ask = call->ask.erase;
    struct store_memory_conversation *conversation;
    if (str_is_empty(ask->key.conversation_id))
        return erase_user(memory, call);
    conversation = find(memory, &ask->key);
    if (!store_memory_drop_runs(memory, &ask->key) && conversation == NULL)
        return err_set(err, ERR_NOT_FOUND, "there is no such conversation");
    if (conversation != NULL)
        drop(conversation);
    (void)store_memory_drop_jobs(memory, &ask->key);
    return ERR_OK;
}

/* Whether asker may prune now; then it is the one that does. */
static bool take_lock(struct store_memory *memory, const struct store_prune *ask)
{
    uint64_t now_ms = store_memory_now(memory);
    if (memory->pruner.len > 0 && !str_equal(memory->pruner, ask->instance) &&
        now_ms < memory->pruned_ms + ask->lock_ms)
        return false;
    size_t len = size_min(ask->instance.len, sizeof memory->pruner_text);
    memcpy(memory->pruner_text, ask->instance.at, len);
    memory->pruner = str_make(memory->pruner_text, len);
    memory->pruned_ms = now_ms;
    return true;
}

enum err_code store_memory_prune(struct store_memory *memory, struct store_call *call,
                                 struct err *err)
{
    const struct store_prune *ask = call->ask.prune;
    uint64_t now_ms = store_memory_now(memory);
    uint64_t before_ms = now_ms > ask->age_ms ? now_ms - ask->age_ms : 0;
    uint64_t limit = store_rows(ask->limit);
    if (!take_lock(memory, ask))
        return err_set(err, ERR_BUSY, "another instance prunes");
    LIST_EACH_SAFE(link, &memory->conversations) {
        struct store_memory_conversation *conversation = store_memory_conversation_of(link);
        if (call->total == limit)
            return ERR_OK;
        if (conversation->changed_ms > before_ms ||
            store_memory_has_fresh_run(memory, &conversation->key, before_ms))
            continue;
        (void)store_memory_drop_runs(memory, &conversation->key);
        drop(conversation);
        call->total++;
    }
    LIST_EACH_SAFE(link, &memory->runs) {
        struct store_memory_run *run = list_item(link, struct store_memory_run, link);
        if (run->run.changed_ms > before_ms || call->total == limit)
            continue;
        store_memory_drop_run(run);
        call->total++;
    }
    return ERR_OK;
}

/* ---- the vtable ---- */

typedef enum err_code verb_fn(struct store_memory *memory, struct store_call *call,
                              struct err *err);

static verb_fn *const verbs[STORE_VERB_COUNT] = {
#define VERB(verb, name, effect) [STORE_##verb] = store_memory_##name,
    STORE_VERBS(VERB)
#undef VERB
};

static void cancel(struct op *op UNUSED)
{
    /* the op has been finishing since its start */
}

static const struct op_kind kind = {
    .name = "store.memory", .cancel = cancel, .release = store_call_release};

static void start(struct store *store, struct store_call *call, struct op_waiter waiter)
{
    struct store_memory *memory = container_of(store, struct store_memory, store);
    struct err err = {0};
    op_begin(&call->op, &kind, store->loop, waiter);
    store_call_begin(call);
    enum err_code code = verbs[call->verb](memory, call, &err);
    if (code != ERR_OK && err.code != code)
        err_set(&err, code, "the answer is too large");
    op_finish_err(&call->op, &err);
}

static enum err_code ready(struct store *store UNUSED, struct err *err UNUSED)
{
    return ERR_OK;
}

static void free_memory(struct closing *closing)
{
    struct store_memory *memory = container_of(closing, struct store_memory, closing);
    LIST_EACH_SAFE(link, &memory->conversations)
        drop(store_memory_conversation_of(link));
    LIST_EACH_SAFE(link, &memory->runs)
        store_memory_drop_run(list_item(link, struct store_memory_run, link));
    store_memory_drop_all_jobs(memory);
    arena_fini(&memory->notes_arena);
    mem_free(memory);
}

static void close_store(struct store *store, void (*on_closed)(void *owner), void *owner)
{
    closing_begin(&container_of(store, struct store_memory, store)->closing, on_closed, owner);
}

struct store *store_memory_create(struct loop *loop)
{
    static const struct store_vtable vtable = {"memory", start, ready, close_store};
    static closing_fn *const steps[] = {free_memory, NULL};
    struct store_memory *memory = mem_zalloc(1, sizeof *memory);
    if (memory == NULL)
        return NULL;
    memory->store = (struct store){&vtable, loop};
    closing_init(&memory->closing, loop, steps);
    list_init(&memory->conversations);
    list_init(&memory->runs);
    list_init(&memory->ended);
    list_init(&memory->notes);
    list_init(&memory->jobs);
    arena_init(&memory->notes_arena, CONVERSATION_BYTES);
    return &memory->store;
}
