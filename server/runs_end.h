/* SPDX-License-Identifier: MIT */
/* server/runs_end.h - what the end of a run leaves: counts, and what was said. */
#ifndef SERVER_RUNS_END_H
#define SERVER_RUNS_END_H

#include "server/runs.h"

/* Count it and what it used. */
void runs_end_count(struct runs_entry *entry);
/* As the run starts: note what its conversation holds. */
void runs_end_begin(struct runs_entry *entry);
/* Keep question and answer in the conversation, unless the graph did: after a bad end what there
 * is of the answer, marked. So a conversation belongs to who began it, whatever the graph. */
void runs_end_keep_text(struct runs_entry *entry);

#endif
