/* SPDX-License-Identifier: MIT */
/* agents/graph_files/type_search.c - "search": passages of the documents for a question. */
#include "agents/graph_files/node_types.h"
#include "agents/nodes/search.h"

enum { TOP = 5, MAX_TOP = 50 };

static bool read(struct graph_reader *r, const struct json_value *object, unsigned index,
                 struct graph_node *node)
{
    struct search_config *search = arena_alloc(r->json.arena, sizeof *search);
    if (search == NULL)
        return graph_reader_no_memory(r);
    search->collection = graph_reader_name(r, object, "collection", false);
    if (search->collection == NULL)
        search->collection = "documents";
    search->top = (size_t)graph_reader_int(r, object, "top", 1, MAX_TOP, TOP);
    search->question_slot = graph_reader_slot(r, object, "question", true, 1u << SLOT_TEXT);
    search->hits_slot = graph_reader_output(r, object, "hits", true, 1u << SLOT_JSON, index);
    search->context_slot = graph_reader_output(r, object, "context", true, 1u << SLOT_TEXT, index);
    search->warnings_slot =
        graph_reader_output(r, object, "warnings", true, 1u << SLOT_JSON, index);
    node->type = &search_node;
    node->config = search;
    return graph_reader_ok(r);
}

const struct node_type type_search_node = {
    "search", {"collection", "top", "question", "hits", "context", "warnings"}, read};
