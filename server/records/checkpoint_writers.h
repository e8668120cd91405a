/* SPDX-License-Identifier: MIT */
/* server/records/checkpoint_writers.h - writes checkpoints of runs to the store, behind the runs.
 *
 * A checkpoint (core/run/checkpoint.h) says where a run is. Each run has a checkpoint writer here:
 * delay_ms after a superstep began it writes one, one at a time; supersteps that begin meanwhile go
 * into the next. So the cost depends on the pace of the store, not of the run, and one checkpoint
 * is held in memory. A store that fails does not disturb the run. One loop. */
#ifndef SERVER_RECORDS_CHECKPOINT_WRITERS_H
#define SERVER_RECORDS_CHECKPOINT_WRITERS_H

#include "core/base/log.h"
#include "core/run/run.h"
#include "core/store/store.h"

struct checkpoint_writers;
struct checkpoint_writer;

struct checkpoint_writers_options {
    struct loop *loop;
    struct store *store;
    struct str instance; /* the name of this server in records; borrowed */
    uint64_t delay_ms;   /* after the superstep */
    const struct log *log;
};

/* NULL: no memory. */
struct checkpoint_writers *
checkpoint_writers_create(const struct checkpoint_writers_options *options);
/* Only when nothing is being written: the store is closed. NULL is fine. */
void checkpoint_writers_destroy(struct checkpoint_writers *checkpoint_writers);
/* Whether a checkpoint of the run is being written. */
bool checkpoint_writers_is_writing(const struct checkpoint_writers *checkpoint_writers,
                                   struct str run_id);

/* Give run a checkpoint writer; before run_start. epoch: of its record; version: of its last
 * checkpoint in the store, 0: none. NULL: no memory; the run goes on without. */
struct checkpoint_writer *checkpoint_writer_begin(struct checkpoint_writers *checkpoint_writers,
                                                  struct run *run, uint64_t epoch,
                                                  uint64_t version);
/* The step hook of the run: a superstep began. NULL is fine, here and below. */
void checkpoint_writer_stepped(struct checkpoint_writer *checkpoint_writer);
/* Write a checkpoint now and say run_saved when it is stored, or when none will be any more. False:
 * there is no writer. */
bool checkpoint_writer_save(struct checkpoint_writer *checkpoint_writer);
/* The run paused: write a checkpoint at once. */
void checkpoint_writer_pause(struct checkpoint_writer *checkpoint_writer);
/* Let go of the run; before it is destroyed. */
void checkpoint_writer_leave(struct checkpoint_writer *checkpoint_writer);

#endif
