/* SPDX-License-Identifier: MIT */
/* server/conversations/takeover_turn.h - the turn that a run left behind whose server was gone
 * before it kept it: what was asked and answered, out of the run's record and its events.
 *
 * The state as it ended is gone with that server; the conversation goes on without. One loop. */
#ifndef SERVER_CONVERSATIONS_TAKEOVER_TURN_H
#define SERVER_CONVERSATIONS_TAKEOVER_TURN_H

#include "server/conversations/conversations.h"
#include "server/records/stored_run.h"

/* On its way to the store, behind the caller's back (conversations_save_past). False: nothing is to
 * be kept: it has no conversation, or that has the turn already or is not to have it; it said
 * nothing to its user; what it said is damaged; no memory. */
bool takeover_turn_keep(const struct stored_run *past, struct conversations *conversations);

#endif
