/* SPDX-License-Identifier: MIT */
/* server/records/run_input.h - the input in a run's record: the message, and behind it the earlier
 * messages that the caller sent along, so that a server that goes on with the run has them.
 *
 * Without earlier messages the input is the message itself. One thread. */
#ifndef SERVER_RECORDS_RUN_INPUT_H
#define SERVER_RECORDS_RUN_INPUT_H

#include "agents/memory/history.h"
#include "agents/services/services.h"

/* The input for the record of session, in arena. Absent: no memory. */
struct str run_input_write(const struct session *session, struct arena *arena);
/* The message in input; a view of it. */
struct str run_input_message(struct str input);
/* The hash of the file of the definition that the run began with; 0: a graph of askd's own. */
uint64_t run_input_definition(struct str input);
/* What the caller keeps with the run, a view; empty: nothing, or input is damaged. */
struct str run_input_metadata(struct str input);
/* Put the earlier messages in input into session, with their texts in arena; nothing when input is
 * damaged. */
void run_input_read(struct str input, struct session *session, struct arena *arena);

#endif
