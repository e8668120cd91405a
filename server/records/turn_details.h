/* SPDX-License-Identifier: MIT */
/* server/records/turn_details.h - a run -> the JSON object that its turn keeps beside question and
 * answer.
 *
 * Its members: graph and route; and, where the run has them, the SQL as it was sent and as it was
 * written, the number of rows, and the question in full words when it says "he" or "that job".
 * Behind them is what the run showed (server/records/turn_result.h), with which an old answer looks
 * like a new one. */
#ifndef SERVER_RECORDS_TURN_DETAILS_H
#define SERVER_RECORDS_TURN_DETAILS_H

#include "core/run/run.h"

void turn_details_write(struct run *run, struct buf *out);
/* The statement as it was written, of details that were written so, else as it was sent; as
 * turn_details_find_meant. */
struct str turn_details_find_written(struct str details, struct buf *scratch);
/* The question in full words, of details that were written so; appended to scratch when it has
 * escapes. Absent: there is none. What the run showed is not read. */
struct str turn_details_find_meant(struct str details, struct buf *scratch);

#endif
