/* SPDX-License-Identifier: MIT */
/* server/records/run_text.h - what a run said to its user so far, out of its log. */
#ifndef SERVER_RECORDS_RUN_TEXT_H
#define SERVER_RECORDS_RUN_TEXT_H

#include "core/run/run.h"

/* Append the text of the final channel that is still in memory, of its last attempt, as much as
 * text holds. */
void run_text_collect(struct run *run, struct buf *text);

#endif
