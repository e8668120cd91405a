/* SPDX-License-Identifier: MIT */
/* server/runs/runs_claim.c - puts the record of a run, alone in its conversation, before the run
 * begins.
 *
 * Happy path: the conversation is loaded, unless the request has done so, while the store puts the
 * record and says which version the conversation has; turns that another server saved meanwhile are
 * brought into memory; the run may begin.
 * Failure paths:
 * - another run, the rival, has the conversation: after PATIENCE_MS, in which the rival may be
 *   about to end, the request is refused; or, as its multitask option says, it waits, or has the
 *   rival cancelled and its turn forgotten. A run that waits for a person, or that ended here, is
 *   no rival;
 * - the idempotency key began a run on another server: the watches are told which, and this run
 *   goes;
 * - the request is to go on with a paused run that is not paused any more: refused;
 * - the store cannot be used, or there is no memory for the record: the run begins all the same,
 *   once its conversation is loaded or cannot be, except one that might then go on twice: with a
 *   paused run, or one that needs its record;
 * - no memory to load the conversation: the run is cancelled. */
#include "core/base/mem.h"
#include "server/conversations/conversations.h"
#include "server/records/event_writers.h"
#include "server/config/run_limits.h"
#include "server/records/run_input.h"
#include "server/runs/runs_internal.h"

enum { PATIENCE_MS = 1000, ASK_MS = 50, NAMES_BYTES = 4096 };

/* A conversation that is being brought up to date; when the entry goes, it is finished alone. */
struct runs_claim_reload {
    struct runs_entry *entry; /* NULL: the entry is gone */
    bool is_beside;           /* the claim, which may not be there yet */
    struct conversations_opening opening;
    struct arena arena;
};

/* A request to a rival to stop; when the entry goes, it is finished alone. */
struct stopping {
    struct arena arena;
    struct store_stop ask;
    struct store_call call;
};

/* The only writer of claim. */
static void set_claim(struct runs_entry *entry, enum runs_claim next)
{
    CHECK(entry->claim < next && entry->claim != RUNS_CLAIMED);
    entry->claim = next;
}

/* ---- telling ---- */

static void tell(struct runs_entry *entry, const struct err *err, const struct store_run *rival)
{
    LIST_EACH_SAFE(link, &entry->watches) {
        struct runs_watch *watch = list_item(link, struct runs_watch, link);
        runs_claim_fn *on_claimed = watch->on_claimed;
        watch->on_claimed = NULL;
        if (on_claimed == NULL)
            continue;
        if (err->code != ERR_OK) { /* the entry goes */
            list_remove(&watch->link);
            watch->entry = NULL;
        }
        on_claimed(watch, err, rival);
    }
}

void runs_claim_settle(struct runs_entry *entry)
{
    const struct err fine = {.code = ERR_OK};
    if (entry->claim < RUNS_CLAIMED)
        set_claim(entry, RUNS_CLAIMED);
    tell(entry, &fine, NULL);
}

/* Refuse the run: it does not begin. Readers of its stream get an error there. */
static void refuse(struct runs_entry *entry, const struct err *err, const struct store_run *rival)
{
    struct runs *runs = entry->runs;
    struct err why = *err; /* the error and the rival may be freed with the event writer */
    tell(entry, &why, rival);
    event_writer_leave(entry->event_writer);
    entry->event_writer = NULL;
    set_claim(entry, RUNS_REFUSED);
    if (list_is_empty(&entry->watches))
        runs_destroy_entry(entry);
    else
        runs_cancel(entry, "conflict", why.text);
    runs_start_waiting(runs);
    runs->options.on_idle(runs->options.owner);
}

/* ---- after the record is there ---- */

static void hold_claim(struct runs_entry *entry)
{
    runs_claim_settle(entry);
    runs_make_ready(entry);
    runs_start_waiting(entry->runs);
}

static void go_on(struct runs_entry *entry);

static void on_reloaded(struct op *op)
{
    struct runs_claim_reload *reload = op_owner(op);
    struct runs_entry *entry = reload->entry;
    bool is_beside = reload->is_beside;
    op_release(op);
    arena_fini(&reload->arena);
    mem_free(reload);
    if (entry == NULL)
        return;
    entry->reload = NULL;
    if (entry->state != RUNS_WAITING || !entry->is_recorded)
        return;
    if (is_beside)
        go_on(entry);
    else
        hold_claim(entry);
}

/* Start to load the conversation. False: there is none to load; or no memory, and the run, which
 * may not go on without what was said before, is cancelled. */
