/* SPDX-License-Identifier: MIT */
/* agents/nodes/search.h - the node that looks passages up for a question, configured by a table.
 *
 * Puts the hits, best first and numbered from 1, and their text for a prompt. While one store is
 * down and the other answers there is a warning; both down fail the node (retrieval_unavailable).
 */
#ifndef AGENTS_NODES_SEARCH_H
#define AGENTS_NODES_SEARCH_H

#include "agents/search/hybrid.h"
#include "core/run/slot.h"

struct json_write;

struct search_config {
    const char *collection;
    size_t top; /* hits kept */
    struct slot_ref question_slot;
    struct slot_ref meant_slot;    /* the question by itself, which is searched for where it is
                                      known; none: question_slot */
    struct slot_ref hits_slot;     /* SLOT_JSON: [{"number","document","title"?,"heading"?,"chunk",
                                      "score","text"}] */
    struct slot_ref context_slot;  /* SLOT_TEXT: "[1] document, heading" and the text, for each */
    struct slot_ref warnings_slot; /* SLOT_JSON: array of texts; put when there are any */
};

extern const struct graph_node_type search_node; /* config: struct search_config */

struct search_hit { /* one of hits_slot, read back; views of arena */
    struct str document, title, heading, chunk, text;
    double score;
};
/* Write hit as an item of the array in hits_slot, into an open array. */
void search_write_hit(const struct hybrid_hit *hit, size_t number, struct json_write *json);
/* Write the value of context_slot: as many hits as fit into most bytes, but always the first. */
void search_write_context(const struct search_hit *hits, size_t count, size_t most,
                          struct buf *out);
/* Write hit as a source of an answer, as "citations" has it, into an open array. */
void search_write_citation(const struct search_hit *hit, size_t number, struct json_write *json);
/* Read the value of hits_slot into *hits. Returns how many; 0 when there are none, or no memory. */
size_t search_read_hits(struct arena *arena, struct str json, const struct search_hit **hits);

#endif
