/* SPDX-License-Identifier: MIT */
/* server/records/turn_details.h - what is kept of a run beside question and answer, as a JSON
 * object: graph, route, and where there are such the SQL, the number of rows, and what the question
 * meant when it says "he" or "that job". */
#ifndef SERVER_RECORDS_TURN_DETAILS_H
#define SERVER_RECORDS_TURN_DETAILS_H

#include "core/run/run.h"

void turn_details_write(const struct run *run, struct buf *out);

#endif
