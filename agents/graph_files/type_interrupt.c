/* SPDX-License-Identifier: MIT */
/* agents/graph_files/type_interrupt.c - "interrupt": the run pauses until a person has answered.
 *
 * The question goes out as {"type":"question","text":...,"options":[...]}; the answer is a text, or
 * {"answer":TEXT}; with "options" only one of them is taken, anything else asks again. */
#include "agents/graph_files/graph_fields.h"
#include "agents/graph_files/node_types.h"
#include "proto/json_write.h"

enum { DETAILS_BYTES = 64 * 1024 };

struct interrupt_file {
    const struct graph_text *text;
    const struct json_value *options; /* NULL: any answer */
    struct slot_ref output;
};

static struct str read_answer(struct node *node)
{
    struct str text = {NULL, 0};
    const struct json_value *value =
        json_value_parse(node_arena(node), node_resume(node), NULL, NULL);
    if (value != NULL && value->type == JSON_STRING)
        return value->text;
    if (value != NULL && json_value_str(value, "/answer", &text, NULL) == ERR_OK)
        return text;
    return str_make(NULL, 0);
}

static bool is_option(const struct interrupt_file *file, struct str answer)
{
    if (file->options == NULL)
        return true;
    JSON_EACH(item, file->options) {
        if (str_equal(item->text, answer))
            return true;
    }
    return false;
}

static enum step ask(struct node *node, const struct interrupt_file *file, bool again)
{
    struct buf out;
    struct json_write writer;
    buf_init(&out, DETAILS_BYTES);
    json_write_init(&writer, &out);
    json_write_object(&writer);
    json_write_member_str(&writer, STR("type"), STR("question"));
    json_write_member_str(&writer, STR("text"), graph_fields_write(node, file->text));
    if (file->options != NULL) {
        json_write_key(&writer, STR("options"));
        json_value_write(file->options, &writer);
    }
    if (again)
        json_write_member_str(&writer, STR("error"), STR("that was none of the options"));
    json_write_object_end(&writer);
    struct str object = buf_str(&out);
    struct err err;
    enum step step;
    if (buf_ok(&out)) {
        step = node_interrupt(node, str_slice(object, 1, object.len - 1));
    } else {
        err_set(&err, ERR_TOO_LARGE, "the question to a person is longer than %d bytes",
                DETAILS_BYTES);
        step = node_fail(node, &err);
    }
    buf_fini(&out);
    return step;
}

static enum step enter(struct node *node)
{
    const struct interrupt_file *file = node_config(node);
    bool was_asked = !str_is_absent(node_resume(node));
    struct str answer = was_asked ? read_answer(node) : str_make(NULL, 0);
    if (str_is_absent(answer) || !is_option(file, answer))
        return ask(node, file, was_asked);
    node_put_str(node, slot_index(file->output), answer);
    return STEP_DONE;
}

static const struct graph_node_type interrupt_node = {.enter = enter};

static bool read(struct graph_reader *r, const struct json_value *object, unsigned index,
                 struct graph_node *node)
{
    struct interrupt_file *file = arena_alloc(r->json.arena, sizeof *file);
    if (file == NULL)
        return graph_reader_no_memory(r);
    file->text = graph_fields_read(r, object, "text", true, NULL);
    file->options = graph_reader_array(r, object, "options", false);
    file->output = graph_reader_output(r, object, "output", true, 1u << SLOT_TEXT, index);
    if (file->options != NULL)
        JSON_EACH(item, file->options) {
            if (item->type != JSON_STRING)
                return graph_reader_fail(r, "options", "expected texts, got %s",
                                         json_value_type_name(item));
        }
    node->type = &interrupt_node;
    node->config = file;
    return graph_reader_ok(r);
}

const struct node_type type_interrupt_node = {"interrupt", {"text", "options", "output"}, read};