static bool load_conversation(struct runs_entry *entry, bool is_beside)
{
    const struct session *s = &entry->session;
    struct conversations *conversations = entry->runs->options.conversations;
    if (conversations == NULL || s->caller.conversation_id.len == 0 ||
        conversations_store(conversations) == NULL)
        return false;
    struct runs_claim_reload *reload = mem_zalloc(1, sizeof *reload);
    if (reload == NULL) {
        runs_cancel(entry, "internal", "no memory for the run's conversation");
        return false;
    }
    arena_init(&reload->arena, NAMES_BYTES);
    const struct identity key = identity_copy(&reload->arena, &s->caller);
    reload->entry = entry;
    reload->is_beside = is_beside;
    entry->reload = reload;
    conversations_open_start(&reload->opening, conversations, &key,
                             (struct op_waiter){.done = on_reloaded, .owner = reload});
    return true;
}

/* Whether records and conversations are in one store, which alone can tell of both together. */
static bool is_one_store(const struct runs_options *o)
{
    return o->event_writers != NULL && o->conversations != NULL &&
           conversations_store(o->conversations) == event_writers_store(o->event_writers);
}

bool runs_may_load(const struct runs *runs, const struct runs_request *request)
{
    const struct runs_options *o = &runs->options;
    return request->caller.conversation_id.len > 0 && request->revival == NULL && is_one_store(o) &&
           !event_writers_is_lost(o->event_writers) &&
           conversations_is_settled(o->conversations, &request->caller);
}

/* Whether memory has the conversation as it was when the record was put: it was loaded just before,
 * nobody was waited for, and nobody has saved anything since. Of a run without a record nothing is
 * known but that. */
static bool is_up_to_date(const struct runs_entry *entry)
{
    const struct runs_options *o = &entry->runs->options;
    struct history *history = o->services->history;
    uint64_t version;
    if (entry->event_writer == NULL)
        return entry->is_fresh;
    return entry->is_fresh && str_is_empty(entry->paused_id) && history != NULL &&
           is_one_store(o) && event_writer_knows_version(entry->event_writer, &version) &&
           version == history_version(history, runs_caller(entry));
}

/* The record is there, or there is none to wait for: the run may begin once memory has the
 * conversation. */
static void go_on(struct runs_entry *entry)
{
    entry->is_recorded = true;
    if (entry->reload != NULL)
        return;
    if (is_up_to_date(entry) || !load_conversation(entry, false))
        hold_claim(entry);
}

/* ---- rivals ---- */

static void on_stopped(struct op *op)
{
    struct stopping *stopping = op_owner(op);
    op_release(op); /* the rival is asked again while it is one */
    arena_fini(&stopping->arena);
    mem_free(stopping);
}

static void stop_rival(struct runs_entry *entry, const struct store_run *rival)
{
    struct stopping *stopping;
    bool forget = entry->multitask == RUNS_ROLLBACK;
    if (rival->cancel_asked && (rival->forget_asked || !forget))
        return;
    stopping = mem_zalloc(1, sizeof *stopping);
    if (stopping == NULL)
        return;
    arena_init(&stopping->arena, NAMES_BYTES);
    stopping->ask =
        (struct store_stop){.run_id = arena_str(&stopping->arena, rival->run_id), .forget = forget};
    store_stop_start(&stopping->call, event_writers_store(entry->runs->options.event_writers),
                     &stopping->ask, (struct op_waiter){.done = on_stopped, .owner = stopping});
}

/* Whether the conversation of the rival is free all the same: the rival waits for a person, or
 * ended here, which the store does not know yet. */
static bool is_idle(const struct runs_entry *entry, const struct store_run *rival)
{
    struct runs_entry *local = runs_find(entry->runs, rival->run_id);
    return rival->status == STORE_PAUSED ||
           (event_writers_is_ours(entry->runs->options.event_writers, rival->instance) &&
            (local == NULL ? rival->epoch == 1 : local->has_left)); /* else the rival is being taken
                                                                       over */
}

static void meet_key(struct runs_entry *entry, const struct store_run *rival)
{
    const struct runs *runs = entry->runs;
    struct err err;
    bool is_old = rival->began_ms + RUN_LIMITS_KEY_MS < loop_wall_ms(runs->options.loop);
    if (is_old && !entry->needs_record) {
        event_writer_retry(entry->event_writer, 0, EVENT_WRITER_WITHOUT_KEY);
        return;
    }
    err_set(&err, ERR_CONFLICT, "this request began run %.*s on another server",
            STR_ARG(rival->run_id));
    refuse(entry, &err, rival);
}

