/* SPDX-License-Identifier: MIT */
/* agents/rag_agent/graph.h - the RAG agent: answers from documents, with sources. */
#ifndef AGENTS_RAG_AGENT_GRAPH_H
#define AGENTS_RAG_AGENT_GRAPH_H

#include "agents/services/registry_entry.h"

extern const struct graph_def rag_agent_graph;
extern const struct registry_entry rag_agent_entry;

#endif
