/* SPDX-License-Identifier: MIT */
/* server/run_marks.h - where runs are goes to the store, behind them.
 *
 * Each run has a mark here: some ms after a superstep began it writes a core/checkpoint, one at a
 * time; supersteps that begin meanwhile go into the next. So it costs what the store takes, not
 * what the run does, and holds one checkpoint. A store that fails leaves the run as it is. One
 * loop. */
#ifndef SERVER_RUN_MARKS_H
#define SERVER_RUN_MARKS_H

#include "core/base/log.h"
#include "core/run.h"
#include "core/store.h"

struct run_marks;
struct run_mark;

struct run_marks_options {
    struct loop *loop;
    struct store *store;
    struct str instance; /* borrowed */
    uint64_t delay_ms;   /* after the superstep */
    const struct log *log;
};

/* NULL: no memory. */
struct run_marks *run_marks_create(const struct run_marks_options *options);
/* Only when nothing is being written: the store is closed. NULL is fine. */
void run_marks_destroy(struct run_marks *marks);
/* Whether a checkpoint of the run is on its way. */
bool run_marks_is_writing(const struct run_marks *marks, struct str run_id);

/* Before run_start. epoch: of its record; version: of the last checkpoint that is there, 0: none.
 * NULL: no memory; the run goes on without. */
struct run_mark *run_mark_begin(struct run_marks *marks, struct run *run, uint64_t epoch,
                                uint64_t version);
/* The hook of the run. NULL is fine, here and below. */
void run_mark_stepped(struct run_mark *mark);
/* The run paused: write at once where. */
void run_mark_pause(struct run_mark *mark);
/* Before the run is destroyed. */
void run_mark_leave(struct run_mark *mark);

#endif
