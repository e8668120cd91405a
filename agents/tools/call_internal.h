/* SPDX-License-Identifier: MIT */
/* agents/tools/call_internal.h - a call that a person has to allow first. Loop thread only. */
#ifndef AGENTS_TOOLS_CALL_INTERNAL_H
#define AGENTS_TOOLS_CALL_INTERNAL_H

#include "agents/tools/call.h"

/* Whether the call may be made now; arguments that were edited are read. False: a person is asked,
 * or the call has ended, refused. The run pauses with {"type":"tool_approval","id","tool",
 * "arguments"} and goes on with {"action":"approve"}, {"action":"edit","arguments":{...}} or
 * {"action":"refuse"}, or the action alone. */
MUST_USE bool tools_call_confirm(struct tool_call *call);

#endif
