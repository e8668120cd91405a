/* SPDX-License-Identifier: MIT */
/* server/streams/replay_stream.c - one read in flight; what it brings is written, then the next.
 *
 * Happy path: the first answer decides the status; batches are decoded and written; at their end
 * the store is asked again after a while, until the terminal event. A client that has more of a run
 * than is stored (yet) gets no head until what it has is stored, CATCH_UP_MS at most: it may have
 * the end.
 * Failure paths:
 * - no such run: 410, or 503 while another server may not have stored its record; another caller's:
 *   404; an id that was never said: 400;
 * - the run ended without its last events (its instance died, the store failed): what there is,
 *   then an error event "server_shutdown", since nothing more will come; a client that has more
 * than the store waits for what comes behind it;
 * - the store fails before the head: its status; after it, or a batch that is damaged: an error
 *   event "lagged" (it may rejoin), the end;
 * - the connection is full: reading goes on when it drained; the client left: freed. */
#include "server/streams/replay_stream.h"

#include "core/base/mem.h"
#include "core/store/event_bytes.h"
#include "core/loop/timer.h"
#include "proto/sse_write.h"
#include "server/http/exchange_wait.h"
#include "server/runs/shard.h"

enum {
    READ_BYTES = 256 * 1024,
    POLL_MS = 50,
    CATCH_UP_MS = 1000,
    NAMES_BYTES = 4096,
};

struct replay {
    struct exchange_wait wait;
    struct shard *shard;
    struct store *store;
    struct arena arena;
    struct store_read ask;
    struct store_find whose;
    struct store_call call;
    struct timer poll;
    struct encoder *encoder;
    uint64_t sent_id, last_write_ms; /* sent_id: the client's, at first */
    uint64_t began_ms;
    uint64_t passed_id;   /* the encoder's last one */
    uint64_t event_count; /* written since the last flush */
    bool streams, full, wants_more;
};

static void destroy(struct replay *replay)
{
    timer_stop(&replay->poll);
    op_release(&replay->call.op);
    arena_fini(&replay->arena);
    mem_free(replay);
}

/* The exchange, which is answered by somebody else now; the replay is over. */
static struct exchange *leave(struct replay *replay)
{
    struct exchange *exchange = exchange_wait_take(&replay->wait);
    destroy(replay);
    return exchange;
}

static void end_stream(struct replay *replay)
{
    exchange_stream_end(leave(replay));
}

/* ---- writing ---- */

static struct channel *channel_of(const struct replay *replay)
{
    return replay->wait.exchange->channel;
}

/* Encode event; what that wrote is dropped when the client has had the event already. */
static void write_event(struct replay *replay, const struct event *event)
{
    struct buf *out = channel_of(replay)->out;
    size_t mark = buf_len(out);
    if (event->id <= replay->passed_id)
        return;
    replay->encoder->kind->event(replay->encoder, exchange_tell(replay->wait.exchange, event), out);
    replay->passed_id = event->id;
    if (event->id <= replay->sent_id) {
        buf_truncate(out, mark);
        return;
    }
    exchange_note(replay->wait.exchange, event);
    replay->sent_id = event->id;
    replay->event_count++;
}

static void write_end(struct replay *replay)
{
    const struct encoder_kind *kind = replay->encoder->kind;
    if (kind->finish != NULL)
        kind->finish(replay->encoder, channel_of(replay)->out);
}

static void write_error(struct replay *replay, const char *code, const char *why)
{
    size_t frames = exchange_frames_begin(replay->wait.exchange);
    replay->encoder->kind->error(replay->encoder, code,
                                 exchange_tell_error(replay->wait.exchange, code, why),
                                 channel_of(replay)->out);
    write_end(replay);
    exchange_frames_end(replay->wait.exchange, frames);
}

enum written { WRITTEN_ALL, WRITTEN_OVER, WRITTEN_BROKEN };

static enum written write_batch(struct replay *replay, const struct store_batch *batch)
{
    struct str events;
    struct err err;
    struct event event = {0};
    if (event_bytes_open(batch->bytes, &events, &err) != ERR_OK)
        return WRITTEN_BROKEN;
    for (uint64_t i = 0; i < batch->count; i++) {
        if (!event_bytes_take(&events, batch->first_id + i, &event))
            return WRITTEN_BROKEN;
        write_event(replay, &event);
        if (event_is_terminal(event.kind))
            return WRITTEN_OVER;
    }
    return WRITTEN_ALL;
}

static void heartbeat(struct replay *replay)
{
    uint64_t now_ms = loop_now_ms(replay->shard->loop);
    if (now_ms - replay->last_write_ms < replay->shard->group->config->heartbeat_ms)
        return;
    size_t mark = exchange_frames_begin(replay->wait.exchange);
    replay->encoder->kind->heartbeat(channel_of(replay)->out);
    exchange_frames_end(replay->wait.exchange, mark);
    channel_flush(channel_of(replay));
    replay->last_write_ms = now_ms;
}

