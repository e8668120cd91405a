/* SPDX-License-Identifier: MIT */
/* server/run_keepers_internal.h - what run_keepers.c (all of them: writing) and run_keepers_one.c
 * (each: its record, its lease, what is to be written) share. */
#ifndef SERVER_RUN_KEEPERS_INTERNAL_H
#define SERVER_RUN_KEEPERS_INTERNAL_H

#include "core/timer.h"
#include "server/run_keepers.h"

enum { RUN_KEEPERS_FLUSH_BYTES = 64 * 1024 };

struct run_keepers {
    struct run_keepers_options options;
    struct list keepers;
    struct list due;   /* of those, who has something to write */
    size_t left_bytes; /* encoded, of runs that are gone */
    struct timer flush_timer;
    uint64_t flushed_ms; /* when the last write began */
    struct store_call write_call;
    struct store_write write;
    struct store_append *appends; /* of the write in flight, and whose they are */
    struct run_keeper **writers;
    unsigned failures; /* of writes, one after the other */
    bool one_by_one;   /* together they could not be written */
    struct loop_task idle_task;
};

/* Events on their way to the store. */
struct run_keepers_parcel {
    struct buf bytes;
    uint64_t first, count;
};

enum run_keeper_state {
    RUN_KEEPER_BEGINS,   /* its record is not there yet */
    RUN_KEEPER_KEEPS,    /* what the run says is written, and its lease renewed */
    RUN_KEEPER_FINISHES, /* its record gets its end */
    RUN_KEEPER_OVER,     /* it waits for the run to leave */
};

struct run_keeper {
    struct list link, due_link;
    struct run_keepers *keepers;
    void *run_owner;       /* NULL: the run is gone */
    struct event_log *log; /* NULL: nothing more is taken from it */
    struct event_reader reader;
    struct timer retry_timer, renew_timer;
    struct arena arena; /* of the record's texts */
    struct store_fence fence;
    void (*on_begun)(void *run_owner, enum err_code code, const struct store_run *rival);
    struct store_begin begin;
    struct store_resume resume; /* with a paused_id: instead */
    struct store_find find;
    struct store_finish finish;
    struct store_renew renew;
    struct store_call call, renew_call;
    struct run_keepers_parcel sending, next; /* sending: until the store has it */
    uint64_t taken;                          /* the last event encoded */
    uint64_t renew_at_ms;                    /* when the renewal was due */
    size_t left_bytes;                       /* counted into the keepers' */
    enum store_status status;
    enum run_keeper_state state;
    unsigned failures; /* to begin, or to finish, one after the other */
    unsigned polls;    /* whether the record may end */
    bool has_gap;      /* the log passed it by: the rest is not written */
    bool is_written;   /* sending is in the write in flight */
    bool has_left;     /* the run is gone */
};

/* ---- all of them ---- */

/* Put keeper among the due, and write soon. */
void run_keepers_add_due(struct run_keeper *keeper);
/* One is done: tell, later, if it was the last. */
void run_keepers_tell_idle(struct run_keepers *keepers);

/* Whether what a run that is gone has left may wait here. */
bool run_keepers_has_room(const struct run_keepers *keepers);

/* ---- one of them ---- */

/* Make keeper->sending ready, of about RUN_KEEPERS_FLUSH_BYTES. False: there is nothing to write.
 */
bool run_keepers_one_pack(struct run_keeper *keeper);
/* The store has judged what was sent. */
void run_keepers_one_written(struct run_keeper *keeper, const struct store_verdict *verdict);
/* What was sent cannot be written, ever: err says why. */
void run_keepers_one_refused(struct run_keeper *keeper, const struct err *err);
/* The store says it is not ours: another's, or nobody's since there is no record any more. */
void run_keepers_one_lose(struct run_keeper *keeper);
/* Nothing more is to be done for it. */
void run_keepers_one_end(struct run_keeper *keeper);
/* The same, and say why. */
void run_keepers_one_give_up(struct run_keeper *keeper, const char *what, const struct err *err);
/* When nothing holds it any more. */
void run_keepers_one_consider_free(struct run_keeper *keeper);

/* ---- its lease ---- */

/* Renew it from now on. */
void run_keepers_lease_await(struct run_keeper *keeper);
/* Somebody asked the run to stop, and perhaps to forget what was said. */
void run_keepers_lease_stop(struct run_keeper *keeper, bool forget);

#endif
