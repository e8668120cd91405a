/* SPDX-License-Identifier: MIT */
/* agents/graph_files/type_ask.c - "ask": a prompt to a model; its text, or parts of it, into
 * fields.
 *
 * "prompt" is {"system":TEXT,"user":TEXT} or the name of one of askd's own, "prompt_file" a file
 * beside the graph's. "output" takes the whole text; "outputs" are parts of it, by "take": "sql",
 * "label", ... What is not there leaves its field absent. "instead" says a text without a model,
 * "mend" mends a statement without one, "hold" holds the answer against rows, "remember" keeps it
 * in the conversation. */
#include "agents/graph_files/node_types.h"

#include <stdio.h>
#include <string.h>

#include "agents/common/extract.h"
#include "agents/common/prompt.h"
#include "agents/graph_files/graph_condition.h"
#include "agents/graph_files/graph_fields.h"
#include "agents/nodes/chart.h"
#include "agents/nodes/hold.h"
#include "agents/nodes/mend.h"
#include "agents/nodes/take_sql.h"
#include "agents/services/registry_entry.h"
#include "core/base/file.h"
#include "proto/json_write.h"

enum { MAX_OUTPUTS = 16, ANSWER_BYTES = 4 << 20, FILE_BYTES = 64 * 1024, PATH_BYTES = 1024 };

enum take {
    TAKE_ALL,
    TAKE_SQL,
    TAKE_EXPLANATION,
    TAKE_JSON,
    TAKE_REFUSAL,
    TAKE_LABEL,
    TAKE_CHART,
    TAKE_MEMBER,
    TAKES
};
static const char *const take_names[TAKES] = {"all",     "sql",   "explanation", "json",
                                              "refusal", "label", "chart",       "member"};

struct output {
    struct slot_ref slot;
    enum take take;
    bool or_all; /* all of the answer where the part is not in it */
    bool say;    /* to the reader */
    const char *label, *until;
    struct slot_ref rows, question, chart; /* of a chart; chart may be none */
};

struct ask_file {
    struct ask_config ask; /* first: nodes see it as their config */
    struct output outputs[MAX_OUTPUTS];
    size_t output_count;
    unsigned takes; /* the mask of 1 << TAKE_SQL ... of the outputs */
    struct hold_config hold;
    const struct check_sql_config *mended; /* by its repairs; NULL: nothing is mended */
    unsigned not_by;                       /* the repairs that are not tried */
    const struct graph_condition *instead; /* when it holds, said is said; or NULL */
    const struct graph_text *said;
    const struct memory_file *remember; /* NULL: nothing is remembered */
};

/* ---- at run time ---- */

struct reply { /* an answer, and what several outputs take their parts of */
    struct str text;
    struct taken_sql statement;
    const struct json_value *object; /* NULL: the answer is none */
};

/* The statement or the refusal that the answer is, beside what the statement's field held. */
static struct taken_sql take_statement(struct node *node, struct str answer)
{
    const struct ask_file *file = node_config(node);
    struct str before = STR("");
    for (size_t i = 0; i < file->output_count; i++)
        if (file->outputs[i].take == TAKE_SQL && node_has(node, slot_index(file->outputs[i].slot)))
            before = node_str(node, slot_index(file->outputs[i].slot));
    bool is_doubted = file->mended != NULL && node_has(node, slot_index(file->mended->doubt_slot));
    return take_sql(node, answer, before, is_doubted);
}

/* The object that the answer is; NULL: it is none. */
static const struct json_value *take_object(struct node *node, struct str answer)
{
    struct str object = extract_json(answer, '{');
    return str_is_absent(object) ? NULL : json_value_parse(node_arena(node), object, NULL, NULL);
}

static struct str take_part(const struct output *output, const struct reply *reply)
{
    switch (output->take) {
    case TAKE_SQL:
        return reply->statement.sql;
    case TAKE_EXPLANATION: {
        struct str around = extract_explanation(reply->text);
        return around.len > 0 ? around : str_make(NULL, 0);
    }
    case TAKE_JSON: {
        struct str object = extract_json(reply->text, '{');
        return str_is_absent(object) ? extract_json(reply->text, '[') : object;
    }
    case TAKE_REFUSAL:
        return reply->statement.refusal;
    case TAKE_CHART:
    case TAKE_LABEL:
        return extract_label(reply->text, output->label, output->until);
    case TAKE_ALL:
    case TAKE_MEMBER:
    case TAKES:
        break;
    }
    return str_trim(reply->text);
}

