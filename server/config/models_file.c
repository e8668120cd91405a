/* SPDX-License-Identifier: MIT */
/* server/config/models_file.c - one table of members for a model; tasks name models.
 *
 * Happy path: each member is checked against the table and stored where the table says; keys are
 * taken from the variables that are named. Failure: an unknown member, a wrong type, a name that
 * nobody has: each gives a line with its JSON pointer, and there are no models in the end. */
#include "server/config/models_file.h"

#include <stddef.h>
#include <stdio.h>

#include "core/base/file.h"
#include "proto/json_value.h"

enum { FILE_BYTES = 256 << 10, POINTER_BYTES = 256, NAME_BYTES = 64 };

struct reader {
    const struct models_file_source *source;
    struct models_file *file;
    struct buf *problems;
    bool failed;
};

enum member_type {
    TEXT,
    COUNT,
    YES, /* true sets it */
    NO,  /* false sets it */
    WIRE,
    LIMIT,
    KEY,
    PRICES
};

static const struct member {
    const char *name;
    enum member_type type;
    size_t offset;
} members[] = {
    {"wire", WIRE, offsetof(struct models_file_model, wire)},
    {"url", TEXT, offsetof(struct models_file_model, url)},
    {"model", TEXT, offsetof(struct models_file_model, model)},
    {"key", KEY, offsetof(struct models_file_model, key_variable)},
    {"api_version", TEXT, offsetof(struct models_file_model, api_version)},
    {"reasoning_effort", TEXT, offsetof(struct models_file_model, reasoning_effort)},
    {"max_output_tokens", COUNT, offsetof(struct models_file_model, max_output_tokens)},
    {"limit", LIMIT, offsetof(struct models_file_model, traits.limit)},
    {"temperature", NO, offsetof(struct models_file_model, traits.no_temperature)},
    {"stream_options", NO, offsetof(struct models_file_model, traits.no_stream_options)},
    {"response_format", NO, offsetof(struct models_file_model, traits.no_response_format)},
    {"starts_thinking", YES, offsetof(struct models_file_model, traits.starts_thinking)},
    {"needs_room", YES, offsetof(struct models_file_model, traits.needs_room)},
    {"prices", PRICES, offsetof(struct models_file_model, prices)},
};

/* ---- tasks ---- */

static const struct {
    const char *task, *group;
} tasks[] = {
    {"classify", "classify"},
    {"intent", "classify"},
    {"table_selection", "classify"},
    {"query_processing", "classify"},
    {"question_rewriting", "classify"},
    {"context_validation", "classify"},
    {"classify_whole", "sql"}, /* it writes the statement, too */
    {"sql_generation", "sql"},
    {"sql_correction", "sql"},
    {"sql_decision", "sql"},
    {"join_review", "sql"},
    {"semantic_learning", "sql"},
    {"sql_answer", "answer"},
    {"sql_response", "answer"},
    {"insight", "answer"},
    {"general", "answer"},
    {"rag_answer", "documents"},
    {"analysis", "documents"},
    {"synthesis", "documents"},
    {"conversation_summary", "memory"},
    {"memory_compression", "memory"},
};

const char *models_file_task_at(size_t i)
{
    return i < countof(tasks) ? tasks[i].task : NULL;
}

const char *models_file_group(const char *task)
{
    for (size_t i = 0; task != NULL && i < countof(tasks); i++)
        if (str_equal(str_of(tasks[i].task), str_of(task)))
            return tasks[i].group;
    return NULL;
}

static const struct models_file_task *find_task(const struct models_file *file, const char *name)
{
    for (size_t i = 1; name != NULL && i < file->task_count; i++)
        if (strcmp(file->tasks[i].task, name) == 0)
            return &file->tasks[i];
    return NULL;
}

const struct models_file_task *models_file_task_for(const struct models_file *file,
                                                    const char *task)
{
    const struct models_file_task *found = find_task(file, task);
    if (found == NULL)
        found = find_task(file, models_file_group(task));
    return found == NULL ? &file->tasks[0] : found;
}

/* Whether a name is a task, or a group of tasks, that prompts have. */
static bool is_task(struct str name)
{
    for (size_t i = 0; i < countof(tasks); i++)
        if (str_equal(name, str_of(tasks[i].task)) || str_equal(name, str_of(tasks[i].group)))
            return true;
    return false;
}

/* ---- mistakes ---- */

static void refuse(struct reader *r, const char *parent, struct str member, const char *why)
{
    r->failed = true;
    buf_printf(r->problems, "ASKD_MODELS: %s: %s%s%.*s: %s\n", r->source->path, parent,
               member.len > 0 ? "/" : "", STR_ARG(member), why);
}

