/* SPDX-License-Identifier: MIT */
/* agents/tools/guarded.h - the statement of a call, past the guard, as it may be sent for the
 * caller: what every tool that sends statements begins with. */
#ifndef AGENTS_TOOLS_GUARDED_H
#define AGENTS_TOOLS_GUARDED_H

#include "agents/nodes/judge_apart.h"
#include "agents/sql/guard/cost.h"
#include "agents/tools/call.h"

struct tools_guarded { /* in the frame of a call; zeroed */
    struct str written;
    const struct sql_verdict *passed;
    struct sql_statement statement; /* with the caller's variables and limits */
    /* private */
    struct judge_apart apart;
    struct sql_variable variables[SERVICES_VARIABLES];
};

/* Judge written, within this turn of the loop or on another thread, then go on in next, which calls
 * tools_guarded_pass. Without a catalog the call ends. */
void tools_guarded_judge(struct tool_call *call, struct tools_guarded *guarded, struct str written,
                         tool_fn *next);
/* Fill passed and statement. False: the guard refuses it, or there is no memory, and the call has
 * ended with what is wrong. */
MUST_USE bool tools_guarded_pass(struct tool_call *call, struct tools_guarded *guarded);
/* Fill statement for what the guard passed. False: no memory. */
MUST_USE bool tools_guarded_prepare(struct tool_call *call, struct tools_guarded *guarded);
/* What a statement of the call may cost. */
struct sql_cost_limits tools_guarded_limits(const struct tool_call *call);

#endif
