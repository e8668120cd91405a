/* SPDX-License-Identifier: MIT */
/* server/api/client_tools.c - one form of tools for the run, whatever the door's.
 *
 * Failure: a tool without a name, with one that models do not take, with one of askd's own, or with
 * one that is there twice: 422 at its pointer. */
#include "server/api/client_tools.h"

#include <stdio.h>

#include "agents/tools/client.h"
#include "agents/tools/list.h"
#include "core/base/id.h"

enum { POINTER_BYTES = 160, NAME_BYTES = 64, READ_BYTES = 8 << 20, RESULT_BYTES = 16 << 20 };

static bool is_name(struct str name)
{
    bool is_fine = name.len > 0 && name.len <= NAME_BYTES;
    for (size_t i = 0; i < name.len; i++)
        is_fine = is_fine && (str_is_alpha(name.at[i]) || str_is_digit(name.at[i]) ||
                              name.at[i] == '_' || name.at[i] == '-');
    return is_fine;
}

static struct str text_of(const struct json_value *object, const char *member)
{
    const struct json_value *value = json_value_member(object, str_of(member));
    return value == NULL || value->type != JSON_STRING ? STR("") : value->text;
}

/* Flat, or with its members in "function". */
static const struct json_value *function_of(const struct json_value *item)
{
    const struct json_value *nested = json_value_member(item, STR("function"));
    return nested != NULL ? nested : item;
}

static bool is_twice(const struct json_value *list, const struct json_value *item)
{
    for (const struct json_value *at = list->first; at != item; at = at->next)
        if (str_equal(text_of(function_of(at), "name"), text_of(function_of(item), "name")))
            return true;
    return false;
}

static bool read_one(const struct json_value *list, const struct json_value *item,
                     const char *pointer, struct json_write *json, struct problem *problem)
{
    const struct json_value *type = json_value_member(item, STR("type"));
    const struct json_value *function = function_of(item);
    const struct json_value *schema = json_value_member(function, STR("parameters"));
    struct str name = text_of(function, "name");
    if (type != NULL && (type->type != JSON_STRING || !str_equal(type->text, STR("function"))))
        return problem_unsupported(problem, pointer, "tools that are no functions are");
    if (!is_name(name))
        return problem_field(problem, pointer,
                             "%s: expected a name of 1 to %d letters, digits, _ and -", pointer,
                             NAME_BYTES);
    if (tools_list_find(name) != NULL || is_twice(list, item))
        return problem_field(problem, pointer, "%s: '%.*s' is %s", pointer, STR_ARG(name),
                             tools_list_find(name) != NULL ? "a tool of askd's own"
                                                           : "there twice");
    if (schema != NULL && schema->type != JSON_OBJECT && schema->type != JSON_NULL)
        return problem_field(problem, pointer, "%s: expected parameters, a JSON schema", pointer);
    json_write_object(json);
    json_write_member_str(json, STR("name"), name);
    json_write_member_str(json, STR("description"), text_of(function, "description"));
    json_write_key(json, STR("parameters"));
    if (schema != NULL && schema->type == JSON_OBJECT)
        json_value_write(schema, json);
    else
        json_write_raw(json, STR("{\"type\":\"object\"}"));
    json_write_object_end(json);
    return true;
}

bool client_tools_read(struct exchange *exchange, const struct json_value *list,
                       const char *pointer, struct runs_request *request, struct problem *problem)
{
    char at[POINTER_BYTES];
    size_t place = 0;
    if (list == NULL || list->type == JSON_NULL || list->count == 0)
        return true;
    if (list->type != JSON_ARRAY || list->count > TOOLS_CLIENT_MOST)
        return problem_field(problem, pointer, "%s: expected an array of at most %d tools", pointer,
                             TOOLS_CLIENT_MOST);
    if (!request->entry->takes_client_tools) {
        problem_unsupported(problem, pointer, "tools of the client are");
        err_set(&problem->err, problem->err.code,
                "%s: tools of the client are not supported by the graph '%s'; data_agent calls "
                "them",
                pointer, request->entry->def->name);
        return false;
    }
    struct json_write json;
    struct buf out;
    bool is_fine = true;
    buf_init(&out, TOOLS_CLIENT_BYTES);
    json_write_init(&json, &out);
    json_write_array(&json);
    JSON_EACH(item, list) {
        snprintf(at, sizeof at, "%s/%zu", pointer, place++);
        is_fine = is_fine && read_one(list, item, at, &json, problem);
    }
    if (is_fine) {
        json_write_array_end(&json);
        request->client_tools = arena_str(&exchange->arena, buf_str(&out));
    }
    if (is_fine && !buf_ok(&out))
        is_fine = problem_field(problem, pointer, "%s: longer than %d bytes", pointer,
                                TOOLS_CLIENT_BYTES);
    buf_fini(&out);
    return is_fine && (!str_is_absent(request->client_tools) ||
                       problem_set(problem, 503, "overloaded", "no memory for another request"));
}

