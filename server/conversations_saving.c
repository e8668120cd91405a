/* SPDX-License-Identifier: MIT */
/* server/conversations_saving.c - a list of saves in flight.
 *
 * Happy path: a save puts one turn behind the version memory knows; one that may be there already
 * behind the last that the store has, unless it is among the last.
 * Failure paths:
 * - the store cannot be written: the save is late. Late ones are tried again, one at a time and in
 *   order, after a pause that grows; conversations go on in memory meanwhile. One that does not
 *   fit, or is late when the server stops, is logged and lost;
 * - the conversation changed meanwhile: unless the turn is there already (the store's answer was
 *   lost, another instance went on with the run), it goes behind what others wrote; memory is told
 *   that it is old (version 0), so that the next opening brings all. */
#include "agents/memory/recall.h"
#include "core/base/mem.h"
#include "server/conversations_internal.h"
#include "server/run_keepers.h"

enum {
    SAVE_TRIES = 5, /* behind what other instances said */
    SAVE_BYTES = 64 * 1024 * 1024,
    MOST_LATE = 4096,
    MOST_LATE_BYTES = 64 * 1024 * 1024,
    LOOKED_AT = 16, /* of the last turns, for one that is there already */
};

struct saving {
    struct list link, late_link;
    struct conversations *conversations;
    struct arena arena;
    struct history_key key;
    struct store_turn turn;
    struct store_note notes[RECALL_NOTES];
    struct store_save ask;
    struct store_load look;
    struct store_call call;
    uint64_t version; /* of the store, as it was told last */
    unsigned tries;
    bool looks;   /* first whether it is there */
    bool is_past; /* of a run of another server: memory does not know it */
};

bool conversations_saving_has(const struct conversations *conversations, struct str conversation_id,
                              bool is_late)
{
    LIST_EACH(link, &conversations->savings) {
        const struct saving *saving = list_item(link, struct saving, link);
        if (list_is_linked(&saving->late_link) == is_late &&
            str_equal(saving->key.conversation_id, conversation_id))
            return true;
    }
    return false;
}

static op_fn on_saved, on_looked;

static void tell_idle(struct loop_task *task)
{
    struct conversations *conversations = container_of(task, struct conversations, idle_task);
    if (list_is_empty(&conversations->savings))
        conversations->options.on_idle(conversations->options.owner);
}

static void end_saving(struct saving *saving)
{
    struct conversations *conversations = saving->conversations;
    list_remove(&saving->link);
    if (list_is_linked(&saving->late_link)) {
        list_remove(&saving->late_link);
        conversations->late_count--;
        conversations->late_bytes -= saving->arena.used;
    }
    arena_fini(&saving->arena);
    mem_free(saving);
    conversations_tell_settled(conversations);
    if (list_is_empty(&conversations->savings))
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

/* The last turns of the store, first. */
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

/* The first of those that are late; the others wait for it. */
static void on_retry(struct timer *timer)
{
    struct conversations *conversations = container_of(timer, struct conversations, retry_timer);
    struct saving *saving = list_item(conversations->late.next, struct saving, late_link);
    saving->looks = true; /* what failed may have been done, or by who took up its run */
    begin(saving);
}

static void await_retry(struct conversations *conversations)
{
    uint64_t pause_ms =
        conversations->failures == 0 ? 0 : run_keepers_pause_ms(conversations->failures);
    if (list_is_empty(&conversations->late) || timer_is_running(&conversations->retry_timer) ||
        op_is_pending(&list_item(conversations->late.next, struct saving, late_link)->call.op))
        return;
    timer_start(&conversations->retry_timer, conversations->options.loop, pause_ms, on_retry);
}

/* Later, if there is room for it; else it is lost. */
static void put_off(struct saving *saving, const struct err *err)
{
    struct conversations *conversations = saving->conversations;
    if (!list_is_linked(&saving->late_link)) {
        if (conversations->is_abandoned || conversations->late_count == MOST_LATE ||
            conversations->late_bytes + saving->arena.used > MOST_LATE_BYTES) {
            lose(saving, err);
            return;
        }
        if (conversations->late_count == 0)
            LOG(conversations->options.log, WARN, "conversation.save_waits",
                "run=%.*s code=%s text=\"%s\"", STR_ARG(saving->turn.run_id), err_name(err->code),
                err->text);
        list_push(&conversations->late, &saving->late_link);
        conversations->late_count++;
        conversations->late_bytes += saving->arena.used;
        conversations_tell_settled(conversations);
    } else if (conversations->is_abandoned) {
        lose(saving, err);
    }
    await_retry(conversations);
}

/* It is there, or late, or lost. */
static void end_try(struct saving *saving, const struct err *err)
{
    struct conversations *conversations = saving->conversations;
    if (run_keepers_may_pass(err->code)) {
        if (conversations->failures == 0 || list_is_linked(&saving->late_link))
            conversations->failures++;
        put_off(saving, err);
        return;
    }
    conversations->failures = 0;
    timer_stop(&conversations->retry_timer); /* it need not wait any longer */
    if (err->code == ERR_OK)
        end_saving(saving);
    else
        lose(saving, err);
    await_retry(conversations);
}

/* The last turns the store has: is this run's among them? */
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

/* What its version is now: old, unless it knew all that this was put behind. */
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
    bool is_gone = saving->version == 0 && saving->ask.expected_version > 0; /* erased: for good */
    if (err.code != ERR_CONFLICT || is_gone || saving->tries >= SAVE_TRIES) {
        if (err.code == ERR_OK)
            tell_memory(saving);
        end_try(saving, &err);
    } else {
        look(saving);
    }
}