/* ---- reading ---- */

static void on_read(struct op *op);

static void read_more(struct replay *replay)
{
    if (replay->full) {
        replay->wants_more = true;
        return;
    }
    bool begins = replay->passed_id == 0 && replay->sent_id > 0;
    replay->ask.after_id = begins && !replay->encoder->kind->needs_all
                               ? replay->sent_id - 1 /* what it was decides what follows it */
                               : replay->passed_id;
    replay->ask.limit_bytes = READ_BYTES;
    store_read_start(&replay->call, replay->store, &replay->ask,
                     (struct op_waiter){.done = on_read, .owner = replay});
}

static void on_poll(struct timer *timer)
{
    read_more(container_of(timer, struct replay, poll));
}

static void on_drained(struct exchange_wait *wait)
{
    struct replay *replay = container_of(wait, struct replay, wait);
    bool goes_on = replay->wants_more;
    replay->full = replay->wants_more = false;
    if (goes_on)
        read_more(replay);
}

static void on_gone(struct exchange_wait *wait)
{
    struct replay *replay = container_of(wait, struct replay, wait);
    if (op_is_pending(&replay->call.op))
        op_cancel(&replay->call.op);
    else
        destroy(replay);
}

static void open_stream(struct replay *replay)
{
    struct exchange *exchange = replay->wait.exchange;
    struct buf *out = channel_of(replay)->out;
    replay->streams = true;
    replay->wait.on_drained = on_drained;
    exchange_about(exchange, replay->ask.run_id, replay->ask.key.conversation_id);
    exchange_stream(exchange, replay->ask.run_id);
    size_t mark = exchange_frames_begin(exchange);
    sse_write_ok(out);
    size_t begun = buf_len(out);
    replay->encoder->kind->begin(replay->encoder, replay->ask.run_id, out);
    if (replay->sent_id > 0)
        buf_truncate(out, begun);
    exchange_frames_end(exchange, mark);
    replay->last_write_ms = loop_now_ms(replay->shard->loop);
}

static bool has_ended(const struct store_run *run)
{
    return run->status > STORE_PAUSED;
}

/* Whether the client may know more ids than there are: the run's first server may have sent events
 * that it had not stored when it died, whether another has taken the run over by now or will. */
static bool may_know_more(const struct replay *replay, const struct store_run *run)
{
    return (run->epoch > 1 || !has_ended(run)) && replay->sent_id > run->last_event_id;
}

/* Whether nothing will come behind what the client has or the store kept. */
static bool is_cut(const struct replay *replay, const struct store_run *run)
{
    return has_ended(run) && replay->sent_id >= run->last_event_id;
}

/* Find the last event that is stored; false: the answer does not hold it. */
static bool find_last(const struct replay *replay, struct event *found)
{
    const struct store_call *call = &replay->call;
    struct event event = {.kind = EVENT_COMPLETE};
    struct str events;
    struct err err;
    if (call->batch_count == 0)
        return false;
    const struct store_batch *last = &call->batches[call->batch_count - 1];
    if (event_bytes_open(last->bytes, &events, &err) != ERR_OK)
        return false;
    for (uint64_t i = 0; i < last->count; i++)
        if (!event_bytes_take(&events, last->first_id + i, &event))
            return false;
    *found = event;
    return event.id == call->last_id;
}

/* Whether the last event that is stored is no end. */
static bool lacks_end(const struct replay *replay)
{
    struct event last;
    return find_last(replay, &last) && !event_is_terminal(last.kind);
}

/* Whether the client has the run's end, which may be stored before the record says so. */
static bool has_all(const struct replay *replay)
{
    struct event last;
    return find_last(replay, &last) && event_is_terminal(last.kind) && replay->sent_id >= last.id;
}

/* Whether what the client has may still be on its way into the store. */
static bool may_catch_up(const struct replay *replay, const struct store_run *run)
{
    return !has_ended(run) && replay->sent_id > run->last_event_id &&
           loop_now_ms(replay->shard->loop) - replay->began_ms < CATCH_UP_MS;
}

static void on_whose(struct op *op)
{
    struct replay *replay = op_owner(op);
    struct problem problem;
    bool is_anothers = op->err.code == ERR_OK;
    if (replay->wait.exchange == NULL) {
        destroy(replay);
        return;
    }
    if (is_anothers &&
        identity_is_of(&replay->call.runs->key, &replay->ask.key)) { /* its record came meanwhile */
        op_release(op);
        read_more(replay);
        return;
    }
    if (is_anothers)
        problem_set(&problem, 404, "not_found", "there is no such run");
    else
        shard_miss_run(replay->shard, &problem);
    exchange_problem(leave(replay), &problem);
}

