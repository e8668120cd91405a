/* SPDX-License-Identifier: MIT */
/* server/streams/sse_stream.c - once per turn: everything new, in one chunk, in one write.
 *
 * Happy path: the log says that it grew; the encoder writes events straight into the
 * connection's output until it is full or nothing is newer; one flush; after the terminal event,
 * the end. Failure paths:
 * - the connection is full: the run is told, reading goes on when it drained;
 * - the log passed the cursor, or another server goes on with the run: the encoder's error
 *   "lagged", which has no id, the end;
 * - the client left: detached, freed. */
#include "server/streams/sse_stream.h"

#include <string.h>

#include "core/base/mem.h"
#include "core/loop/timer.h"
#include "proto/sse_write.h"
#include "server/http/exchange_wait.h"
#include "server/runs/shard.h"

enum { MAX_ROUNDS = 8 };

#define TOO_SLOW "this reader was too slow and the events it missed are gone"

struct sse_stream {
    struct exchange_wait wait;
    struct runs_entry *entry;
    struct event_log *log; /* of the entry's run, and the exchange's channel: once per token, of */
    struct channel *channel; /* a thousand streams, each step on the way to them is a cache miss */
    struct encoder *encoder;
    struct runs_watch watch;
    struct event_reader reader;
    struct timer heartbeat;
    struct loop_task again; /* more than one turn should carry */
    uint64_t read_id;
    uint64_t last_write_ms;
};

static void free_stream(struct sse_stream *stream)
{
    timer_stop(&stream->heartbeat);
    loop_unpost(&stream->again);
    event_log_detach(stream->log, &stream->reader);
    runs_detach(&stream->watch);
    mem_free(stream);
}

static void end_stream(struct sse_stream *stream)
{
    struct exchange *exchange = exchange_wait_take(&stream->wait);
    free_stream(stream);
    exchange_stream_end(exchange);
}

static void on_gone(struct exchange_wait *wait)
{
    free_stream(container_of(wait, struct sse_stream, wait));
}

enum pumped { PUMPED_ALL, PUMPED_FULL, PUMPED_OVER };

/* One chunk of what is new. */
static enum pumped pump(struct sse_stream *stream)
{
    struct exchange *exchange = stream->wait.exchange;
    struct buf *out = stream->channel->out;
    struct encoder *encoder = stream->encoder;
    struct event event;
    enum pumped result = PUMPED_ALL;
    uint64_t event_count = 0;
    bool is_lost = runs_is_lost(stream->entry);
    enum err_code code = stream->reader.lagged || is_lost ? ERR_GONE : ERR_OK;
    size_t mark = exchange_frames_begin(exchange);
    while (result == PUMPED_ALL && code == ERR_OK &&
           stream->read_id < event_log_shown_id(stream->log) &&
           (code = event_log_after(stream->log, stream->read_id, &event)) == ERR_OK) {
        encoder->kind->event(encoder, exchange_tell(exchange, &event), out);
        exchange_note(exchange, &event);
        stream->read_id = event.id;
        event_count++;
        if (event_is_terminal(event.kind))
            result = PUMPED_OVER;
        else if (channel_is_high(stream->channel))
            result = PUMPED_FULL;
    }
    if (code == ERR_GONE) {
        encoder->kind->error(
            encoder, "lagged",
            exchange_tell_error(exchange, "lagged", is_lost ? RUNS_LOST_TEXT : TOO_SLOW), out);
        result = PUMPED_OVER;
    } else {
        event_log_advance(stream->log, &stream->reader, stream->read_id);
    }
    if (result == PUMPED_OVER && encoder->kind->finish != NULL)
        encoder->kind->finish(encoder, out);
    exchange_frames_end(exchange, mark);
    if (event_count > 0)
        exchange_count_events(exchange, event_count);
    stream->last_write_ms = loop_now_ms(exchange->shard->loop);
    return result;
}

static void read_on(struct sse_stream *stream);

static void read_again(struct loop_task *task)
{
    read_on(container_of(task, struct sse_stream, again));
}

/* Read until nothing is new, the connection is full, or the turn has had enough. */
static void read_on(struct sse_stream *stream)
{
    struct exchange *exchange = stream->wait.exchange;
    for (unsigned round = 0; round < MAX_ROUNDS; round++) {
        enum pumped pumped = pump(stream);
        if (pumped == PUMPED_OVER) {
            end_stream(stream);
            return;
        }
        channel_flush(stream->channel);
        if (pumped == PUMPED_ALL)
            return;
        if (channel_is_high(stream->channel)) {
            shard_count(exchange->shard, METER_PAUSES, 1);
            runs_set_full(&stream->watch, true);
            return;
        }
    }
    loop_post(exchange->shard->loop, &stream->again, read_again);
}

