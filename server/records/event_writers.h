/* SPDX-License-Identifier: MIT */
/* server/records/event_writers.h - what runs say goes to the store, behind their streams.
 *
 * Each run has a record with a lease there and a event writer here: one more reader of its event
 * log. All that is new of all runs is written every 20 ms, one write at a time; a event writer
 * renews its lease, and outlives its run until all is written. A store that fails leaves runs as
 * they are; what they say waits in their logs, and where a log has no room for it the record keeps
 * a gap: it ends without a terminal event. One loop. */
#ifndef SERVER_RECORDS_EVENT_WRITERS_H
#define SERVER_RECORDS_EVENT_WRITERS_H

#include "core/base/log.h"
#include "core/run/run.h"
#include "core/store/store.h"

struct event_writers;
struct event_writer;

/* Behind the stream; streams wait for it; at the run's end only. */
enum event_writers_durability { EVENT_WRITERS_ASYNC, EVENT_WRITERS_SYNC, EVENT_WRITERS_EXIT };

struct event_writers_options {
    struct loop *loop;
    struct store *store;
    struct str instance; /* borrowed */
    uint64_t lease_ms;
    enum event_writers_durability durability;
    const struct log *log;
    void *owner;
    void (*on_idle)(void *owner); /* nothing is being written any more; never inside a call */
    /* Whether a record may end: what its conversation keeps, and where it paused, is stored; asked
     * for 16 s at most. NULL: always. */
    bool (*may_end)(void *owner, const struct store_run *run);
    /* Of the run of this owner: somebody asked through the store to cancel it, and to forget what
     * was said. */
    void (*on_stop)(void *run_owner, bool forget);
    /* It is another's by now. */
    void (*on_lost)(void *run_owner);
    /* This process slept for so long that the run may be another's; then (false) it is known. */
    void (*on_doubt)(void *run_owner, bool doubts);
};

struct event_writer_options { /* texts are copied */
    struct identity key;
    struct str input, idempotency_key;
    uint64_t epoch, stored_id; /* of a record that is there, with events up to there: it was
                                  claimed; 0: it is to be put */
    bool alone;                /* only while no other run of the conversation is open */
    /* Not empty: its record takes the place of that one's, which is paused, and has this as its
     * first checkpoint; or there is none (core/store/store_run_asks.h: resume). */
    struct str paused_id;
    struct store_checkpoint checkpoint;
    /* Once the store has said whether the record is there, later; may be NULL. ERR_CONFLICT: rival
     * has the conversation, or the key; the event writer rests then until event_writer_retry.
     * Another error: the store cannot be used, the event writer goes on trying by itself, alone or
     * not; unless it is to take the place of another: then it has given up. */
    void (*on_begun)(void *run_owner, enum err_code code, const struct store_run *rival);
};

/* NULL: no memory. */
struct event_writers *event_writers_create(const struct event_writers_options *options);
/* Only when none is left. NULL is fine. */
void event_writers_destroy(struct event_writers *event_writers);
/* How many are not whole in the store yet. */
size_t event_writers_count(const struct event_writers *event_writers);
/* Whether what a store refused so may succeed later, and how long to wait after so many failures.
 */
bool event_writers_may_pass(enum err_code code);
uint64_t event_writers_pause_ms(unsigned failures);
/* How a run's record ends whose terminal event is this. */
enum store_status event_writers_status(const struct event *last);
/* Give up what is not written yet. */
void event_writers_abandon(struct event_writers *event_writers);
/* Whether the last call to the store failed. */
bool event_writers_is_lost(const struct event_writers *event_writers);
/* Where records are; whether one with this instance was begun here. */
struct store *event_writers_store(const struct event_writers *event_writers);
bool event_writers_is_ours(const struct event_writers *event_writers, struct str instance);

/* Before run_start. NULL: no memory; the run goes on without. */
struct event_writer *event_writer_begin(struct event_writers *event_writers, struct run *run,
                                        const struct event_writer_options *options);
enum event_writer_retry {
    EVENT_WRITER_AS_BEFORE,
    EVENT_WRITER_BESIDE,     /* no more alone */
    EVENT_WRITER_WITHOUT_KEY /* of idempotency */
};
/* After a conflict: ask again in ms. */
void event_writer_retry(struct event_writer *event_writer, uint64_t ms,
                        enum event_writer_retry how);
/* Before the run is destroyed: it has ended, or never began. NULL is fine. */
void event_writer_leave(struct event_writer *event_writer);

#endif
