/* SPDX-License-Identifier: MIT */
/* server/facades/openai/tool_answers.c - the end of a talk as the answer to a run that waits.
 *
 * Failure: a result without the id of a call that waits; a message that is no text: as in any talk.
 */
#include "server/facades/openai/tool_answers.h"

#include "agents/memory/history.h"
#include "server/api/client_tools.h"

static struct str member(const struct json_value *item, const char *name)
{
    const struct json_value *value = json_value_member(item, str_of(name));
    return value != NULL && value->type == JSON_STRING ? value->text : STR("");
}

static bool is_result(const struct json_value *item, const struct tool_answers_form *form)
{
    return str_equal(member(item, "type"), str_of(form->type)) ||
           str_equal(member(item, "role"), str_of(form->type));
}

static bool is_of_user(const struct json_value *item)
{
    return str_equal(member(item, "role"), STR("user"));
}

struct tail {
    const struct json_value *first; /* NULL: there is none */
    size_t results, said;           /* said: by the user, and new */
};

static struct tail find_tail(const struct json_value *items, const struct tool_answers_form *form,
                             bool goes_on)
{
    struct tail tail = {NULL, 0, 0};
    JSON_EACH(item, items) {
        bool is_it = is_result(item, form), is_said = is_of_user(item);
        if (!is_it && !is_said) {
            tail = (struct tail){NULL, 0, 0};
            continue;
        }
        tail.first = tail.first == NULL ? item : tail.first;
        tail.results += is_it;
        tail.said += is_said && (goes_on || tail.results > 0);
    }
    return tail;
}

/* What the user said last, count messages of it. */
static bool add_said(struct exchange *exchange, const struct json_value *items,
                     const struct tool_answers_form *form, size_t count,
                     struct client_tools_results *results, struct problem *problem)
{
    struct runs_request talk = {.said_count = 0};
    if (count == 0)
        return true;
    if (!facade_read_talk(exchange, items, form->talk, &talk, problem))
        return false;
    for (size_t i = talk.said_count - size_min(count - 1, talk.said_count); i < talk.said_count;
         i++)
        client_tools_results_say(results, talk.said[i].text);
    client_tools_results_say(results, talk.message);
    return true;
}

static bool add_result(const struct json_value *item, const struct tool_answers_form *form,
                       struct client_tools_results *results, struct problem *problem)
{
    const struct json_value *content = json_value_member(item, str_of(form->content));
    struct str id = member(item, form->call_id);
    return (id.len > 0 && client_tools_results_add(results, id, content, false)) ||
           problem_field(problem, form->talk->pointer,
                         "%s: a result of a tool has no %s of a call that waits",
                         form->talk->pointer, form->call_id);
}

bool tool_answers_read(struct exchange *exchange, const struct json_value *items,
                       const struct tool_answers_form *form, bool goes_on,
                       struct tool_answers *answers, struct problem *problem)
{
    struct client_tools_results results;
    *answers = (struct tool_answers){{NULL, 0}, {NULL, 0}};
    if (items == NULL || items->type != JSON_ARRAY)
        return true;
    struct tail tail = find_tail(items, form, goes_on);
    if (tail.results == 0)
        return true;
    bool is_fine = true;
    client_tools_results_init(&results);
    for (const struct json_value *item = tail.first; item != NULL && is_fine; item = item->next)
        if (is_result(item, form))
            is_fine = add_result(item, form, &results, problem);
    is_fine = is_fine && add_said(exchange, items, form, tail.said, &results, problem);
    answers->run_id = results.run_id;
    answers->answer = client_tools_results_end(&results, &exchange->arena);
    return is_fine && (!str_is_absent(answers->answer) ||
                       problem_set(problem, 503, "overloaded", "no memory for another request"));
}
