/* SPDX-License-Identifier: MIT */
/* agents/rag_agent/cite.h - compares an answer with the chunks it was made from: which chunks it
 * cites, and which sentences no chunk supports. A source mark is "[2]" in the text: chunk 2. Pure.
 */
#ifndef AGENTS_RAG_AGENT_CITE_H
#define AGENTS_RAG_AGENT_CITE_H

#include "agents/nodes/search.h"

/* Write to citations, a JSON array, the chunks that source marks in answer name or, where it has no
 * marks, the chunks that support its sentences; and to unsupported, a JSON array, the sentences
 * that no chunk supports. Returns how many such sentences there are. Scratch memory is arena's. */
size_t rag_agent_cite(struct arena *arena, struct str answer, const struct search_hit *hits,
                      size_t hit_count, struct buf *citations, struct buf *unsupported);

#endif