/* The type of chart that the model named where the rows allow it, and the chart. */
static void put_chart(struct node *node, const struct output *output, struct str label)
{
    const char *name;
    struct str question = node_str(node, slot_index(output->question));
    struct str chart =
        chart_of_word(node, slot_index(output->rows), question, extract_word(label), &name);
    node_put_str(node, slot_index(output->slot), str_of(name));
    if (slot_is_named(output->chart) && !str_is_absent(chart))
        node_put_str(node, slot_index(output->chart), chart);
}

static void put_output(struct node *node, const struct output *output, const struct reply *reply)
{
    unsigned slot = slot_index(output->slot);
    if (output->take == TAKE_MEMBER) {
        graph_fields_put(node, slot, json_value_member(reply->object, str_of(output->label)));
        return;
    }
    struct str part = take_part(output, reply);
    if (str_is_absent(part) && output->or_all)
        part = str_trim(reply->text);
    if (output->take == TAKE_CHART)
        put_chart(node, output, part);
    else if (!str_is_absent(part))
        node_put_str(node, slot, part);
    else if (output->take != TAKE_REFUSAL || node_has(node, slot)) /* most answers refuse nothing */
        node_clear(node, slot);
    if (output->say && !str_is_absent(part))
        node_emit_token(node, EVENT_FINAL_CHANNEL, part);
}

static enum step keep(struct node *node, struct str answer)
{
    const struct ask_file *file = node_config(node);
    struct reply reply = {.text = answer};
    if ((file->takes & (1u << TAKE_SQL | 1u << TAKE_REFUSAL)) != 0)
        reply.statement = take_statement(node, answer);
    if ((file->takes & 1u << TAKE_MEMBER) != 0)
        reply.object = take_object(node, answer);
    for (size_t i = 0; i < file->output_count; i++)
        put_output(node, &file->outputs[i], &reply);
    if (file->remember != NULL)
        type_memory_keep(node, file->remember, str_trim(answer));
    return STEP_DONE;
}

/* Whether the model need not be asked. */
static enum step look_first(struct node *node)
{
    const struct ask_file *file = node_config(node);
    struct sql_repair repair;
    if (file->mended != NULL && mend_sql(node, file->mended, file->not_by, &repair))
        return STEP_DONE;
    if (file->instead == NULL ||
        !graph_condition_holds(file->instead, node_state(node), node_graph(node)))
        return STEP_WAIT;
    struct str text = graph_fields_write(node, file->said);
    if (file->ask.final_channel)
        node_emit_token(node, EVENT_FINAL_CHANNEL, text);
    return keep(node, text);
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

/* The prompt of that name of askd's own, "folder/name" of the graph "folder"; NULL: a mistake. */
static const struct prompt_spec *find_spec(struct graph_reader *r, struct str name)
{
    struct err err = {0};
    uint64_t hash = 0;
    ptrdiff_t slash = str_find_char(name, '/');
    const struct registry_entry *entry =
        slash == STR_NONE ? NULL : r->find(r->owner, str_make(name.at, (size_t)slash), &hash, &err);
    for (size_t i = 0; entry != NULL && i < entry->prompt_count; i++)
        if (str_equal(str_of(entry->prompts[i].name), name))
            return &entry->prompts[i];
    graph_reader_fail(r, "prompt", "'%.*s' is no prompt of a graph of askd", STR_ARG(name));
    return NULL;
}

static bool read_own_prompt(struct graph_reader *r, const struct json_value *object,
                            struct ask_config *ask)
{
    const struct json_value *fields = graph_reader_object(r, object, "fields", false);
    const struct prompt_spec *spec = find_spec(r, json_value_member(object, STR("prompt"))->text);
    if (spec == NULL)
        return false;
    ask->prompt = spec->name;
    return graph_fields_bind_names(r, spec->fields, fields, ask->fields);
}

static bool read_prompt(struct graph_reader *r, const struct json_value *object,
                        struct ask_config *ask)
{
    const struct json_value *prompt = json_value_member(object, STR("prompt"));
    if (prompt != NULL && prompt->type == JSON_STRING)
        return read_own_prompt(r, object, ask);
    ask->own_prompt = type_ask_prompt(r, object);
    return ask->own_prompt != NULL &&
           graph_fields_bind(r, ask->own_prompt, graph_reader_object(r, object, "fields", false),
                             ask->fields);
}

static bool read_take(struct graph_reader *r, const struct json_value *object,
                      struct output *output)
{
    struct str take = graph_reader_text(r, object, "take", true);
    struct str otherwise = graph_reader_text(r, object, "or", false);
    unsigned which = 0;
    while (which < TAKES && !str_equal(take, str_of(take_names[which])))
        which++;
    if (graph_reader_ok(r) && which == TAKES)
        return graph_reader_fail(
            r, "take",
            "expected all, sql, explanation, json, refusal, label, chart or member, got '%.*s'",
            STR_ARG(take));
    output->take = (enum take)which;
    output->or_all = !str_is_absent(otherwise);
    return graph_reader_ok(r) &&
           (!output->or_all || str_equal(otherwise, STR("all")) ||
            graph_reader_fail(r, "or", "expected all, got '%.*s'", STR_ARG(otherwise)));
}

static bool read_output(struct graph_reader *r, const struct json_value *object, unsigned index,
                        struct output *output)
{
    static const char *const members[] = {"field", "take", "label",    "until", "or",
                                          "say",   "rows", "question", "chart", NULL};
    if (!graph_reader_members(r, object, members, NULL) || !read_take(r, object, output))
        return false;
    bool is_chart = output->take == TAKE_CHART;
    unsigned types = output->take == TAKE_JSON     ? 1u << SLOT_JSON
                     : output->take == TAKE_MEMBER ? GRAPH_FIELDS_TYPES
                                                   : 1u << SLOT_TEXT;
    output->slot = graph_reader_output(r, object, "field", true, types, index);
    output->label = graph_reader_name(
        r, object, "label", is_chart || output->take == TAKE_LABEL || output->take == TAKE_MEMBER);
    output->until = graph_reader_name(r, object, "until", false);
    output->say = graph_reader_flag(r, object, "say");
    output->rows = graph_reader_slot(r, object, "rows", is_chart, 1u << SLOT_JSON);
    output->question = graph_reader_slot(r, object, "question", is_chart, 1u << SLOT_TEXT);
    output->chart = graph_reader_output(r, object, "chart", false, 1u << SLOT_JSON, index);
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
        if (!read_output(r, item, index, &file->outputs[file->output_count]))
            return false;
        file->takes |= 1u << file->outputs[file->output_count++].take;
        graph_reader_leave(r, mark);
    }
    graph_reader_leave(r, outer);
    return true;
}

