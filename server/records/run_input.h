/* SPDX-License-Identifier: MIT */
/* server/records/run_input.h - what a run's record says it was asked: the message, and behind it
 * what its caller says was said before, so that whoever goes on with it knows that, too.
 *
 * A message alone is its own record. One thread. */
#ifndef SERVER_RECORDS_RUN_INPUT_H
#define SERVER_RECORDS_RUN_INPUT_H

#include "agents/memory/history.h"
#include "agents/services/services.h"

/* The record's input. Absent: no memory. */
struct str run_input_write(const struct session *session, struct arena *arena);
/* The message in it; a view. */
struct str run_input_message(struct str input);
/* What was said before, into session and arena; nothing when that is damaged. */
void run_input_read(struct str input, struct session *session, struct arena *arena);

#endif
