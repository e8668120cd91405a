/* SPDX-License-Identifier: MIT */
/* agents/graph_files/type_ask.c - "ask": a prompt to a model; its text, or parts of it, into
 * fields.
 *
 * "prompt" is {"system":TEXT,"user":TEXT}, "prompt_file" a file beside the graph's. "output" takes
 * the whole text; "outputs" are [{"field":...,"take":"all"|"sql"|"explanation"|"json"|"refusal"|
 * "label"}]: with "label", "label" names the line and "until" the next one. What is not there
 * leaves its field absent. */
#include "agents/graph_files/node_types.h"

#include <stdio.h>
#include <string.h>

#include "agents/common/extract.h"
#include "agents/common/prompt.h"
#include "agents/graph_files/graph_fields.h"
#include "core/base/file.h"

enum { MAX_OUTPUTS = 8, FILE_BYTES = 64 * 1024, PATH_BYTES = 1024 };

enum take { TAKE_ALL, TAKE_SQL, TAKE_EXPLANATION, TAKE_JSON, TAKE_REFUSAL, TAKE_LABEL };

struct output {
    struct slot_ref slot;
    enum take take;
    const char *label, *until;
};

struct ask_file {
    struct ask_config ask; /* first: nodes see it as their config */
    struct output outputs[MAX_OUTPUTS];
    size_t output_count;
};

/* ---- at run time ---- */

static struct str take_part(const struct output *output, struct str answer)
{
    switch (output->take) {
    case TAKE_ALL:
        break;
    case TAKE_SQL:
        return extract_sql(answer);
    case TAKE_EXPLANATION:
        return extract_explanation(answer);
    case TAKE_JSON: {
        struct str object = extract_json(answer, '{');
        return str_is_absent(object) ? extract_json(answer, '[') : object;
    }
    case TAKE_REFUSAL:
        return extract_refusal(answer);
    case TAKE_LABEL:
        return extract_label(answer, output->label, output->until);
    }
    return str_trim(answer);
}

static enum step keep_outputs(struct node *node, struct str answer)
{
    const struct ask_file *file = node_config(node);
    for (size_t i = 0; i < file->output_count; i++) {
        struct str part = take_part(&file->outputs[i], answer);
        unsigned slot = slot_index(file->outputs[i].slot);
        if (str_is_absent(part))
            node_clear(node, slot);
        else
            node_put_str(node, slot, part);
    }
    return STEP_DONE;
}

/* ---- at load ---- */

/* The text of "prompt" as a file has it: its sections. */
static struct str join_sections(struct graph_reader *r, const struct json_value *prompt)
{
    static const char *const members[] = {"system", "user", NULL};
    struct str text = {NULL, 0};
    size_t mark = graph_reader_enter(r, STR("prompt"));
    if (graph_reader_members(r, prompt, members, NULL)) {
        struct str system = graph_reader_text(r, prompt, "system", false);
        struct str user = graph_reader_text(r, prompt, "user", true);
        if (graph_reader_ok(r) && str_is_absent(system))
            text = arena_printf(r->json.arena, "### user\n%.*s", STR_ARG(user));
        else if (graph_reader_ok(r))
            text = arena_printf(r->json.arena, "### system\n%.*s\n### user\n%.*s", STR_ARG(system),
                                STR_ARG(user));
    }
    graph_reader_leave(r, mark);
    return text;
}

/* The text of a file beside the graph's. */
static struct str read_beside(struct graph_reader *r, struct str name)
{
    char path[PATH_BYTES];
    struct err err;
    struct buf text;
    const char *slash = strrchr(r->json.path, '/');
    int folder = slash == NULL ? 0 : (int)(slash - r->json.path + 1);
    int len = snprintf(path, sizeof path, "%.*s%.*s", folder, r->json.path, STR_ARG(name));
    if (str_find(name, STR("..")) != STR_NONE || str_starts_with(name, STR("/")) || len < 0 ||
        (size_t)len >= sizeof path) {
        graph_reader_fail(r, "prompt_file", "expected a file beside the graph's, got '%.*s'",
                          STR_ARG(name));
        return str_make(NULL, 0);
    }
    buf_init(&text, FILE_BYTES);
    struct str copy = {NULL, 0};
    if (file_read(path, &text, &err) == ERR_OK)
        copy = arena_str(r->json.arena, buf_str(&text)), r->hash ^= str_hash(copy);
    else
        graph_reader_fail(r, "prompt_file", "%s", err.text);
    buf_fini(&text);
    return copy;
}