static void refuse_type(struct reader *r, const char *parent, const struct json_value *value,
                        const char *wanted)
{
    char why[128];
    snprintf(why, sizeof why, "expected %s, got %s", wanted, json_value_type_name(value));
    refuse(r, parent, value->key, why);
}

/* ---- a model ---- */

static const char *keep(struct reader *r, struct str text)
{
    const char *copy = arena_cstr(r->source->arena, text);
    return copy == NULL ? "" : copy;
}

static bool is_text(struct reader *r, const char *parent, const struct json_value *value)
{
    if (value->type == JSON_STRING && value->text.len > 0 &&
        str_find_char(value->text, '\0') == STR_NONE)
        return true;
    if (value->type == JSON_STRING)
        refuse(r, parent, value->key, "expected a text that is not empty");
    else
        refuse_type(r, parent, value, "a string");
    return false;
}

/* The place of value's text among names; count: it is none of them, which is said. */
static size_t choose(struct reader *r, const char *parent, const struct json_value *value,
                     const char *const *names, size_t count)
{
    char why[160];
    size_t i = 0;
    if (!is_text(r, parent, value))
        return count;
    while (i < count && !str_equal(value->text, str_of(names[i])))
        i++;
    snprintf(why, sizeof why, "expected %s, %s or %s; got '%.*s'", names[0], names[1], names[2],
             STR_ARG(str_utf8_prefix(value->text, NAME_BYTES)));
    if (i == count)
        refuse(r, parent, value->key, why);
    return i;
}

static void take_prices(struct reader *r, const char *parent, const struct json_value *value,
                        struct llm_prices *prices)
{
    char pointer[POINTER_BYTES + sizeof "/prices"];
    snprintf(pointer, sizeof pointer, "%s/prices", parent);
    if (value->type != JSON_OBJECT) {
        refuse_type(r, parent, value, "an object");
        return;
    }
    JSON_EACH(price, value) {
        bool is_number = price->type == JSON_INT || price->type == JSON_DOUBLE;
        if (!is_number || price->number < 0)
            refuse(r, pointer, price->key, "expected a number, 0 or more");
        else if (str_equal(price->key, STR("input")))
            prices->input = price->number;
        else if (str_equal(price->key, STR("cached_input")))
            prices->cached_input = price->number;
        else if (str_equal(price->key, STR("output")))
            prices->output = price->number;
        else
            refuse(r, pointer, price->key, "there is no such member; input, cached_input, output");
    }
}

static void take_key(struct reader *r, const char *parent, const struct json_value *value,
                     struct models_file_model *model)
{
    if (!is_text(r, parent, value))
        return;
    model->key_variable = keep(r, value->text);
    struct str key = r->source->find(r->source->owner, model->key_variable);
    if (str_is_empty(key))
        refuse(r, parent, value->key, "the variable of this name is not set");
    model->key = keep(r, key);
}

static void take_member(struct reader *r, const char *parent, const struct json_value *value,
                        const struct member *member, struct models_file_model *model)
{
    static const char *const wires[] = {"openai", "azure", "anthropic"};
    static const char *const limits[] = {"max_tokens", "max_completion_tokens", "none"};
    void *field = (char *)model + member->offset;
    size_t choice;
    switch (member->type) {
    case TEXT:
        if (is_text(r, parent, value))
            *(const char **)field = keep(r, value->text);
        break;
    case COUNT:
        if (value->type != JSON_INT || value->integer < 1 || value->integer > 1000000)
            refuse(r, parent, value->key, "expected a whole number from 1 to 1000000");
        else
            *(uint64_t *)field = (uint64_t)value->integer;
        break;
    case YES:
    case NO:
        if (value->type != JSON_BOOL)
            refuse_type(r, parent, value, "true or false");
        else
            *(bool *)field = value->boolean == (member->type == YES);
        break;
    case WIRE:
        choice = choose(r, parent, value, wires, countof(wires));
        model->wire = (enum model_wire)(choice % countof(wires));
        break;
    case LIMIT:
        choice = choose(r, parent, value, limits, countof(limits));
        model->traits.limit = (enum model_limit)(choice % countof(limits));
        break;
    case KEY:
        take_key(r, parent, value, model);
        break;
    case PRICES:
        take_prices(r, parent, value, field);
        break;
    }
}

