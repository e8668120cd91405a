/* SPDX-License-Identifier: MIT */
/* server/conversations/conversations.c - loads that fill the history, and the saves of each
 * conversation that are in flight or late.
 *
 * Happy path: a load says that memory is as new as the store, or brings the last turns, which
 * replace those in memory. A save puts one turn behind the version that memory knows. A turn that
 * may be in the store already is first looked for among the last ones there, and else put behind
 * them.
 * Failure paths:
 * - the store cannot be read: logged; memory stays as it is;
 * - the store cannot be written: the save is late. Late saves are tried again, one at a time and in
 *   order, after a pause that grows; conversations go on in memory meanwhile. A turn that does not
 *   fit, or is late when the server stops, is logged and lost;
 * - the conversation changed meanwhile: unless the turn is there already (the answer of the store
 *   was lost, or another server went on with the run), it goes behind the turns of others; memory
 *   is marked as old (version 0), so that the next opening loads all. */
#include "server/conversations/conversations.h"

#include "agents/memory/recall.h"
#include <string.h>

#include "core/base/map.h"
#include "core/base/mem.h"
#include "core/loop/timer.h"
#include "server/records/event_writers.h"
#include "server/records/turn_details.h"

enum {
    SAVE_TRIES = 5, /* each behind turns that other servers saved meanwhile */
    SAVE_BYTES = 64 * 1024 * 1024,
    MOST_LATE_BYTES = 64 * 1024 * 1024, /* of late turns, however many */
    LOOKED_AT = 16, /* of the last turns, to find a turn that is there already */
    DETAILS_BYTES = 1024 * 1024,
};

struct conversations {
    struct conversations_options options;
    struct map busy; /* conversation id -> struct busy: those with turns being saved */
    size_t saving_count;
    uint64_t last_number;       /* of the savings */
    struct list user_settlings; /* that wait for any conversation of a user */
    struct list late; /* the saves that failed, or are behind a failed one of their conversation */
    size_t late_count, late_bytes;
    struct timer retry_timer;
    unsigned failures; /* in a row */
    bool is_abandoned;
    size_t opening_count;
    struct loop_task idle_task;
};

/* One conversation while turns of it are being saved. */
struct busy {
    struct list savings, settlings;
    size_t in_flight, late; /* of savings: tried for the first time, and late */
    struct str name;        /* identity_name of the conversation */
    char name_bytes[];
};

struct saving {
    struct list link, late_link;
    uint64_t number;
    struct conversations *conversations;
    struct busy *busy;
    struct arena arena;
    struct identity key;
    struct store_turn turn;
    struct store_note notes[RECALL_NOTES];
    struct store_save ask;
    struct store_load look;
    struct store_call call;
    uint64_t version; /* of the conversation in the store, as last told */
    unsigned tries;
    bool looks;   /* first look whether the turn is there */
    bool is_past; /* of a run of another server: memory does not have the turn */
};

/* NULL: nothing of the conversation is being saved. */
static struct busy *find_busy(const struct conversations *conversations, const struct identity *key)
{
    char room[IDENTITY_NAME_BYTES];
    return map_find(&conversations->busy, identity_name(key, room));
}

/* As find_busy, made when there is none. NULL: no memory. */
static struct busy *make_busy(struct conversations *conversations, const struct identity *key)
{
    char room[IDENTITY_NAME_BYTES];
    struct str name = identity_name(key, room);
    struct busy *busy = map_find(&conversations->busy, name);
    if (busy != NULL)
        return busy;
    busy = mem_zalloc(1, sizeof *busy + name.len);
    if (busy == NULL)
        return NULL;
    memcpy(busy->name_bytes, name.at, name.len);
    busy->name = str_make(busy->name_bytes, name.len);
    list_init(&busy->savings);
    list_init(&busy->settlings);
    if (map_put(&conversations->busy, busy->name, busy))
        return busy;
    mem_free(busy);
    return NULL;
}