/* "output" is the one output that takes all. */
static bool read_parts(struct graph_reader *r, const struct json_value *object, unsigned index,
                       struct ask_file *file)
{
    struct slot_ref output =
        graph_reader_output(r, object, "output", false, 1u << SLOT_TEXT, index);
    const struct json_value *outputs = graph_reader_array(r, object, "outputs", false);
    if (graph_reader_ok(r) && (outputs == NULL) != slot_is_named(output))
        return graph_reader_fail(r, NULL, "expected \"output\" or \"outputs\", one of them");
    if (!graph_reader_ok(r))
        return false;
    if (outputs != NULL)
        return read_outputs(r, outputs, index, file);
    file->outputs[file->output_count++] = (struct output){.slot = output, .take = TAKE_ALL};
    return true;
}

/* "schema": the form of an answer that is an object. */
static bool read_schema(struct graph_reader *r, const struct json_value *object,
                        struct ask_config *ask)
{
    const struct json_value *schema = graph_reader_object(r, object, "schema", false);
    struct json_write json;
    struct buf text;
    if (schema == NULL)
        return graph_reader_ok(r);
    buf_init(&text, FILE_BYTES);
    json_write_init(&json, &text);
    json_value_write(schema, &json);
    ask->answer = buf_ok(&text) ? arena_cstr(r->json.arena, buf_str(&text)) : NULL;
    buf_fini(&text);
    return ask->answer != NULL || graph_reader_no_memory(r);
}

static bool read_hold(struct graph_reader *r, const struct json_value *object,
                      struct ask_file *file)
{
    static const char *const members[] = {"question", "statement", "shown", "columns", NULL};
    const struct json_value *hold = graph_reader_object(r, object, "hold", false);
    if (hold == NULL)
        return graph_reader_ok(r);
    if (!slot_is_named(file->ask.warnings_slot))
        return graph_reader_fail(r, "hold",
                                 "expected \"warnings\", which tell that an answer did "
                                 "not hold");
    size_t mark = graph_reader_enter(r, STR("hold"));
    if (!graph_reader_members(r, hold, members, NULL))
        return false;
    file->hold = (struct hold_config){
        .question_slot = graph_reader_slot(r, hold, "question", true, 1u << SLOT_TEXT),
        .sql_slot = graph_reader_slot(r, hold, "statement", true, 1u << SLOT_TEXT),
        .shown_slot = graph_reader_slot(r, hold, "shown", true, 1u << SLOT_JSON),
        .columns_slot = graph_reader_slot(r, hold, "columns", true, 1u << SLOT_JSON),
        .warnings_slot = file->ask.warnings_slot,
    };
    file->ask.hold = &file->hold;
    graph_reader_leave(r, mark);
    return graph_reader_ok(r);
}

