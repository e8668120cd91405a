/* SPDX-License-Identifier: MIT */
/* agents/graph_files/type_memory.c - "recall": the conversation so far into a list, and the
 * question behind it; "remember": question and answer into the conversation. */
#include "agents/graph_files/node_types.h"
#include "agents/nodes/remember.h"

struct memory_file {
    struct slot_ref messages, question, answer;
};

static enum step recall(struct node *node)
{
    const struct memory_file *file = node_config(node);
    remember_load(node, slot_index(file->messages), node_str(node, slot_index(file->question)));
    return STEP_DONE;
}

static enum step remember(struct node *node)
{
    const struct memory_file *file = node_config(node);
    remember_save(node, node_str(node, slot_index(file->question)),
                  node_str(node, slot_index(file->answer)));
    return STEP_DONE;
}

static const struct graph_node_type recall_node = {.enter = recall},
                                    remember_node = {.enter = remember};

static struct memory_file *take(struct graph_reader *r, const struct json_value *object,
                                struct graph_node *node)
{
    struct memory_file *file = arena_alloc(r->json.arena, sizeof *file);
    if (file == NULL)
        graph_reader_no_memory(r);
    else
        file->question = graph_reader_slot(r, object, "question", true, 1u << SLOT_TEXT);
    node->config = file;
    return file;
}

static bool read_recall(struct graph_reader *r, const struct json_value *object, unsigned index,
                        struct graph_node *node)
{
    struct memory_file *file = take(r, object, node);
    node->type = &recall_node;
    if (file != NULL)
        file->messages = graph_reader_output(r, object, "messages", true, 1u << SLOT_LIST, index);
    if (graph_reader_ok(r) && r->slots[slot_index(file->messages)].reducer != REDUCE_APPEND)
        return graph_reader_fail(r, "messages", "the field needs \"reduce\":\"append\"");
    return graph_reader_ok(r);
}

static bool read_remember(struct graph_reader *r, const struct json_value *object,
                          unsigned index UNUSED, struct graph_node *node)
{
    struct memory_file *file = take(r, object, node);
    node->type = &remember_node;
    if (file != NULL)
        file->answer = graph_reader_slot(r, object, "answer", true, 1u << SLOT_TEXT);
    return graph_reader_ok(r);
}

const struct node_type type_memory_recall_node = {"recall", {"question", "messages"}, read_recall};
const struct node_type type_memory_remember_node = {
    "remember", {"question", "answer"}, read_remember};
