/* SPDX-License-Identifier: MIT */
/* server/facades/langgraph/langgraph_choice.c - the query's words, then one walk over the runs.
 *
 * Failure: a status, a member or a number that is none: 422 with the parameter's name. */
#include "server/facades/langgraph/langgraph_choice.h"

#include <stdlib.h>

#include "proto/json_value.h"
#include "proto/url.h"

enum { MOST_RUNS = 1000 };

static const char *const statuses[] = {"pending", "running", "error",
                                       "success", "timeout", "interrupted"};
static const char *const members[] = {"run_id",     "thread_id",  "assistant_id",
                                      "created_at", "updated_at", "status",
                                      "metadata",   "kwargs",     "multitask_strategy"};

static bool find(struct str word, const char *const *words, size_t count, size_t *place)
{
    for (*place = 0; *place < count; (*place)++)
        if (str_equal(word, str_of(words[*place])))
            return true;
    return false;
}

static bool add_member(struct langgraph_choice *choice, struct str name, struct problem *problem)
{
    size_t place;
    if (!find(name, members, countof(members), &place))
        return problem_field(problem, "/select", "select: a run has no member '%.*s'",
                             STR_ARG(str_utf8_prefix(name, 64)));
    choice->members |= 1U << place;
    return true;
}

/* Clients repeat the name, or write a list as JSON. */
static bool add_members(struct arena *arena, struct langgraph_choice *choice, struct str value,
                        struct problem *problem)
{
    struct err err;
    if (!str_starts_with(value, STR("[")))
        return add_member(choice, value, problem);
    const struct json_value *list = json_value_parse(arena, value, NULL, &err);
    if (list == NULL)
        return problem_field(problem, "/select", "select: %s", err.text);
    JSON_EACH(item, list)
        if (!add_member(choice, item->type == JSON_STRING ? item->text : STR("?"), problem))
            return false;
    return true;
}

static bool read_number(struct str value, const char *name, uint64_t *number,
                        struct problem *problem)
{
    if (str_to_u64(value, number) && *number <= MOST_RUNS)
        return true;
    return problem_field(problem, name, "%s: expected a number up to %d", name + 1, MOST_RUNS);
}

static bool read_status(struct langgraph_choice *choice, struct str value, struct problem *problem)
{
    size_t place;
    choice->status = value;
    return find(value, statuses, countof(statuses), &place) ||
           problem_field(problem, "/status", "status: there is no status '%.*s' of runs",
                         STR_ARG(str_utf8_prefix(value, 64)));
}

bool langgraph_choice_read(struct arena *arena, struct str query, struct langgraph_choice *choice,
                           struct problem *problem)
{
    struct str rest = query, name, value;
    struct err err;
    bool is_fine = true;
    *choice = (struct langgraph_choice){.limit = MOST_RUNS};
    while (is_fine && !str_is_absent(rest)) {
        if (url_next_param(arena, &rest, &name, &value, &err) != ERR_OK)
            return problem_set(problem, 400, "invalid_request", "the query: %s", err.text);
        if (str_is_absent(name))
            break;
        if (str_equal(name, STR("status")))
            is_fine = read_status(choice, value, problem);
        else if (str_equal(name, STR("select")))
            is_fine = add_members(arena, choice, value, problem);
        else if (str_equal(name, STR("limit")))
            is_fine = read_number(value, "/limit", &choice->limit, problem);
        else if (str_equal(name, STR("offset")))
            is_fine = read_number(value, "/offset", &choice->offset, problem);
    }
    return is_fine;
}

static void write_run(const struct langgraph_choice *choice, const struct json_value *run,
                      struct json_write *json)
{
    size_t place;
    json_write_object(json);
    JSON_EACH(member, run) {
        if (choice->members != 0 && (!find(member->key, members, countof(members), &place) ||
                                     (choice->members & 1U << place) == 0))
            continue;
        json_write_key(json, member->key);
        json_value_write(member, json);
    }
    json_write_object_end(json);
}

/* Newest first; of one moment, by their names. */
static int compare_runs(const void *left, const void *right)
{
    const struct json_value *const *one = left, *const *other = right;
    static const char *const by[] = {"created_at", "run_id"};
    int order = 0;
    for (size_t i = 0; i < countof(by) && order == 0; i++)
        order = str_compare(json_value_member(*other, str_of(by[i]))->text,
                            json_value_member(*one, str_of(by[i]))->text);
    return order;
}

/* NULL: no memory. */
static const struct json_value **sort_runs(const struct json_value *list, struct arena *arena)
{
    const struct json_value **runs = arena_array(arena, list->count + 1, sizeof *runs);
    size_t count = 0;
    JSON_EACH(run, list)
        if (runs != NULL)
            runs[count++] = run;
    if (runs != NULL)
        qsort(runs, count, sizeof *runs, compare_runs);
    return runs;
}

enum err_code langgraph_choice_write(const struct langgraph_choice *choice, struct str text,
                                     struct arena *arena, struct json_write *json)
{
    struct err err;
    const struct json_value *list = json_value_parse(arena, text, NULL, &err);
    uint64_t passed = 0, written = 0;
    const struct json_value **runs = list == NULL ? NULL : sort_runs(list, arena);
    if (runs == NULL)
        return ERR_NO_MEMORY;
    json_write_array(json);
    for (size_t i = 0; i < list->count; i++) {
        const struct json_value *run = runs[i];
        const struct json_value *status = json_value_member(run, STR("status"));
        if (choice->status.len > 0 && !str_equal(status->text, choice->status))
            continue;
        if (passed++ < choice->offset || written == choice->limit)
            continue;
        written++;
        write_run(choice, run, json);
    }
    json_write_array_end(json);
    return ERR_OK;
}