static bool has_late(const struct conversations *conversations, const struct identity *key)
{
    const struct busy *busy = find_busy(conversations, key);
    return busy != NULL && busy->late > 0;
}

struct conversations *conversations_create(const struct conversations_options *options)
{
    struct conversations *conversations = mem_zalloc(1, sizeof *conversations);
    if (conversations == NULL)
        return NULL;
    conversations->options = *options;
    map_init(&conversations->busy);
    list_init(&conversations->late);
    list_init(&conversations->user_settlings);
    return conversations;
}

void conversations_destroy(struct conversations *conversations)
{
    if (conversations == NULL)
        return;
    CHECK(map_count(&conversations->busy) == 0 && conversations->opening_count == 0);
    map_fini(&conversations->busy);
    timer_stop(&conversations->retry_timer);
    loop_unpost(&conversations->idle_task);
    mem_free(conversations);
}

struct store *conversations_store(const struct conversations *conversations)
{
    return conversations->options.store;
}

bool conversations_is_settled(const struct conversations *conversations, const struct identity *key)
{
    const struct busy *busy = find_busy(conversations, key);
    return busy == NULL || busy->in_flight == 0;
}

/* ---- settling ---- */

static void finish_settling(struct conversations_settling *settling, enum err_code code)
{
    list_remove(&settling->link);
    op_finish(&settling->op, code, "%s", code == ERR_OK ? "" : "it was given up");
}

static void cancel_settling(struct op *op)
{
    struct conversations_settling *settling = container_of(op, struct conversations_settling, op);
    if (!op_is_finishing(op))
        finish_settling(settling, ERR_CANCELLED);
}

/* Finish the settlings of the conversation, if it is settled by now. */
static void tell_settled(struct busy *busy)
{
    if (busy->in_flight > 0)
        return;
    LIST_EACH_SAFE(link, &busy->settlings)
        finish_settling(list_item(link, struct conversations_settling, link), ERR_OK);
}

static bool is_first_try_of(const struct saving *saving, const struct identity *user)
{
    return !list_is_linked(&saving->late_link) && identity_is_same_user(&saving->key, user);
}

/* A saving is no longer tried for the first time: it is over, or late. */
static void leave_flight(struct saving *saving)
{
    struct conversations *conversations = saving->conversations;
    saving->busy->in_flight--;
    LIST_EACH_SAFE(link, &conversations->user_settlings) {
        struct conversations_settling *settling =
            list_item(link, struct conversations_settling, link);
        if (saving->number <= settling->until &&
            identity_is_same_user(&saving->key, settling->user) && --settling->awaited == 0)
            finish_settling(settling, ERR_OK);
    }
}

/* How many turns of the user are being saved, apart from late ones. */
static size_t count_of_user(const struct conversations *conversations, const struct identity *user)
{
    struct map_entry entry;
    size_t cursor = 0, count = 0;
    while (map_next(&conversations->busy, &cursor, &entry)) {
        const struct busy *busy = entry.value;
        LIST_EACH(link, &busy->savings)
            count += is_first_try_of(list_item(link, struct saving, link), user);
    }
    return count;
}

static void settle_user(struct conversations_settling *settling,
                        struct conversations *conversations, const struct identity *user)
{
    settling->user = user;
    settling->until = conversations->last_number;
    settling->awaited = count_of_user(conversations, user);
    if (settling->awaited == 0)
        finish_settling(settling, ERR_OK);
    else
        list_push(&conversations->user_settlings, &settling->link);
}

void conversations_settle_start(struct conversations_settling *settling,
                                struct conversations *conversations, const struct identity *key,
                                struct op_waiter waiter)
{
    static const struct op_kind kind = {.name = "conversation.settle", .cancel = cancel_settling};
    op_begin(&settling->op, &kind, conversations->options.loop, waiter);
    list_init(&settling->link);
    settling->user = NULL;
    if (str_is_empty(key->conversation_id))
        settle_user(settling, conversations, key);
    else if (conversations_is_settled(conversations, key))
        finish_settling(settling, ERR_OK);
    else
        list_push(&find_busy(conversations, key)->settlings, &settling->link);
}

