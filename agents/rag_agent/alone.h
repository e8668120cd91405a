/* SPDX-License-Identifier: MIT */
/* agents/rag_agent/alone.h - the node that puts what is searched for: a follow-up with what it
 * leaves out, since "And on Sundays?" finds nothing by itself. */
#ifndef AGENTS_RAG_AGENT_ALONE_H
#define AGENTS_RAG_AGENT_ALONE_H

#include "agents/nodes/ask.h"

/* Puts RAG_AGENT_SEARCH, unless whoever routed the question has: as a model rewrites it after the
 * conversation; without a model a question of few words follows the one before. A question that
 * begins a conversation asks no model. In a run of the RAG agent's own the conversation is loaded
 * into RAG_AGENT_MESSAGES. A rewriting that fails leaves the question as it is. */
extern const struct graph_node_type rag_agent_alone_node;
extern const struct ask_config rag_agent_alone_ask; /* its config */

/* Whether the run is the RAG agent's own, and not one of a graph that it is a part of: then it
 * keeps the conversation itself. */
bool rag_agent_alone_is_own(const struct node *node);

#endif
