/* SPDX-License-Identifier: MIT */
/* server/records/turn_result.h - what a run showed beside its text -> the part of its turn that
 * lets an old answer look like a new one: its steps, the calls of tools that a model asked for, and
 * the members of its last event.
 *
 * Bounded: TURN_RESULT_BYTES, whatever the run said; of rows the first that fit are kept. One
 * thread. */
#ifndef SERVER_RECORDS_TURN_RESULT_H
#define SERVER_RECORDS_TURN_RESULT_H

#include "core/store/event.h"
#include "proto/json_write.h"

enum { TURN_RESULT_BYTES = 64 * 1024, TURN_RESULT_STEPS = 100, TURN_RESULT_CALLS = 60 };

/* Zeroed before the first event. Holds views of the events. */
struct turn_result {
    struct turn_step {
        struct str node;
        int64_t ms; /* -1: it has not ended */
    } steps[TURN_RESULT_STEPS];
    size_t step_count; /* later steps than these are left out */
    struct turn_call {
        struct str tool, begun, ended; /* members of its events; ended absent: it has not ended */
        int64_t ms;
    } calls[TURN_RESULT_CALLS];
    size_t call_count; /* later calls are left out */
    struct event last; /* the terminal event, once it was heard */
};

/* Take an event in, in order; its texts stay put until the result is written. */
void turn_result_hear(struct turn_result *result, const struct event *event);
/* Write the members "steps", "tools", "error" and "result" into the open object, those that there
 * are. */
void turn_result_write(const struct turn_result *result, struct json_write *json);

#endif