/* ---- opening ---- */

/* The question in full words, where its own words do not say enough
 * (server/records/turn_details.h). */
static void take_meant(struct history *history, const struct identity *key, struct str details)
{
    struct buf scratch;
    buf_init(&scratch, DETAILS_BYTES);
    struct str meant = turn_details_find_meant(details, &scratch);
    if (!str_is_absent(meant))
        history_set_meant(history, key, meant);
    buf_fini(&scratch);
}

/* Put the turns of the store in place of those in memory. */
static enum err_code refill(struct history *history, const struct identity *key,
                            const struct store_call *call)
{
    enum err_code code = ERR_OK;
    (void)history_forget(history, key);
    for (size_t i = 0; i < call->turn_count && code == ERR_OK; i++) {
        const struct store_turn *turn = &call->turns[i];
        code = history_append(history, key, LLM_USER, turn->question, false);
        if (code == ERR_OK)
            take_meant(history, key, turn->details);
        if (code == ERR_OK)
            code = history_append(history, key, LLM_ASSISTANT, turn->answer, turn->partial);
    }
    if (code == ERR_OK)
        history_set_version(history, key, call->version);
    history_set_said(history, key, 2 * call->total);
    return code;
}

static void on_loaded(struct op *op)
{
    struct conversations_opening *opening = op_owner(op);
    struct conversations *conversations = opening->conversations;
    struct history *history = conversations->options.history;
    const struct identity *key = &opening->ask.key;
    struct err err = op->err;
    bool is_new = err.code == ERR_OK && opening->call.version != opening->ask.since_version;
    if (is_new)
        err.code = refill(history, key, &opening->call);
    if (err.code == ERR_OK)
        recall_take(history, key, opening->call.notes, opening->call.note_count, is_new);
    if (err.code != ERR_OK && err.code != ERR_NOT_FOUND && err.code != ERR_CANCELLED) {
        LOG(conversations->options.log, WARN, "conversation.not_loaded", "code=%s text=\"%s\"",
            err_name(err.code), err.text);
        err = (struct err){0}; /* memory stays as it is */
    }
    op_release(op);
    conversations->opening_count--;
    op_finish_err(&opening->op, &err);
}

static void load(struct conversations_opening *opening)
{
    const struct conversations_options *o = &opening->conversations->options;
    const struct identity *key = &opening->ask.key;
    if (has_late(opening->conversations, key) &&
        history_count(o->history, key) > 0) { /* memory knows more than the store */
        opening->conversations->opening_count--;
        op_finish_err(&opening->op, &(struct err){0});
        return;
    }
    opening->ask.since_version = history_version(o->history, key);
    store_load_start(&opening->call, o->store, &opening->ask,
                     (struct op_waiter){.done = on_loaded, .owner = opening});
}

static void on_settled(struct op *op)
{
    struct conversations_opening *opening = op_owner(op);
    struct err err = op->err;
    op_release(op);
    if (err.code == ERR_OK) {
        load(opening);
        return;
    }
    opening->conversations->opening_count--;
    op_finish_err(&opening->op, &err);
}

static void cancel_opening(struct op *op)
{
    struct conversations_opening *opening = container_of(op, struct conversations_opening, op);
    op_cancel(&opening->settling.op);
    op_cancel(&opening->call.op);
}

