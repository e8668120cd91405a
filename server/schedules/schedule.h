/* SPDX-License-Identifier: MIT */
/* server/schedules/schedule.h - a schedule: which graph is asked what, when, for whom, where its
 * result goes, and what became of its last runs; as JSON in the store and for its owner.
 *
 * Plain data with borrowed texts. Times are milliseconds since 1970. Any thread. */
#ifndef SERVER_SCHEDULES_SCHEDULE_H
#define SERVER_SCHEDULES_SCHEDULE_H

#include "core/store/store_records.h"
#include "proto/json_value.h"
#include "proto/json_write.h"

#define SCHEDULE_KIND "schedule" /* of its job in the store */
/* In a run's idempotency key, behind the schedule's id: before the time at which it was due, or
 * before the run after which it comes. */
#define SCHEDULE_TIME '-'
#define SCHEDULE_RUN  '+'

enum {
    SCHEDULE_NOTES = 20, /* last runs that are remembered */
    SCHEDULE_BYTES = 512 * 1024,
    SCHEDULE_GRACE_MS = 3600 * 1000,
    SCHEDULE_WEBHOOK_FAILURES = 5, /* results in a row that could not be delivered turn it off */
};

/* What became of one time at which it was due. */
struct schedule_note {
    struct str what; /* "begun", "missed", "refused" */
    struct str run_id, text;
    struct str conversation_id; /* where its answer is kept; "": nowhere */
    uint64_t due_ms, at_ms;
};

struct schedule {
    struct identity caller; /* conversation_id: the one for all runs; "": see keeps */
    bool keeps;             /* each run is a conversation of its own; else none is kept */
    struct str name, graph, message;
    struct str metadata; /* its owner's, as JSON; "": none */
    /* when: an expression in a zone, or after a run */
    struct str cron, zone;
    struct str after_graph, after_status, after_code; /* status and code "": any */
    uint64_t until_ms;                                /* not after; 0: for ever */
    uint64_t grace_ms;                                /* how late it may begin */
    bool is_paused;
    /* the result */
    struct str webhook, secret, old_secret; /* "": none; the setting's */
    bool is_webhook_off;
    uint64_t webhook_failures;
    struct str webhook_said; /* of the last delivery that failed */
    /* its course */
    uint64_t due_ms;   /* the next time by the clock; 0: none */
    uint64_t asked_ms; /* somebody asked for a run at once; 0: nobody */
    uint64_t seen_ms;  /* of the run after which it came last, or when it began to look */
    struct str seen_id;
    struct schedule_note notes[SCHEDULE_NOTES]; /* last first */
    size_t note_count;
};

/* Write the members of an object that is open: all of them for the store, or, for its owner, what
 * is no secret and no cursor. */
void schedule_write(const struct schedule *schedule, bool is_for_owner, struct json_write *json);
/* Read what schedule_write wrote for the store: views of text, which arena holds. ERR_PROTOCOL. */
MUST_USE enum err_code schedule_read(const struct store_job *job, struct arena *arena,
                                     struct schedule *schedule, struct err *err);
/* Remember one more. */
void schedule_note(struct schedule *schedule, const struct schedule_note *note);
/* When its job is to be taken next: at once when asked, at due_ms, soon when it comes after runs, 0
 * when it is paused or over. */
uint64_t schedule_job_due(const struct schedule *schedule, uint64_t now_ms);
bool schedule_is_after(const struct schedule *schedule);

#endif