const struct prompt *type_ask_prompt(struct graph_reader *r, const struct json_value *object)
{
    const struct json_value *prompt = graph_reader_object(r, object, "prompt", false);
    struct str name = graph_reader_text(r, object, "prompt_file", false);
    struct err err;
    if (!graph_reader_ok(r))
        return NULL;
    if ((prompt == NULL) == str_is_absent(name)) {
        graph_reader_fail(r, NULL, "expected \"prompt\" or \"prompt_file\", one of them");
        return NULL;
    }
    struct str text = prompt != NULL ? join_sections(r, prompt) : read_beside(r, name);
    if (graph_reader_ok(r) && str_is_absent(text))
        graph_reader_no_memory(r);
    if (!graph_reader_ok(r))
        return NULL;
    const struct prompt *made = prompt_make(text, false, r->json.arena, &err);
    if (made == NULL)
        graph_reader_fail(r, prompt != NULL ? "prompt" : "prompt_file", "%s", err.text);
    return made;
}

static bool read_prompt(struct graph_reader *r, const struct json_value *object,
                        struct ask_config *ask)
{
    ask->own_prompt = type_ask_prompt(r, object);
    return ask->own_prompt != NULL &&
           graph_fields_bind(r, ask->own_prompt, graph_reader_object(r, object, "fields", false),
                             ask->fields);
}

static bool read_output(struct graph_reader *r, const struct json_value *object, unsigned index,
                        struct output *output)
{
    static const char *const members[] = {"field", "take", "label", "until", NULL};
    static const char *const takes[] = {"all", "sql", "explanation", "json", "refusal", "label"};
    if (!graph_reader_members(r, object, members, NULL))
        return false;
    struct str take = graph_reader_text(r, object, "take", true);
    size_t which = 0;
    while (which < countof(takes) && !str_equal(take, str_of(takes[which])))
        which++;
    if (graph_reader_ok(r) && which == countof(takes))
        return graph_reader_fail(
            r, "take", "expected all, sql, explanation, json, refusal or label, got '%.*s'",
            STR_ARG(take));
    output->take = (enum take)which;
    unsigned types = output->take == TAKE_JSON ? 1u << SLOT_JSON : 1u << SLOT_TEXT;
    output->slot = graph_reader_output(r, object, "field", true, types, index);
    output->label = graph_reader_name(r, object, "label", output->take == TAKE_LABEL);
    output->until = graph_reader_name(r, object, "until", false);
    return graph_reader_ok(r);
}

static bool read_outputs(struct graph_reader *r, const struct json_value *list, unsigned index,
                         struct ask_file *file)
{
    size_t outer = graph_reader_enter(r, STR("outputs"));
    if (list->count > MAX_OUTPUTS)
        return graph_reader_fail(r, NULL, "more than %d outputs", MAX_OUTPUTS);
    JSON_EACH(item, list) {
        size_t mark = graph_reader_enter_item(r, file->output_count);
        if (!read_output(r, item, index, &file->outputs[file->output_count++]))
            return false;
        graph_reader_leave(r, mark);
    }
    graph_reader_leave(r, outer);
    file->ask.keep = keep_outputs;
    return true;
}

static bool read(struct graph_reader *r, const struct json_value *object, unsigned index,
                 struct graph_node *node)
{
    struct ask_file *file = arena_alloc(r->json.arena, sizeof *file);
    if (file == NULL)
        return graph_reader_no_memory(r);
    struct ask_config *ask = &file->ask;
    ask->task = graph_reader_name(r, object, "task", false);
    if (ask->task == NULL)
        ask->task = node->name;
    ask->final_channel = graph_reader_flag(r, object, "answer");
    ask->is_statement = graph_reader_flag(r, object, "statement");
    ask->zero_temperature = graph_reader_flag(r, object, "exact");
    ask->messages_slot = graph_reader_slot(r, object, "messages", false, 1u << SLOT_LIST);
    ask->warnings_slot = graph_reader_output(r, object, "warnings", false, 1u << SLOT_JSON, index);
    ask->output_slot = graph_reader_output(r, object, "output", false, 1u << SLOT_TEXT, index);
    const struct json_value *outputs = graph_reader_array(r, object, "outputs", false);
    if (graph_reader_ok(r) && (outputs == NULL) != slot_is_named(ask->output_slot))
        return graph_reader_fail(r, NULL, "expected \"output\" or \"outputs\", one of them");
    if (!graph_reader_ok(r) || !read_prompt(r, object, ask))
        return false;
    node->type = &ask_node;
    node->config = file;
    return outputs == NULL || read_outputs(r, outputs, index, file);
}

const struct node_type type_ask_node = {
    "ask",
    {"prompt", "prompt_file", "fields", "task", "answer", "statement", "exact", "messages",
     "warnings", "output", "outputs"},
    read,
};