/* The caller has no such run: ask whether somebody else has. */
static void ask_whose(struct replay *replay)
{
    op_release(&replay->call.op);
    replay->whose = (struct store_find){.run_id = replay->ask.run_id};
    store_find_start(&replay->call, replay->store, &replay->whose,
                     (struct op_waiter){.done = on_whose, .owner = replay});
}

/* Whether the first answer lets the stream begin; else it is answered, or soon will be. */
static bool may_begin(struct replay *replay, const struct err *err)
{
    const struct store_call *call = &replay->call;
    struct problem problem;
    if (err->code == ERR_NOT_FOUND) {
        ask_whose(replay);
        return false;
    }
    if (err->code != ERR_OK) {
        exchange_fail_stored(leave(replay), err);
        return false;
    }
    if (!identity_is_of(&call->runs->key, &replay->ask.key)) { /* the store takes "" for anybody */
        problem_set(&problem, 404, "not_found", "there is no such run");
        exchange_problem(leave(replay), &problem);
        return false;
    }
    if (may_catch_up(replay, call->runs)) {
        op_release(&replay->call.op);
        timer_start(&replay->poll, replay->shard->loop, POLL_MS, on_poll);
        return false;
    }
    if (may_know_more(replay, call->runs))
        return true;
    if (replay->sent_id > call->last_id) {
        problem_set(&problem, 400, "invalid_request", "Last-Event-ID: event %llu was never sent",
                    (unsigned long long)replay->sent_id);
        exchange_problem(leave(replay), &problem);
        return false;
    }
    if (has_all(replay) || (is_cut(replay, call->runs) && !lacks_end(replay))) {
        exchange_reply(leave(replay), 204, "", STR(""));
        return false;
    }
    return true;
}

/* Write what came. True: go on. */
static bool write_all(struct replay *replay)
{
    enum written written = WRITTEN_ALL;
    size_t mark = exchange_frames_begin(replay->wait.exchange);
    for (size_t i = 0; i < replay->call.batch_count && written == WRITTEN_ALL; i++)
        written = write_batch(replay, &replay->call.batches[i]);
    if (replay->event_count > 0) {
        replay->last_write_ms = loop_now_ms(replay->shard->loop);
        exchange_count_events(replay->wait.exchange, replay->event_count);
        replay->event_count = 0;
    }
    if (written == WRITTEN_OVER)
        write_end(replay);
    exchange_frames_end(replay->wait.exchange, mark);
    if (written == WRITTEN_BROKEN)
        write_error(replay, "lagged", "the stored events are damaged");
    if (written != WRITTEN_ALL) {
        end_stream(replay);
        return false;
    }
    channel_flush(channel_of(replay));
    return true;
}

static void on_read(struct op *op)
{
    struct replay *replay = op_owner(op);
    struct err err = op->err;
    if (replay->wait.exchange == NULL) {
        destroy(replay);
        return;
    }
    if (!replay->streams && !may_begin(replay, &err))
        return;
    if (!replay->streams)
        open_stream(replay);
    if (err.code != ERR_OK) {
        write_error(replay, "lagged", "the store of events cannot be read now");
        end_stream(replay);
        return;
    }
    uint64_t last_id = replay->call.last_id;
    if (!write_all(replay))
        return;
    if (is_cut(replay, replay->call.runs)) {
        write_error(replay, "server_shutdown",
                    "the rest of what this run said was lost with the server that said it");
        end_stream(replay);
        return;
    }
    op_release(op);
    replay->full = channel_is_high(channel_of(replay));
    heartbeat(replay);
    if (replay->sent_id < last_id)
        read_more(replay);
    else
        timer_start(&replay->poll, replay->shard->loop, POLL_MS, on_poll);
}

void replay_stream_start(struct exchange *exchange, struct store *store, const struct identity *key,
                         struct str run_id, uint64_t after_id)
{
    struct encoder *encoder = encoder_of(exchange);
    struct replay *replay = encoder == NULL ? NULL : mem_zalloc(1, sizeof *replay);
    struct err err;
    if (replay == NULL) {
        err_set(&err, ERR_NO_MEMORY, "no memory for another stream");
        exchange_fail(exchange, &err);
        return;
    }
    arena_init(&replay->arena, NAMES_BYTES);
    replay->shard = exchange->shard;
    replay->store = store;
    replay->encoder = encoder;
    replay->sent_id = after_id;
    replay->began_ms = loop_now_ms(exchange->shard->loop);
    replay->ask.key = identity_copy(&replay->arena, key);
    replay->ask.run_id = arena_str(&replay->arena, run_id);
    exchange_wait_begin(&replay->wait, exchange, on_gone);
    read_more(replay);
}
