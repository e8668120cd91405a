/* SPDX-License-Identifier: MIT */
/* agents/rag_agent/cite.h - an answer against the chunks it was made from: what it cites, and what
 * no chunk says. Pure. */
#ifndef AGENTS_RAG_AGENT_CITE_H
#define AGENTS_RAG_AGENT_CITE_H

#include "agents/nodes/search.h"

/* Write to citations, a JSON array, the chunks that answer marks ("[2]") or, where it has no marks,
 * those that support its sentences; and to unsupported, a JSON array, the sentences that none
 * supports. Returns how many sentences those are. Scratch memory is arena's. */
size_t rag_agent_cite(struct arena *arena, struct str answer, const struct search_hit *hits,
                      size_t hit_count, struct buf *citations, struct buf *unsupported);

#endif
