/* SPDX-License-Identifier: MIT */
/* server/records/checkpoint_writers.h - where runs are goes to the store, behind them.
 *
 * Each run has a mark here: some ms after a superstep began it writes a core/checkpoint, one at a
 * time; supersteps that begin meanwhile go into the next. So it costs what the store takes, not
 * what the run does, and holds one checkpoint. A store that fails leaves the run as it is. One
 * loop. */
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
    struct str instance; /* borrowed */
    uint64_t delay_ms;   /* after the superstep */
    const struct log *log;
};

/* NULL: no memory. */
struct checkpoint_writers *
checkpoint_writers_create(const struct checkpoint_writers_options *options);
/* Only when nothing is being written: the store is closed. NULL is fine. */
void checkpoint_writers_destroy(struct checkpoint_writers *checkpoint_writers);
/* Whether a checkpoint of the run is on its way. */
bool checkpoint_writers_is_writing(const struct checkpoint_writers *checkpoint_writers,
                                   struct str run_id);

/* Before run_start. epoch: of its record; version: of the last checkpoint that is there, 0: none.
 * NULL: no memory; the run goes on without. */
struct checkpoint_writer *checkpoint_writer_begin(struct checkpoint_writers *checkpoint_writers,
                                                  struct run *run, uint64_t epoch,
                                                  uint64_t version);
/* The hook of the run. NULL is fine, here and below. */
void checkpoint_writer_stepped(struct checkpoint_writer *checkpoint_writer);
/* The run paused: write at once where. */
void checkpoint_writer_pause(struct checkpoint_writer *checkpoint_writer);
/* Before the run is destroyed. */
void checkpoint_writer_leave(struct checkpoint_writer *checkpoint_writer);

#endif
