/* SPDX-License-Identifier: MIT */
/* agents/graph_files/type_answer.c - "answer": a text with placeholders, said to the reader, and
 * into "output" when that is given. */
#include "agents/graph_files/graph_fields.h"
#include "agents/graph_files/node_types.h"

struct answer_file {
    const struct graph_text *text;
    struct slot_ref output;
};

static enum step enter(struct node *node)
{
    const struct answer_file *file = node_config(node);
    struct err err;
    struct str text = graph_fields_write(node, file->text);
    if (str_is_absent(text)) {
        err_set(&err, ERR_NO_MEMORY, "the answer does not fit into the run's memory");
        return node_fail(node, &err);
    }
    node_emit_token(node, EVENT_FINAL_CHANNEL, text);
    if (slot_is_named(file->output))
        node_put_str(node, slot_index(file->output), text);
    return STEP_DONE;
}

static const struct graph_node_type answer_node = {.enter = enter};

static bool read(struct graph_reader *r, const struct json_value *object, unsigned index,
                 struct graph_node *node)
{
    struct answer_file *file = arena_alloc(r->json.arena, sizeof *file);
    if (file == NULL)
        return graph_reader_no_memory(r);
    file->text = graph_fields_read(r, object, "text", true, NULL);
    file->output = graph_reader_output(r, object, "output", false, 1u << SLOT_TEXT, index);
    node->type = &answer_node;
    node->config = file;
    return file->text != NULL && graph_reader_ok(r);
}

const struct node_type type_answer_node = {"answer", {"text", "output"}, read};