static bool read_instead(struct graph_reader *r, const struct json_value *object,
                         struct ask_file *file)
{
    static const char *const members[] = {"if", "say", NULL};
    const struct json_value *instead = graph_reader_object(r, object, "instead", false);
    if (instead == NULL)
        return graph_reader_ok(r);
    size_t outer = graph_reader_enter(r, STR("instead"));
    if (!graph_reader_members(r, instead, members, NULL))
        return false;
    file->instead = graph_condition_read(r, instead);
    if (file->instead == NULL)
        return false;
    file->said =
        graph_fields_read(r, instead, "say", true, json_value_member(object, STR("fields")));
    graph_reader_leave(r, outer);
    return file->said != NULL;
}

static bool read_remember(struct graph_reader *r, const struct json_value *object, unsigned index,
                          struct ask_file *file)
{
    const struct json_value *remember = graph_reader_object(r, object, "remember", false);
    if (remember == NULL)
        return graph_reader_ok(r);
    size_t mark = graph_reader_enter(r, STR("remember"));
    if (!graph_reader_members(r, remember, type_memory_members, NULL))
        return false;
    file->remember = type_memory_read(r, remember, index);
    graph_reader_leave(r, mark);
    return file->remember != NULL;
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
    ask->first = look_first;
    ask->keep = keep;
    node->type = &ask_node;
    node->config = r->linked[index] = file;
    return graph_reader_ok(r) && read_parts(r, object, index, file) &&
           read_prompt(r, object, ask) && read_schema(r, object, ask) &&
           read_hold(r, object, file) && read_instead(r, object, file) &&
           read_remember(r, object, index, file);
}

/* ---- once all nodes are read ---- */

static bool find_repair(struct graph_reader *r, struct str name, unsigned *bits)
{
    for (unsigned i = 0; sql_repair_kind(i) != NULL; i++)
        if (str_equal(name, str_of(sql_repair_kind(i)))) {
            *bits |= sql_repair_bit(sql_repair_kind(i));
            return true;
        }
    return graph_reader_fail(r, NULL, "there is no repair '%.*s'", STR_ARG(name));
}

static bool read_not_by(struct graph_reader *r, const struct json_value *mend,
                        struct ask_file *file)
{
    const struct json_value *list = graph_reader_array(r, mend, "not_by", false);
    size_t i = 0, outer = graph_reader_enter(r, STR("not_by"));
    for (const struct json_value *item = list == NULL ? NULL : list->first; item != NULL;
         item = item->next) {
        size_t mark = graph_reader_enter_item(r, i++);
        struct str name = item->type == JSON_STRING ? item->text : STR("");
        if (!find_repair(r, name, &file->not_by))
            return false;
        graph_reader_leave(r, mark);
    }
    graph_reader_leave(r, outer);
    return graph_reader_ok(r);
}

/* The ask writes the statement of the guard whose refusals it mends, and what was mended. */
static bool use_guard(struct graph_reader *r, const struct check_sql_config *check, unsigned index)
{
    if (!slot_is_named(check->repairs_slot) || !slot_is_named(check->doubt_slot))
        return graph_reader_fail(r, "check", "expected a check_sql with \"repairs\" and \"doubt\"");
    r->slots[slot_index(check->sql_slot)].writers |= SLOT_WRITER(index);
    r->slots[slot_index(check->repairs_slot)].writers |= SLOT_WRITER(index);
    return true;
}

static bool link_mend(struct graph_reader *r, const struct json_value *object, unsigned index)
{
    static const char *const members[] = {"check", "not_by", NULL};
    struct ask_file *file = r->linked[index];
    const struct json_value *mend = graph_reader_object(r, object, "mend", false);
    if (mend == NULL)
        return graph_reader_ok(r);
    size_t mark = graph_reader_enter(r, STR("mend"));
    if (!graph_reader_members(r, mend, members, NULL))
        return false;
    struct str check = graph_reader_text(r, mend, "check", true);
    file->mended = graph_reader_ok(r) ? type_check_sql_find(r, "check", check) : NULL;
    if (file->mended == NULL || !use_guard(r, file->mended, index) || !read_not_by(r, mend, file))
        return false;
    graph_reader_leave(r, mark);
    return true;
}

const struct node_type type_ask_node = {
    "ask",
    {"prompt", "prompt_file", "fields", "task", "answer", "statement", "exact", "messages",
     "warnings", "output", "outputs", "schema", "mend", "instead", "hold", "remember"},
    read,
    link_mend,
};
