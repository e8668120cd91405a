/* SPDX-License-Identifier: MIT */
/* agents/agent/transcript.h - what an agent has said and called, as items of a list in the state,
 * and as messages of a prompt.
 *
 * An item is {"role":"assistant","content","calls":[{"id","name","arguments"}],"forced"?} or
 * {"role":"tool","id","name","content","error"?} or {"role":"user","content"}, where forced is the
 * run whose client wanted a call of its tools, and got it in this turn. Results of tools are data,
 * not to be trusted: a prompt has them between <data> and </data>, which they cannot close. */
#ifndef AGENTS_AGENT_TRANSCRIPT_H
#define AGENTS_AGENT_TRANSCRIPT_H

#include "core/run/node.h"
#include "backends/llm_prompt.h"

struct json_value;

/* An item of a turn, in arena; forced: absent, or the run. Absent: no memory. */
struct str agent_transcript_turn(struct arena *arena, struct str text,
                                 const struct llm_tool_call *calls, size_t count,
                                 struct str forced);
/* Whether slot has a turn that was forced in this run. */
bool agent_transcript_was_forced(struct node *node, unsigned slot, struct str run_id);
/* An item of a result. */
struct str agent_transcript_result(struct arena *arena, const struct llm_tool_call *call,
                                   struct str text, bool is_error);
/* An item of what the user says meanwhile. */
struct str agent_transcript_said(struct arena *arena, struct str text);
/* The calls of the last turn in slot; how many. 0: there are none, or no memory. */
size_t agent_transcript_calls(struct node *node, unsigned slot, const struct llm_tool_call **calls);
/* How many results of the tool called name there are in slot. */
unsigned agent_transcript_count(struct node *node, unsigned slot, struct str name);
/* The result in slot that is a JSON object with this "statement"; NULL: there is none. */
const struct json_value *agent_transcript_find(struct node *node, unsigned slot,
                                               struct str statement);
/* The items of slot as messages, of about most_bytes: texts of the oldest results are left out
 * where there is more. *count: how many. NULL: no memory. */
const struct llm_message *agent_transcript_messages(struct node *node, unsigned slot,
                                                    size_t most_bytes, size_t *count);

#endif
