/* SPDX-License-Identifier: MIT */
/* agents/graph_files/type_gather.c - "gather": what a model needs to write a statement for a
 * question (agents/gather/gather.h): similar questions, metadata, tables, values. */
#include "agents/gather/gather.h"
#include "agents/graph_files/node_types.h"

enum { TEXT = 1u << SLOT_TEXT, JSON = 1u << SLOT_JSON };

static bool read(struct graph_reader *r, const struct json_value *object, unsigned index,
                 struct graph_node *node)
{
    struct gather_config *gather = arena_alloc(r->json.arena, sizeof *gather);
    if (gather == NULL)
        return graph_reader_no_memory(r);
    gather->question_slot = graph_reader_slot(r, object, "question", true, TEXT);
    gather->messages_slot = graph_reader_list(r, object, "messages", false, index);
    gather->pairs_slot = graph_reader_output(r, object, "pairs", false, JSON, index);
    gather->metadata_slot = graph_reader_output(r, object, "metadata", false, JSON, index);
    gather->schema_slot = graph_reader_output(r, object, "schema", false, TEXT, index);
    gather->values_slot = graph_reader_output(r, object, "values", false, TEXT, index);
    gather->examples_slot = graph_reader_output(r, object, "examples", false, TEXT, index);
    gather->warning_slot = graph_reader_output(r, object, "warning", false, TEXT, index);
    node->type = &gather_node;
    node->config = gather;
    return graph_reader_ok(r);
}

const struct node_type type_gather_node = {
    "gather",
    {"question", "messages", "pairs", "metadata", "schema", "values", "examples", "warning"},
    read,
};
