/* SPDX-License-Identifier: MIT */
/* server/conversations/takeover_turn.h - saves the turn of a run whose server was gone before it
 * saved it: question and answer, out of the run's record and its events.
 *
 * The state of the run at its end was lost with that server; the conversation goes on without it.
 * One loop. */
#ifndef SERVER_CONVERSATIONS_TAKEOVER_TURN_H
#define SERVER_CONVERSATIONS_TAKEOVER_TURN_H

#include "server/conversations/conversations.h"
#include "server/records/stored_run.h"

/* Save the turn behind the caller's back (conversations_save_past). False: there is nothing to
 * save, since the run has no conversation, its conversation has the turn already or is not to have
 * it, the run said nothing to its user, its events are damaged, or there is no memory. */
bool takeover_turn_keep(const struct stored_run *past, struct conversations *conversations);

#endif