void conversations_open_start(struct conversations_opening *opening,
                              struct conversations *conversations, const struct identity *key,
                              struct op_waiter waiter)
{
    static const struct op_kind kind = {.name = "conversation.open", .cancel = cancel_opening};
    const struct conversations_options *o = &conversations->options;
    op_begin(&opening->op, &kind, o->loop, waiter);
    opening->conversations = conversations;
    if (o->store == NULL) {
        op_finish_err(&opening->op, &(struct err){0});
        return;
    }
    opening->ask = (struct store_load){
        .key = *key,
        .turn_limit = o->turns,
    };
    conversations->opening_count++;
    /* turns that are being saved are in memory only: the store may not replace it before */
    if (!conversations_is_settled(conversations, key))
        conversations_settle_start(&opening->settling, conversations, key,
                                   (struct op_waiter){.done = on_settled, .owner = opening});
    else
        load(opening);
}

/* ---- saving ---- */

static op_fn on_saved, on_looked;

static void tell_idle(struct loop_task *task)
{
    struct conversations *conversations = container_of(task, struct conversations, idle_task);
    if (conversations->saving_count == 0)
        conversations->options.on_idle(conversations->options.owner);
}

/* What a saving takes while it is late. */
static size_t bytes_of(const struct saving *saving)
{
    return sizeof *saving + saving->arena.used;
}

static void end_saving(struct saving *saving)
{
    struct conversations *conversations = saving->conversations;
    struct busy *busy = saving->busy;
    list_remove(&saving->link);
    if (!list_is_linked(&saving->late_link)) {
        leave_flight(saving);
    } else {
        list_remove(&saving->late_link);
        busy->late--;
        conversations->late_count--;
        conversations->late_bytes -= bytes_of(saving);
    }
    arena_fini(&saving->arena);
    mem_free(saving);
    tell_settled(busy);
    if (list_is_empty(&busy->savings)) {
        (void)map_take(&conversations->busy, busy->name);
        mem_free(busy);
    }
    if (--conversations->saving_count == 0)
        loop_post(conversations->options.loop, &conversations->idle_task, tell_idle);
}

static void lose(struct saving *saving, const struct err *err)
{
    LOG(saving->conversations->options.log, WARN, "conversation.not_saved",
        "run=%.*s code=%s text=\"%s\"", STR_ARG(saving->turn.run_id), err_name(err->code),
        err->text);
    end_saving(saving);
}

static void save_once(struct saving *saving, uint64_t expected_version)
{
    saving->tries++;
    saving->ask.expected_version = expected_version;
    store_save_start(&saving->call, saving->conversations->options.store, &saving->ask,
                     (struct op_waiter){.done = on_saved, .owner = saving});
}

/* Load the last turns of the store before saving. */
static void look(struct saving *saving)
{
    saving->look = (struct store_load){.key = saving->ask.key, .turn_limit = LOOKED_AT};
    store_load_start(&saving->call, saving->conversations->options.store, &saving->look,
                     (struct op_waiter){.done = on_looked, .owner = saving});
}

static void begin(struct saving *saving)
{
    saving->tries = 0;
    if (saving->looks)
        look(saving);
    else
        save_once(saving, history_version(saving->conversations->options.history, &saving->key));
}

/* Try the first late save; the others wait for it. */
static void on_retry(struct timer *timer)
{
    struct conversations *conversations = container_of(timer, struct conversations, retry_timer);
    struct saving *saving = list_item(conversations->late.next, struct saving, late_link);
    saving->looks = true; /* a save that failed may have been done, or the run taken over and its
                             turn saved */
    begin(saving);
}

static void await_retry(struct conversations *conversations)
{
    uint64_t pause_ms =
        conversations->failures == 0 ? 0 : event_writers_pause_ms(conversations->failures);
    if (list_is_empty(&conversations->late) || timer_is_running(&conversations->retry_timer) ||
        op_is_pending(&list_item(conversations->late.next, struct saving, late_link)->call.op))
        return;
    timer_start(&conversations->retry_timer, conversations->options.loop, pause_ms, on_retry);
}