static void meet_rival(struct runs_entry *entry, const struct store_run *rival)
{
    uint64_t now_ms = loop_now_ms(entry->runs->options.loop);
    struct err err;
    if (str_equal(rival->run_id, entry->paused_id)) {
        err_set(&err, ERR_CONFLICT, RUNS_NOT_PAUSED);
        refuse(entry, &err, NULL);
    } else if (is_idle(entry, rival)) {
        event_writer_retry(entry->event_writer, 0, EVENT_WRITER_BESIDE);
        entry->is_fresh = false; /* it has waited */
    } else if (entry->multitask == RUNS_REJECT && now_ms > entry->claim_ms + PATIENCE_MS) {
        err_set(&err, ERR_CONFLICT, RUNS_BUSY);
        refuse(entry, &err, NULL);
    } else {
        if (entry->multitask == RUNS_INTERRUPT || entry->multitask == RUNS_ROLLBACK)
            stop_rival(entry, rival);
        event_writer_retry(entry->event_writer, ASK_MS, EVENT_WRITER_AS_BEFORE);
        entry->is_fresh = false;
    }
}

/* The store cannot say whether the paused run still waits, or the paused run is gone. */
static void refuse_resuming(struct runs_entry *entry, enum err_code code)
{
    struct err err;
    if (code == ERR_NOT_FOUND)
        err_set(&err, code, "there is no such run");
    else
        err_set(&err, ERR_UNAVAILABLE, "the store of runs cannot be used now; try again");
    refuse(entry, &err, NULL);
}

/* Whether it may not begin without the store's word. */
static bool must_be_stored(const struct runs_entry *entry)
{
    return entry->needs_record || !str_is_empty(entry->paused_id);
}

static void on_begun(void *run_owner, enum err_code code, const struct store_run *rival)
{
    struct runs_entry *entry = run_owner;
    if (entry->state != RUNS_WAITING) { /* cancelled meanwhile */
        if (code == ERR_CONFLICT) {
            event_writer_leave(entry->event_writer);
            entry->event_writer = NULL;
        }
    } else if (code != ERR_OK && code != ERR_CONFLICT && must_be_stored(entry)) {
        refuse_resuming(entry, code);
    } else if (code != ERR_CONFLICT) {
        go_on(entry);
    } else if (!str_is_empty(entry->idempotency_key) &&
               identity_is_same_user(runs_caller(entry), &rival->key) &&
               str_equal(rival->idempotency_key, entry->idempotency_key)) {
        meet_key(entry, rival);
    } else {
        meet_rival(entry, rival);
    }
}

/* Whether the record is put before the run begins. */
static bool is_put_first(const struct runs_entry *entry)
{
    const struct event_writers *event_writers = entry->runs->options.event_writers;
    return must_be_stored(entry) || (!event_writers_is_lost(event_writers) &&
                                     (entry->session.caller.conversation_id.len > 0 ||
                                      !str_is_empty(entry->idempotency_key)));
}

bool runs_claim_is_needed(const struct runs_entry *entry)
{
    return entry->claim == RUNS_UNCLAIMED && entry->epoch == 0 &&
           entry->runs->options.event_writers != NULL && (entry->loads || is_put_first(entry));
}

static void put_record(struct runs_entry *entry)
{
    const struct session *s = &entry->session;
    const struct event_writer_options options = {
        .key = s->caller,
        .input = run_input_write(s, run_arena(entry->run)),
        .idempotency_key = entry->idempotency_key,
        .alone = s->caller.conversation_id.len > 0,
        .paused_id = entry->paused_id,
        .checkpoint = entry->first,
        .on_begun = on_begun,
    };
    entry->event_writer =
        event_writer_begin(entry->runs->options.event_writers, entry->run, &options);
    if (entry->event_writer == NULL && must_be_stored(entry))
        runs_cancel(entry, "internal", "no memory for the run's record");
}

/* Ask the store. A run that gets no record, for lack of memory or of a store, begins once its
 * conversation is loaded; at once when that is not needed. */
static void begin_claim(struct runs_entry *entry)
{
    set_claim(entry, RUNS_CLAIMING);
    entry->claim_ms = loop_now_ms(entry->runs->options.loop);
    entry->is_fresh = entry->loads ? load_conversation(entry, true) /* in one transaction */
                                   : entry->claim_ms == entry->made_ms;
    if (entry->state == RUNS_WAITING && is_put_first(entry))
        put_record(entry);
    if (entry->state != RUNS_WAITING || entry->event_writer != NULL)
        return;
    entry->is_recorded = true; /* as far as it ever will be */
    if (entry->reload == NULL)
        set_claim(entry, RUNS_CLAIMED);
}

bool runs_claim_is_held(struct runs_entry *entry)
{
    if (runs_claim_is_needed(entry))
        begin_claim(entry);
    else if (entry->claim == RUNS_UNCLAIMED)
        set_claim(entry, RUNS_CLAIMED);
    return entry->claim == RUNS_CLAIMED;
}

void runs_claim_drop(struct runs_entry *entry)
{
    if (entry->reload != NULL)
        entry->reload->entry = NULL;
    entry->reload = NULL;
}
