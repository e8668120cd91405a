/* SPDX-License-Identifier: MIT */
/* server/records/turn_details.h - a run -> the JSON object that its turn keeps beside question and
 * answer.
 *
 * Its members: graph and route; and, where the run has them, the SQL, the number of rows, and the
 * question in full words when it says "he" or "that job". */
#ifndef SERVER_RECORDS_TURN_DETAILS_H
#define SERVER_RECORDS_TURN_DETAILS_H

#include "core/run/run.h"

void turn_details_write(const struct run *run, struct buf *out);

#endif
