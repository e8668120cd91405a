/* SPDX-License-Identifier: MIT */
/* server/records/run_text.h - collects the answer that a run has said so far, out of its event
 * log. */
#ifndef SERVER_RECORDS_RUN_TEXT_H
#define SERVER_RECORDS_RUN_TEXT_H

#include "core/run/run.h"

/* Append to text the tokens of the final channel, of the last attempt, that the log still holds; as
 * much as text has room for. */
void run_text_collect(struct run *run, struct buf *text);

#endif
