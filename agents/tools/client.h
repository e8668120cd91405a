/* SPDX-License-Identifier: MIT */
/* agents/tools/client.h - tools of whoever asks the question: the model calls them, the run pauses,
 * and goes on with what the client says they gave.
 *
 * The pause says {"type":"client_tools","calls":[{"id","tool","arguments"}]}; the run goes on with
 * {"results":[{"id","content","is_error"?}],"message"?}, where content is a text or any JSON, and
 * message is what the user says beside them. Calls without a result there are asked for again.
 *
 * How they may be called is the session's client_choice, {"only":["NAME"],"forced":true,
 * "one":true}, each member as needed: only these; the next turn calls one of them and nothing else;
 * the client gets one call at a time. */
#ifndef AGENTS_TOOLS_CLIENT_H
#define AGENTS_TOOLS_CLIENT_H

#include "agents/tools/call.h"

enum { TOOLS_CLIENT_MOST = 64, TOOLS_CLIENT_BYTES = 256 * 1024 };

/* The tools in list, the client_tools of a session, in arena: *count of them in *tools. False: no
 * memory. */
MUST_USE bool tools_client_make(struct str list, struct arena *arena, const struct tool **tools,
                                size_t *count);
/* Whether the client of node's session wants one of its tools to be called. */
bool tools_client_is_forced(struct node *node);
/* Those of tools (NULL after the last) that the model may call in its next turn: the client's as
 * far as it allows them and, unless it is forced, all others. NULL: no memory. */
const struct tool *const *tools_client_choose(struct node *node, const struct tool *const *tools,
                                              bool is_forced);
/* What the user says in answer, which the run goes on with; empty: nothing. */
struct str tools_client_message(struct str answer, struct arena *arena);
/* Members of the pause for the calls among calls that wait for their client, in arena; absent:
 * none does, or there is no memory. */
struct str tools_client_details(const struct tool_call *calls, size_t count, struct arena *arena);

#endif
