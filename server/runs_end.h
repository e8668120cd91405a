/* SPDX-License-Identifier: MIT */
/* server/runs_end.h - what the end of a run leaves: counts, and its text when it was cut short. */
#ifndef SERVER_RUNS_END_H
#define SERVER_RUNS_END_H

#include "server/runs.h"

/* Count it and what it used. */
void runs_end_count(struct runs_entry *entry);
/* After a bad end keep question and partial answer, marked, in the conversation. */
void runs_end_keep_text(struct runs_entry *entry);

#endif
