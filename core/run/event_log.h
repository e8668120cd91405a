/* SPDX-License-Identifier: MIT */
/* core/run/event_log.h - what a run has said, in order, for whoever reads next.
 *
 * Ids rise by one from 1, but for where event_log_skip left some out. Readers are cursors, any
 * number of them. Memory grows in steps up to limit_bytes; then the oldest events that every
 * attached reader has passed are dropped, then those that at least one has passed (the others lag).
 * When that is not enough the log is full and asks its run to hold; without a reader nothing is
 * dropped. Readers and the run are told once per turn, at its end. One loop, one thread; no JSON,
 * SSE or sockets. */
#ifndef CORE_RUN_EVENT_LOG_H
#define CORE_RUN_EVENT_LOG_H

#include "core/base/err.h"
#include "core/store/event.h"
#include "core/loop/loop.h"

enum { EVENT_LOG_END_BYTES = 200 };

struct event_log;
struct event_reader;
typedef void event_reader_fn(struct event_reader *reader);

/* One reader, embedded in its owner. Zeroed before attach. */
struct event_reader {
    struct list link;
    event_reader_fn *on_grown; /* at the end of a turn in which the log grew, or space was made */
    void *owner;
    uint64_t next_id; /* the first id not yet read; the owner advances it by
                         event_log_advance */
    bool lagged;      /* events it had not read were dropped: ERR_GONE for ever */
    /* private: where it read last, and the last round it was told in */
    struct event_cursor {
        void *chunk;
        size_t offset;
        uint64_t id;
    } cursor;
    uint64_t round;
};

struct event_log_hooks {
    void *owner;
    /* The log got full (true: hold the producers) or has room again (false: go). */
    void (*on_pressure)(void *owner, bool full);
    /* More of it is stored, or nobody stores it any more (event_log_keeping). */
    void (*on_stored)(void *owner);
};

/* A log that keeps about limit_bytes of events (each costs its text plus 24 bytes). NULL: no
 * memory. */
struct event_log *event_log_create(struct loop *loop, size_t limit_bytes,
                                   struct event_log_hooks hooks);
/* Free it; no reader may be attached. NULL is fine. */
void event_log_destroy(struct event_log *log);

/* Append a copy and return its id. Never refuses: a producer that ignores on_pressure is bounded
 * by what one turn brings; more than limit_bytes/4 at once is a CHECK, except for the terminal
 * event, which may have any size. 0: no memory (the run fails); a terminal event whose texts have
 * no more than EVENT_LOG_END_BYTES is always appended. After it nothing is (CHECK). */
uint64_t event_log_append(struct event_log *log, const struct event *event);
/* The next event's id is first_id, when that is later than what it would be: nobody will ever say
 * the ids between. */
void event_log_skip(struct event_log *log, uint64_t first_id);
/* The last id, 0 when empty; whether the last event was terminal. */
uint64_t event_log_last_id(const struct event_log *log);
bool event_log_is_closed(const struct event_log *log);
/* The last id that is no longer in memory; 0: all ids are in memory. */
uint64_t event_log_gone_id(const struct event_log *log);

/* Set *event to the first one after id, borrowed until the next append or advance.
 * ERR_NOT_FOUND: nothing newer yet. ERR_GONE: no longer in memory. */
MUST_USE enum err_code event_log_after(const struct event_log *log, uint64_t id,
                                       struct event *event);

/* The event reader comes to next (reader->next_id), found in O(1); otherwise as event_log_after.
 * For loops of event_log_next, use, event_log_advance. */
MUST_USE enum err_code event_log_next(const struct event_log *log, struct event_reader *reader,
                                      struct event *event);

/* Attach a reader that has read up to and including after_id. ERR_GONE: the events after it are not
 * in memory any more; ERR_INVALID: after_id was never said. on_grown comes at a turn's end when
 * there is something to read. */
MUST_USE enum err_code event_log_attach(struct event_log *log, struct event_reader *reader,
                                        uint64_t after_id);
/* reader has consumed up to and including id: its space may go. */
void event_log_advance(struct event_log *log, struct event_reader *reader, uint64_t id);
/* Detach reader. Idempotent. */
void event_log_detach(struct event_log *log, struct event_reader *reader);
/* Whether somebody stores the events: nobody does, somebody does, or somebody gave it up. */
enum event_log_keeping { EVENT_LOG_UNKEPT, EVENT_LOG_KEPT, EVENT_LOG_LOST };
/* From now on somebody stores the events and says which are; from now on nobody does. */
void event_log_keep(struct event_log *log);
void event_log_lose(struct event_log *log);
/* Events up to id are stored. */
void event_log_note_stored(struct event_log *log, uint64_t id);
enum event_log_keeping event_log_keeping(const struct event_log *log);
/* The last id that is stored, where somebody stores them. */
uint64_t event_log_stored_id(const struct event_log *log);
/* From now on streams may show only events that are stored, as long as somebody stores them. */
void event_log_hide(struct event_log *log);
/* The last id that streams may show. */
uint64_t event_log_shown_id(const struct event_log *log);
size_t event_log_reader_count(const struct event_log *log);
/* Bytes held now: metrics and tests. */
size_t event_log_bytes(const struct event_log *log);

#endif
