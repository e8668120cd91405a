/* SPDX-License-Identifier: MIT */
/* agents/rag_agent/state.h - the fields of the RAG agent (R137). */
#ifndef AGENTS_RAG_AGENT_STATE_H
#define AGENTS_RAG_AGENT_STATE_H

enum rag_agent_slot {
    RAG_AGENT_QUESTION,
    RAG_AGENT_MESSAGES,
    RAG_AGENT_SEARCH,  /* the question by itself: what is searched for */
    RAG_AGENT_CHUNKS,  /* agents/nodes/search.h has their shape */
    RAG_AGENT_CONTEXT, /* the chunks as text for the prompt */
    RAG_AGENT_RESULT,
    RAG_AGENT_CITATIONS,   /* [{"number","document","heading","chunk","score","text"}] */
    RAG_AGENT_UNSUPPORTED, /* sentences of the answer that no chunk supports */
    RAG_AGENT_WARNINGS,
    RAG_AGENT_REFUSAL, /* why the documents do not answer */
    RAG_AGENT_NO_DATA, /* why the data does not answer either, when that is known */
    RAG_AGENT_SLOT_COUNT
};

#define RAG_AGENT_NAME "rag_agent"

#endif