/* ---- how they may be called ---- */

#define CHOICE "/tool_choice"

bool client_tools_are_off(const struct json_value *root)
{
    return str_equal(text_of(root, "tool_choice"), STR("none"));
}

static bool is_tool_of(struct exchange *exchange, struct str name,
                       const struct runs_request *request)
{
    const struct json_value *tools =
        str_is_absent(request->client_tools)
            ? NULL
            : json_value_parse(&exchange->arena, request->client_tools, NULL, NULL);
    if (tools != NULL)
        JSON_EACH(tool, tools)
            if (str_equal(text_of(tool, "name"), name))
                return true;
    return false;
}

/* One function that is named: {"type":"function","name"}, or nested. */
static bool add_name(struct exchange *exchange, const struct json_value *named,
                     const struct runs_request *request, struct json_write *json,
                     struct problem *problem)
{
    struct str name = text_of(function_of(named), "name");
    if (!str_equal(text_of(named, "type"), STR("function")))
        return problem_unsupported(problem, CHOICE, "the choice of a tool that is no function is");
    json_write_str(json, name);
    return is_tool_of(exchange, name, request) ||
           problem_field(problem, CHOICE, CHOICE ": there is no '%.*s' among the tools",
                         STR_ARG(str_utf8_prefix(name, NAME_BYTES)));
}

/* {"type":"allowed_tools","mode","tools"}, its members nested in "allowed_tools". */
static bool add_allowed(struct exchange *exchange, const struct json_value *choice,
                        const struct runs_request *request, struct json_write *json,
                        bool *is_forced, struct problem *problem)
{
    const struct json_value *nested = json_value_member(choice, STR("allowed_tools"));
    const struct json_value *allowed = nested != NULL ? nested : choice;
    const struct json_value *names = json_value_member(allowed, STR("tools"));
    *is_forced = str_equal(text_of(allowed, "mode"), STR("required"));
    if (!*is_forced && !str_equal(text_of(allowed, "mode"), STR("auto")))
        return problem_field(problem, CHOICE, CHOICE ": expected the mode auto or required");
    if (names == NULL || names->type != JSON_ARRAY || (*is_forced && names->count == 0))
        return problem_field(problem, CHOICE, CHOICE ": expected tools that are allowed");
    JSON_EACH(named, names)
        if (!add_name(exchange, named, request, json, problem))
            return false;
    return true;
}

/* The members "only" and "forced" for choice. */
static bool write_choice(struct exchange *exchange, const struct json_value *choice,
                         const struct runs_request *request, struct json_write *json,
                         struct problem *problem)
{
    bool is_fine = true, is_forced = true;
    struct str word = choice->type == JSON_STRING ? choice->text : STR("");
    if (choice->type == JSON_STRING) {
        is_forced = str_equal(word, STR("required"));
        is_fine = is_forced || str_equal(word, STR("auto")) || str_equal(word, STR("none")) ||
                  problem_field(problem, CHOICE, CHOICE ": expected none, auto or required");
    }
    if (choice->type == JSON_OBJECT || str_equal(word, STR("none"))) {
        json_write_key(json, STR("only"));
        json_write_array(json);
        if (choice->type == JSON_OBJECT)
            is_fine = str_equal(text_of(choice, "type"), STR("allowed_tools"))
                          ? add_allowed(exchange, choice, request, json, &is_forced, problem)
                          : add_name(exchange, choice, request, json, problem);
        json_write_array_end(json);
    }
    if (is_fine && is_forced && str_is_absent(request->client_tools))
        return problem_field(problem, CHOICE, CHOICE ": there are no tools to choose from");
    if (is_forced)
        json_write_member_bool(json, STR("forced"), true);
    return is_fine;
}

bool client_tools_read_choice(struct exchange *exchange, const struct json_value *root,
                              struct runs_request *request, struct problem *problem)
{
    const struct json_value *choice = json_value_member(root, STR("tool_choice"));
    const struct json_value *parallel = json_value_member(root, STR("parallel_tool_calls"));
    struct json_write json;
    struct buf out;
    bool is_fine = true;
    buf_init(&out, TOOLS_CLIENT_BYTES);
    json_write_init(&json, &out);
    json_write_object(&json);
    if (choice != NULL && (choice->type == JSON_STRING || choice->type == JSON_OBJECT))
        is_fine = write_choice(exchange, choice, request, &json, problem);
    if (parallel != NULL && parallel->type == JSON_BOOL && !parallel->boolean)
        json_write_member_bool(&json, STR("one"), true);
    json_write_object_end(&json);
    bool fits = buf_ok(&out);
    request->client_choice = arena_str(&exchange->arena, buf_str(&out));
    buf_fini(&out);
    return is_fine && ((fits && !str_is_absent(request->client_choice)) ||
                       problem_set(problem, 503, "overloaded", "no memory for another request"));
}

