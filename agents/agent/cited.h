/* SPDX-License-Identifier: MIT */
/* agents/agent/cited.h - passages that an agent's tools found, and which of them its answer cites:
 * "[12]", or several in one mark, "[3, 12]". */
#ifndef AGENTS_AGENT_CITED_H
#define AGENTS_AGENT_CITED_H

#include "core/run/node.h"

/* Add the passages, a JSON array of objects with a "number", as items of slot. False: no memory. */
MUST_USE bool agent_cited_keep(struct node *node, unsigned slot, struct str passages);
/* The passages of slot that answer cites, in their order, as a JSON array in the node's arena;
 * absent: none, or no memory. */
struct str agent_cited_find(struct node *node, unsigned slot, struct str answer);

#endif
