/* SPDX-License-Identifier: MIT */
/* agents/graph_files/type_memory.c - "recall": the conversation so far into a list, and the
 * question behind it; "remember": question and answer into the conversation.
 *
 * What is remembered may also be a statement, the last one that answered, when "if" holds. */
#include "agents/graph_files/graph_condition.h"
#include "agents/graph_files/node_types.h"
#include "agents/nodes/remember.h"

struct memory_file {
    struct slot_ref question, answer;
    struct slot_ref messages, statement;     /* may be none */
    const struct graph_condition *condition; /* of the statement; NULL: always */
};

const char *const type_memory_members[] = {"question", "messages", "statement", "if", NULL};

static enum step recall(struct node *node)
{
    const struct memory_file *file = node_config(node);
    remember_load(node, slot_index(file->messages), node_str(node, slot_index(file->question)));
    return STEP_DONE;
}

void type_memory_keep(struct node *node, const struct memory_file *file, struct str answer)
{
    if (slot_is_named(file->messages))
        remember_push(node, slot_index(file->messages), LLM_ASSISTANT, answer);
    remember_save(node, node_str(node, slot_index(file->question)), answer);
    if (slot_is_named(file->statement) &&
        (file->condition == NULL ||
         graph_condition_holds(file->condition, node_state(node), node_graph(node))))
        remember_statement(node, node_str(node, slot_index(file->statement)));
}

static enum step remember(struct node *node)
{
    const struct memory_file *file = node_config(node);
    type_memory_keep(node, file, node_str(node, slot_index(file->answer)));
    return STEP_DONE;
}

static const struct graph_node_type recall_node = {.enter = recall},
                                    remember_node = {.enter = remember};

static bool read_recall(struct graph_reader *r, const struct json_value *object, unsigned index,
                        struct graph_node *node)
{
    struct memory_file *file = arena_alloc(r->json.arena, sizeof *file);
    if (file == NULL)
        return graph_reader_no_memory(r);
    file->question = graph_reader_slot(r, object, "question", true, 1u << SLOT_TEXT);
    file->messages = graph_reader_list(r, object, "messages", true, index);
    node->type = &recall_node;
    node->config = file;
    return graph_reader_ok(r);
}

struct memory_file *type_memory_read(struct graph_reader *r, const struct json_value *object,
                                     unsigned index)
{
    struct memory_file *file = arena_alloc(r->json.arena, sizeof *file);
    if (file == NULL) {
        graph_reader_no_memory(r);
        return NULL;
    }
    file->question = graph_reader_slot(r, object, "question", true, 1u << SLOT_TEXT);
    file->messages = graph_reader_list(r, object, "messages", false, index);
    file->statement = graph_reader_slot(r, object, "statement", false, 1u << SLOT_TEXT);
    if (json_value_member(object, STR("if")) != NULL)
        file->condition = graph_condition_read(r, object);
    return graph_reader_ok(r) ? file : NULL;
}

static bool read_remember(struct graph_reader *r, const struct json_value *object, unsigned index,
                          struct graph_node *node)
{
    struct memory_file *file = type_memory_read(r, object, index);
    if (file != NULL)
        file->answer = graph_reader_slot(r, object, "answer", true, 1u << SLOT_TEXT);
    node->type = &remember_node;
    node->config = file;
    return graph_reader_ok(r);
}

const struct node_type type_memory_recall_node = {"recall", {"question", "messages"}, read_recall};
const struct node_type type_memory_remember_node = {
    "remember", {"question", "answer", "messages", "statement", "if"}, read_remember};