/* ---- calls, for the client ---- */

struct telling {
    struct arena *arena;
    struct str run_id;
    void (*each)(void *owner, const struct client_tools_call *call);
    void *owner;
    size_t count;
};

static void tell_calls(struct telling *telling, const struct json_value *interrupt)
{
    const struct json_value *calls = json_value_member(interrupt, STR("calls"));
    if (!str_equal(text_of(interrupt, "type"), STR("client_tools")) || calls == NULL)
        return;
    JSON_EACH(call, calls) {
        struct buf arguments;
        struct json_write json;
        buf_init(&arguments, READ_BYTES);
        json_write_init(&json, &arguments);
        json_value_write(json_value_member(call, STR("arguments")), &json);
        const struct client_tools_call told = {
            arena_printf(telling->arena, "%.*s:%.*s", STR_ARG(telling->run_id),
                         STR_ARG(text_of(call, "id"))),
            text_of(call, "tool"),
            buf_str(&arguments),
        };
        if (buf_ok(&arguments) && !str_is_absent(told.id)) {
            telling->count++;
            telling->each(telling->owner, &told);
        }
        buf_fini(&arguments);
    }
}

size_t client_tools_each(struct str members, struct str run_id,
                         void (*each)(void *owner, const struct client_tools_call *call),
                         void *owner)
{
    struct arena arena;
    if (str_find(members, STR("\"client_tools\"")) == STR_NONE)
        return 0;
    arena_init(&arena, READ_BYTES);
    struct telling telling = {&arena, run_id, each, owner, 0};
    struct str object = arena_printf(&arena, "{%.*s}", STR_ARG(members));
    const struct json_value *root = json_value_parse(&arena, object, NULL, NULL);
    const struct json_value *interrupts = json_value_member(root, STR("interrupts"));
    if (str_is_absent(run_id))
        telling.run_id = text_of(root, "run_id");
    if (interrupts != NULL)
        JSON_EACH(interrupt, interrupts)
            tell_calls(&telling, interrupt);
    else
        tell_calls(&telling, root);
    arena_fini(&arena);
    return telling.count;
}

/* ---- results, from the client ---- */

void client_tools_results_init(struct client_tools_results *results)
{
    *results = (struct client_tools_results){.run_id = {NULL, 0}};
    buf_init(&results->out, RESULT_BYTES);
    buf_init(&results->said, RESULT_BYTES);
    json_write_init(&results->json, &results->out);
    json_write_object(&results->json);
    json_write_key(&results->json, STR("results"));
    json_write_array(&results->json);
}

bool client_tools_results_add(struct client_tools_results *results, struct str id,
                              const struct json_value *content, bool is_error)
{
    struct str call = id;
    struct str run_id = str_split(&call, ':');
    unsigned worker;
    if (str_is_absent(call) || !id_run_worker(run_id, &worker) ||
        (results->count > 0 && !str_equal(run_id, results->run_id)))
        return false;
    results->run_id = run_id;
    results->count++;
    json_write_object(&results->json);
    json_write_member_str(&results->json, STR("id"), call);
    json_write_key(&results->json, STR("content"));
    if (content == NULL)
        json_write_str(&results->json, STR(""));
    else
        json_value_write(content, &results->json);
    if (is_error)
        json_write_member_bool(&results->json, STR("is_error"), true);
    json_write_object_end(&results->json);
    return true;
}

void client_tools_results_say(struct client_tools_results *results, struct str text)
{
    if (buf_len(&results->said) > 0)
        buf_push(&results->said, STR("\n\n"));
    buf_push(&results->said, text);
}

struct str client_tools_results_end(struct client_tools_results *results, struct arena *arena)
{
    json_write_array_end(&results->json);
    if (buf_len(&results->said) > 0)
        json_write_member_str(&results->json, STR("message"), buf_str(&results->said));
    json_write_object_end(&results->json);
    bool is_fine = buf_ok(&results->out) && buf_ok(&results->said);
    struct str answer = is_fine ? arena_str(arena, buf_str(&results->out)) : (struct str){NULL, 0};
    buf_fini(&results->out);
    buf_fini(&results->said);
    return answer;
}
