/* SPDX-License-Identifier: MIT */
/* server/records/event_writers.h - writes the events of runs to the store, behind their streams.
 *
 * In the store each run has a record with a lease; here it has an event writer, one more reader of
 * its event log. Every 20 ms the new events of all runs are written, one write at a time. An event
 * writer renews the lease of its run, and outlives the run until all its events are written. A
 * store that fails does not disturb runs: their events wait in their logs. Where a log has no room
 * for them the record keeps a gap: it ends without a terminal event. One loop. */
#ifndef SERVER_RECORDS_EVENT_WRITERS_H
#define SERVER_RECORDS_EVENT_WRITERS_H

#include "core/base/log.h"
#include "core/run/run.h"
#include "core/store/store.h"

struct event_writers;
struct event_writer;

/* When events are written: ASYNC, behind the stream; SYNC, before the stream shows them; EXIT, at
 * the end of the run only. */
enum event_writers_durability { EVENT_WRITERS_ASYNC, EVENT_WRITERS_SYNC, EVENT_WRITERS_EXIT };

struct event_writers_options {
    struct loop *loop;
    struct store *store;
    struct str instance; /* the name of this server in records; borrowed */
    uint64_t lease_ms;
    enum event_writers_durability durability;
    const struct log *log;
    void *owner;
    void (*on_idle)(void *owner); /* nothing is being written any more; never inside a call */
    /* Whether the record of run may end: what its conversation keeps, and where it paused, is
     * stored. Asked again for 16 s at most, then the record ends all the same. NULL: always. */
    bool (*may_end)(void *owner, const struct store_run *run);
    /* Somebody asked through the store to cancel this owner's run, and, with forget, not to keep
     * what it said. */
    void (*on_stop)(void *run_owner, bool forget);
    /* The record of this owner's run belongs to another server by now. */
    void (*on_lost)(void *run_owner);
    /* True: this process slept for so long that another server may have this owner's run. False,
     * later: it is known again whose it is. */
    void (*on_doubt)(void *run_owner, bool doubts);
};

struct event_writer_options { /* texts are copied */
    struct identity key;
    struct str input, idempotency_key;
    uint64_t epoch, stored_id; /* epoch 0: the record is to be put; else it was claimed, with events
                                  up to stored_id */
    bool alone;                /* only beside no other open run of the conversation */
    /* Not empty: the id of a paused run. The new record takes the place of its record, and begins
     * with checkpoint as its first one; when no such run is paused, there is no new record
     * (core/store/store_run_asks.h: resume). */
    struct str paused_id;
    struct store_checkpoint checkpoint;
    /* Called later, once the store has said whether the record is there; may be NULL. ERR_CONFLICT:
     * the run rival has the conversation, or the idempotency key; the event writer then rests until
     * event_writer_retry. Another error: the store cannot be used. The event writer then goes on
     * trying by itself, no matter whether alone was asked; with a paused_id it has given up. */
    void (*on_begun)(void *run_owner, enum err_code code, const struct store_run *rival);
};

/* NULL: no memory. */
struct event_writers *event_writers_create(const struct event_writers_options *options);
/* Only when event_writers_count is 0. NULL is fine. */
void event_writers_destroy(struct event_writers *event_writers);
/* The number of runs whose record and events are not wholly in the store yet. */
size_t event_writers_count(const struct event_writers *event_writers);
/* Whether a call that failed with this code may succeed later; and how long to wait, in ms, after
 * this many failures in a row. */
bool event_writers_may_pass(enum err_code code);
uint64_t event_writers_pause_ms(unsigned failures);
/* The status with which the record of a run ends whose terminal event is last. */
enum store_status event_writers_status(const struct event *last);
/* Give up all events that are not written yet. */
void event_writers_abandon(struct event_writers *event_writers);
/* Whether the last call to the store failed. */
bool event_writers_is_lost(const struct event_writers *event_writers);
/* The store that has the records; whether a record that names this instance was begun by these
 * event writers. */
struct store *event_writers_store(const struct event_writers *event_writers);
bool event_writers_is_ours(const struct event_writers *event_writers, struct str instance);

/* Begin the record of run; before run_start. NULL: no memory; the run goes on without. */
struct event_writer *event_writer_begin(struct event_writers *event_writers, struct run *run,
                                        const struct event_writer_options *options);
enum event_writer_retry {
    EVENT_WRITER_AS_BEFORE,
    EVENT_WRITER_BESIDE,     /* beside other runs of the conversation: alone no more */
    EVENT_WRITER_WITHOUT_KEY /* without the idempotency key */
};
/* After a conflict (on_begun): ask the store again in ms, as how says. */
void event_writer_retry(struct event_writer *event_writer, uint64_t ms,
                        enum event_writer_retry how);
/* Inside on_begun: which version of its conversation the run begins with. False: the store does not
 * say. */
bool event_writer_knows_version(const struct event_writer *event_writer, uint64_t *version);
/* Let go of the run, which has ended, or never began; before it is destroyed. NULL is fine. */
void event_writer_leave(struct event_writer *event_writer);

#endif