static void take_model(struct reader *r, const struct json_value *value)
{
    struct models_file *file = r->file;
    struct models_file_model *model = &file->models[file->model_count];
    char pointer[POINTER_BYTES];
    snprintf(pointer, sizeof pointer, "/models/%.*s",
             STR_ARG(str_utf8_prefix(value->key, NAME_BYTES)));
    if (value->type != JSON_OBJECT) {
        refuse_type(r, "/models", value, "an object");
        return;
    }
    if (file->model_count == MODELS_FILE_MODELS) {
        refuse(r, "/models", value->key, "there are more than 16");
        return;
    }
    file->model_count++;
    *model = (struct models_file_model){.name = keep(r, value->key),
                                        .url = "",
                                        .model = "",
                                        .key = "",
                                        .key_variable = "",
                                        .reasoning_effort = "",
                                        .api_version = r->source->azure_api_version};
    model->place =
        keep(r, arena_printf(r->source->arena, "%s/url in %s", pointer, r->source->path));
    JSON_EACH(item, value) {
        size_t i = 0;
        while (i < countof(members) && !str_equal(item->key, str_of(members[i].name)))
            i++;
        if (i == countof(members))
            refuse(r, pointer, item->key, "there is no such member");
        else
            take_member(r, pointer, item, &members[i], model);
    }
    if (json_value_member(value, STR("url")) == NULL)
        refuse(r, pointer, STR("url"), "is needed: the address of the server");
    if (json_value_member(value, STR("model")) == NULL)
        refuse(r, pointer, STR("model"), "is needed: the model's name, Azure's deployment");
}

/* ---- tasks of the file ---- */

static size_t find_model(const struct models_file *file, struct str name)
{
    size_t i = 0;
    while (i < file->model_count && !str_equal(name, str_of(file->models[i].name)))
        i++;
    return i;
}

static bool is_in(const struct models_file_task *task, size_t model)
{
    for (size_t i = 0; i < task->count; i++)
        if (task->models[i] == model)
            return true;
    return false;
}

static void take_models_of(struct reader *r, const struct json_value *value,
                           struct models_file_task *task)
{
    if (value->type != JSON_ARRAY || value->count == 0) {
        refuse(r, "/tasks", value->key, "expected an array of models' names, not empty");
        return;
    }
    JSON_EACH(name, value) {
        size_t model =
            name->type == JSON_STRING ? find_model(r->file, name->text) : r->file->model_count;
        if (model == r->file->model_count)
            refuse(r, "/tasks", value->key, "one of the names is not in /models");
        else if (is_in(task, model))
            refuse(r, "/tasks", value->key, "one of the names is there twice");
        else
            task->models[task->count++] = (unsigned char)model;
    }
}

static void take_task(struct reader *r, const struct json_value *value)
{
    struct models_file *file = r->file;
    bool is_default = str_equal(value->key, STR("default"));
    if (!is_default && !is_task(value->key)) {
        refuse(r, "/tasks", value->key,
               "there is no such task; default, classify, sql, answer, documents, memory, or the "
               "task of one prompt");
        return;
    }
    struct models_file_task *task = is_default ? &file->tasks[0] : &file->tasks[file->task_count++];
    task->count = 0;
    task->task = is_default ? NULL : keep(r, value->key);
    take_models_of(r, value, task);
}

static void take_root(struct reader *r, const struct json_value *root)
{
    const struct json_value *models = json_value_member(root, STR("models"));
    const struct json_value *wanted = json_value_member(root, STR("tasks"));
    struct models_file *file = r->file;
    JSON_EACH(item, root)
        if (item != models && item != wanted)
            refuse(r, "", item->key, "there is no such member; models, tasks");
    if (models == NULL || models->type != JSON_OBJECT || models->count == 0) {
        refuse(r, "", STR("models"), "expected an object of models by their names, not empty");
        return;
    }
    JSON_EACH(model, models)
        take_model(r, model);
    file->task_count = 1;
    file->tasks[0].count = file->model_count;
    for (size_t i = 0; i < file->model_count; i++)
        file->tasks[0].models[i] = (unsigned char)i;
    if (wanted != NULL && wanted->type != JSON_OBJECT)
        refuse_type(r, "", wanted, "an object");
    else if (wanted != NULL)
        JSON_EACH(task, wanted)
            take_task(r, task);
}

const struct models_file *models_file_read(const struct models_file_source *source,
                                           struct buf *problems)
{
    struct reader r = {.source = source, .problems = problems};
    struct err err = {0};
    struct buf text;
    struct str copy = {NULL, 0};
    buf_init(&text, FILE_BYTES);
    r.file = arena_alloc(source->arena, sizeof *r.file);
    enum err_code code = file_read(source->path, &text, &err);
    if (code == ERR_OK)
        copy = arena_str(source->arena, buf_str(&text));
    buf_fini(&text);
    const struct json_value *root = NULL;
    if (code == ERR_OK && r.file != NULL && !str_is_absent(copy))
        root = json_value_parse(source->arena, copy, NULL, &err);
    if (root == NULL || root->type != JSON_OBJECT) {
        buf_printf(problems, "ASKD_MODELS: %s%s%s\n", code == ERR_OK ? source->path : "",
                   code == ERR_OK ? ": " : "", root != NULL ? "expected an object" : err.text);
        return NULL;
    }
    take_root(&r, root);
    return r.failed ? NULL : r.file;
}