/* Copies of all there is, in the saving's arena. */
static void fill(struct saving *saving, const struct history_key *key,
                 const struct store_checkpoint *checkpoint, const struct store_turn *turn)
{
    struct arena *arena = &saving->arena;
    saving->key =
        (struct history_key){arena_str(arena, key->conversation_id),
                             arena_str(arena, key->company_id), arena_str(arena, key->user_id)};
    saving->turn = *turn;
    saving->turn.run_id = arena_str(arena, turn->run_id);
    saving->turn.question = arena_str(arena, turn->question);
    saving->turn.answer = arena_str(arena, turn->answer);
    saving->turn.details = arena_str(arena, turn->details);
    const struct history_key *own = &saving->key;
    saving->ask = (struct store_save){.key = {own->conversation_id, own->company_id, own->user_id},
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

static void save(struct conversations *conversations, const struct history_key *key,
                 const struct store_checkpoint *checkpoint, const struct store_turn *turn,
                 bool looks, bool is_past)
{
    const struct conversations_options *o = &conversations->options;
    if (o->store == NULL)
        return;
    struct saving *saving = mem_zalloc(1, sizeof *saving);
    if (saving != NULL) {
        saving->conversations = conversations;
        saving->looks = looks;
        saving->is_past = is_past;
        arena_init(&saving->arena, SAVE_BYTES);
        fill(saving, key, checkpoint, turn);
        bool is_behind = conversations_saving_has(conversations, key->conversation_id, true);
        list_push(&conversations->savings, &saving->link);
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

void conversations_save(struct conversations *conversations, const struct history_key *key,
                        const struct store_checkpoint *checkpoint, const struct store_turn *turn,
                        bool may_be_there)
{
    save(conversations, key, checkpoint, turn, may_be_there, false);
}

void conversations_save_past(struct conversations *conversations, const struct history_key *key,
                             const struct store_checkpoint *checkpoint,
                             const struct store_turn *turn)
{
    save(conversations, key, checkpoint, turn, true, true);
}

size_t conversations_saving(const struct conversations *conversations)
{
    size_t count = 0;
    LIST_EACH(link, &conversations->savings)
        count++;
    return count;
}

bool conversations_is_saving(const struct conversations *conversations, struct str conversation_id)
{
    return conversations_saving_has(conversations, conversation_id, false) ||
           conversations_saving_has(conversations, conversation_id, true);
}

bool conversations_is_saving_for(const struct conversations *conversations,
                                 const struct history_key *key)
{
    LIST_EACH(link, &conversations->savings) {
        const struct saving *saving = list_item(link, struct saving, link);
        if (str_equal(saving->key.conversation_id, key->conversation_id) &&
            str_equal(saving->key.company_id, key->company_id) &&
            str_equal(saving->key.user_id, key->user_id))
            return true;
    }
    return false;
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
