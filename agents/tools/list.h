/* SPDX-License-Identifier: MIT */
/* agents/tools/list.h - every tool there is: those of agents/tools/tools.inc, those outside, those
 * of the client; and which of them an agent offers. */
#ifndef AGENTS_TOOLS_LIST_H
#define AGENTS_TOOLS_LIST_H

#include "agents/tools/call.h"
#include "backends/llm_prompt.h"
#include "backends/remote.h"

/* Begin to learn which tools there are outside, on zeroed storage, for node; whoever picks waits
 * for it. Does nothing where there are none. */
void tools_list_learn(struct node *node, struct remote_learn *learn);
/* What an agent wants; lists have NULL after the last. Names of tools outside may end in a *. */
struct tools_wanted {
    const struct tool *const *own; /* tools of its own; or NULL */
    const char *const *names;
    const char *const
        *asking;      /* names: a person is asked before each call of these, too; or NULL */
    bool with_client; /* those of the client, too */
};

/* What is wanted and node's deployment has, NULL after the last, in its arena; with those outside
 * that are for its graph. NULL: no memory. */
const struct tool *const *tools_list_pick(struct node *node, const struct tools_wanted *wanted);
/* The built-in tool called name, whether the deployment has it or not; NULL: there is none. */
const struct tool *tools_list_find(struct str name);
/* Append the names of all built-in tools, with commas. */
void tools_list_write(struct buf *out);
/* The tools as a prompt offers them; *count: how many. NULL: no memory. */
const struct llm_tool *tools_list_offer(const struct tool *const *tools, struct arena *arena,
                                        size_t *count);

#endif