static void on_grown(struct event_reader *reader)
{
    struct sse_stream *stream = reader->owner;
    if (!stream->watch.full)
        read_on(stream);
}

static void on_drained(struct exchange_wait *wait)
{
    struct sse_stream *stream = container_of(wait, struct sse_stream, wait);
    runs_set_full(&stream->watch, false);
    read_on(stream);
}

static void on_heartbeat(struct timer *timer)
{
    struct sse_stream *stream = container_of(timer, struct sse_stream, heartbeat);
    struct exchange *exchange = stream->wait.exchange;
    uint64_t silence_ms = loop_now_ms(exchange->shard->loop) - stream->last_write_ms;
    uint64_t every_ms = exchange->shard->group->config->heartbeat_ms;
    if (silence_ms >= every_ms && !stream->watch.full) {
        size_t mark = exchange_frames_begin(exchange);
        stream->encoder->kind->heartbeat(stream->channel->out);
        exchange_frames_end(exchange, mark);
        channel_flush(stream->channel);
        shard_count(exchange->shard, METER_HEARTBEATS, 1);
        stream->last_write_ms = loop_now_ms(exchange->shard->loop);
        silence_ms = 0;
    }
    timer_start(timer, exchange->shard->loop,
                silence_ms < every_ms ? every_ms - silence_ms : every_ms, on_heartbeat);
}

/* The encoder comes to where the client is: what it says on the way there was said already. */
static void catch_up(struct sse_stream *stream, struct buf *out)
{
    const struct encoder_kind *kind = stream->encoder->kind;
    size_t mark = buf_len(out);
    struct event event;
    kind->begin(stream->encoder, str_of(run_id(runs_run(stream->entry))), out);
    uint64_t id = event_log_gone_id(stream->log);
    for (; event_log_after(stream->log, id, &event) == ERR_OK && event.id <= stream->read_id;
         id = event.id) {
        buf_truncate(out, mark);
        kind->event(stream->encoder, exchange_tell(stream->wait.exchange, &event), out);
    }
    if (stream->read_id > 0)
        buf_truncate(out, mark);
}

static void open_stream(struct sse_stream *stream, struct exchange *exchange)
{
    exchange_wait_begin(&stream->wait, exchange, on_gone);
    stream->wait.on_drained = on_drained;
    exchange_stream(exchange, str_of(run_id(runs_run(stream->entry))));
    size_t mark = exchange_frames_begin(exchange);
    sse_write_ok(stream->channel->out);
    catch_up(stream, stream->channel->out);
    exchange_frames_end(exchange, mark);
    channel_flush(stream->channel);
    stream->last_write_ms = loop_now_ms(exchange->shard->loop);
    timer_start(&stream->heartbeat, exchange->shard->loop,
                exchange->shard->group->config->heartbeat_ms, on_heartbeat);
}

enum err_code sse_stream_start(struct exchange *exchange, struct runs_entry *entry,
                               uint64_t after_id, struct err *err)
{
    struct encoder *encoder = encoder_of(exchange);
    struct sse_stream *stream = encoder == NULL ? NULL : mem_zalloc(1, sizeof *stream);
    if (stream == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for another stream");
    stream->encoder = encoder;
    stream->entry = entry;
    stream->log = run_log(runs_run(entry));
    stream->channel = exchange->channel;
    stream->read_id = after_id;
    stream->reader.on_grown = on_grown;
    stream->reader.owner = stream;
    enum err_code code = event_log_attach(stream->log, &stream->reader, after_id);
    if (code != ERR_OK) {
        mem_free(stream);
        return code == ERR_GONE ? err_set(err, code, "the events after %llu are gone",
                                          (unsigned long long)after_id)
                                : err_set(err, ERR_INVALID,
                                          "Last-Event-ID: event %llu was never "
                                          "sent",
                                          (unsigned long long)after_id);
    }
    stream->watch.owner = stream;
    runs_attach(entry, &stream->watch);
    exchange_about(exchange, str_of(run_id(runs_run(entry))), run_conversation_id(runs_run(entry)));
    open_stream(stream, exchange);
    return ERR_OK;
}