/* Save later, if there is room for it; else the turn is lost. */
static void put_off(struct saving *saving, const struct err *err)
{
    struct conversations *conversations = saving->conversations;
    if (!list_is_linked(&saving->late_link)) {
        if (conversations->is_abandoned ||
            conversations->late_bytes + bytes_of(saving) > MOST_LATE_BYTES) {
            lose(saving, err);
            return;
        }
        if (conversations->late_count == 0)
            LOG(conversations->options.log, WARN, "conversation.save_waits",
                "run=%.*s code=%s text=\"%s\"", STR_ARG(saving->turn.run_id), err_name(err->code),
                err->text);
        list_push(&conversations->late, &saving->late_link);
        conversations->late_count++;
        conversations->late_bytes += bytes_of(saving);
        leave_flight(saving);
        saving->busy->late++;
        tell_settled(saving->busy);
    } else if (conversations->is_abandoned) {
        lose(saving, err);
    }
    await_retry(conversations);
}

/* The turn is stored, or late, or lost. */
static void end_try(struct saving *saving, const struct err *err)
{
    struct conversations *conversations = saving->conversations;
    if (event_writers_may_pass(err->code)) {
        if (conversations->failures == 0 || list_is_linked(&saving->late_link))
            conversations->failures++;
        put_off(saving, err);
        return;
    }
    conversations->failures = 0;
    timer_stop(&conversations->retry_timer); /* late saves need not wait any longer */
    if (err->code == ERR_OK)
        end_saving(saving);
    else
        lose(saving, err);
    await_retry(conversations);
}

/* Whether the turn of this run is among the last turns that the store has. */
static void on_looked(struct op *op)
{
    struct saving *saving = op_owner(op);
    struct err err = op->err;
    bool is_there = false;
    for (size_t i = 0; err.code == ERR_OK && i < saving->call.turn_count; i++)
        is_there = is_there || str_equal(saving->call.turns[i].run_id, saving->turn.run_id);
    saving->version = saving->call.version;
    op_release(op);
    if (err.code == ERR_OK && !is_there) {
        save_once(saving, saving->version);
        return;
    }
    if (is_there)
        history_set_version(saving->conversations->options.history, &saving->key, 0);
    end_try(saving, &err);
}

/* The version that memory has now: 0, old, unless memory had all turns that this one was put
 * behind. */
static void tell_memory(const struct saving *saving)
{
    struct history *history = saving->conversations->options.history;
    bool is_new =
        !saving->is_past && history_version(history, &saving->key) == saving->ask.expected_version;
    history_set_version(history, &saving->key, is_new ? saving->version : 0);
}

static void on_saved(struct op *op)
{
    struct saving *saving = op_owner(op);
    struct err err = op->err;
    saving->version = saving->call.version;
    op_release(op);
    bool is_gone = saving->version == 0 && saving->ask.expected_version > 0; /* the conversation was
                                                                                erased, for good */
    if (err.code != ERR_CONFLICT || is_gone || saving->tries >= SAVE_TRIES) {
        if (err.code == ERR_OK)
            tell_memory(saving);
        end_try(saving, &err);
    } else {
        look(saving);
    }
}

/* Copy the arguments of a save into its arena. */
static void fill(struct saving *saving, const struct identity *key,
                 const struct store_checkpoint *checkpoint, const struct store_turn *turn)
{
    struct arena *arena = &saving->arena;
    saving->key = identity_copy(arena, key);
    saving->turn = *turn;
    saving->turn.run_id = arena_str(arena, turn->run_id);
    saving->turn.question = arena_str(arena, turn->question);
    saving->turn.answer = arena_str(arena, turn->answer);
    saving->turn.details = arena_str(arena, turn->details);
    saving->ask = (struct store_save){.key = saving->key,
                                      .checkpoint = *checkpoint,
                                      .turns = &saving->turn,
                                      .turn_count = 1,
                                      .notes = saving->notes};
    if (!saving->is_past)
        saving->ask.note_count =
            recall_give(saving->conversations->options.history, key, saving->notes);
    for (size_t i = 0; i < saving->ask.note_count; i++)
        saving->notes[i].bytes = arena_str(arena, saving->notes[i].bytes);
    saving->ask.checkpoint.run_id = saving->turn.run_id;
    saving->ask.checkpoint.bytes = arena_str(arena, checkpoint->bytes);
}

/* A saving of the conversation, with nothing in it. NULL: no memory. */
static struct saving *make_saving(struct conversations *conversations, const struct identity *key)
{
    struct saving *saving = mem_zalloc(1, sizeof *saving);
    if (saving == NULL)
        return NULL;
    saving->busy = make_busy(conversations, key);
    if (saving->busy == NULL) {
        mem_free(saving);
        return NULL;
    }
    saving->conversations = conversations;
    saving->number = ++conversations->last_number;
    arena_init(&saving->arena, SAVE_BYTES);
    list_push(&saving->busy->savings, &saving->link);
    saving->busy->in_flight++;
    conversations->saving_count++;
    return saving;
}

static void save(struct conversations *conversations, const struct identity *key,
                 const struct store_checkpoint *checkpoint, const struct store_turn *turn,
                 bool looks, bool is_past)
{
    const struct conversations_options *o = &conversations->options;
    if (o->store == NULL)
        return;
    bool is_behind = has_late(conversations, key);
    struct saving *saving = make_saving(conversations, key);
    if (saving != NULL) {
        saving->looks = looks;
        saving->is_past = is_past;
        fill(saving, key, checkpoint, turn);
        if (arena_ok(&saving->arena)) {
            if (is_behind)
                put_off(saving, &(struct err){ERR_UNAVAILABLE, "what was said before it waits"});
            else
                begin(saving);
            return;
        }
        end_saving(saving);
    }
    LOG(o->log, WARN, "conversation.not_saved", "run=%.*s code=no_memory", STR_ARG(turn->run_id));
}

void conversations_save(struct conversations *conversations, const struct identity *key,
                        const struct store_checkpoint *checkpoint, const struct store_turn *turn,
                        bool may_be_there)
{
    save(conversations, key, checkpoint, turn, may_be_there, false);
}

void conversations_save_past(struct conversations *conversations, const struct identity *key,
                             const struct store_checkpoint *checkpoint,
                             const struct store_turn *turn)
{
    save(conversations, key, checkpoint, turn, true, true);
}

size_t conversations_saving(const struct conversations *conversations)
{
    return conversations->saving_count;
}

bool conversations_is_saving(const struct conversations *conversations, const struct identity *key)
{
    return find_busy(conversations, key) != NULL;
}

void conversations_abandon(struct conversations *conversations)
{
    const struct err stopping = {ERR_CANCELLED, "the server stops before the store can be used"};
    conversations->is_abandoned = true;
    timer_stop(&conversations->retry_timer);
    LIST_EACH_SAFE(link, &conversations->late) {
        struct saving *saving = list_item(link, struct saving, late_link);
        if (!op_is_pending(&saving->call.op))
            lose(saving, &stopping);
    }
}

/* What is late of an erased conversation would bring it back. */
static void drop_late(struct conversations *conversations, const struct identity *key)
{
    LIST_EACH_SAFE(link, &conversations->late) {
        struct saving *saving = list_item(link, struct saving, late_link);
        if (identity_is_of(&saving->key, key) && !op_is_pending(&saving->call.op))
            end_saving(saving);
    }
    if (list_is_empty(&conversations->late))
        timer_stop(&conversations->retry_timer);
}

void conversations_forget(struct conversations *conversations, const struct identity *key)
{
    drop_late(conversations, key);
    if (str_is_empty(key->conversation_id))
        history_forget_user(conversations->options.history, key);
    else
        (void)history_forget(conversations->options.history, key);
}
