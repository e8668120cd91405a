/* SPDX-License-Identifier: MIT */
/* agents/graph_files/graph_condition.c - a tree of tests, read once and evaluated by walking it.
 *
 * Failure: JSON that cannot be parsed, and a pointer that leads nowhere, count as absent. */
#include "agents/graph_files/graph_condition.h"

#include <math.h>
#include <string.h>

enum { MAX_DEPTH = 8, JSON_BYTES = 16 << 20 };

enum kind { ALL, ANY, NOT, BUDGET, IS, EQUALS, CONTAINS, NUMBER };
enum measure { VALUE, WORDS, ITEMS, LENGTH };
enum is_what { IS_SET, IS_ABSENT, IS_EMPTY, IS_TRUE, IS_FALSE };

struct graph_condition {
    enum kind kind;
    const struct graph_condition *first, *next; /* of all, any, not */
    unsigned budget, slot;
    const char *at; /* JSON pointer; NULL: the whole field */
    enum is_what is;
    struct str text;
    enum measure measure;
    double above, below, least, most; /* NAN: no such bound */
};

static struct graph_condition *read(struct graph_reader *r, const struct json_value *object,
                                    unsigned depth);

/* ---- reading ---- */

static bool read_many(struct graph_reader *r, const struct json_value *list, unsigned depth,
                      struct graph_condition *to)
{
    const struct graph_condition **end = &to->first;
    size_t i = 0;
    if (list->count == 0)
        return graph_reader_fail(r, NULL, "expected at least one condition");
    JSON_EACH(item, list) {
        size_t mark = graph_reader_enter_item(r, i++);
        struct graph_condition *one = read(r, item, depth);
        graph_reader_leave(r, mark);
        if (one == NULL)
            return false;
        *end = one;
        end = &one->next;
    }
    return true;
}

static bool read_group(struct graph_reader *r, const struct json_value *object, const char *member,
                       unsigned depth, struct graph_condition *to)
{
    const struct json_value *list = graph_reader_array(r, object, member, true);
    size_t mark = graph_reader_enter(r, str_of(member));
    bool ok = list != NULL && read_many(r, list, depth, to);
    graph_reader_leave(r, mark);
    return ok;
}

static bool read_not(struct graph_reader *r, const struct json_value *object, unsigned depth,
                     struct graph_condition *to)
{
    size_t mark = graph_reader_enter(r, STR("not"));
    to->first = read(r, json_value_member(object, STR("not")), depth);
    graph_reader_leave(r, mark);
    return to->first != NULL;
}

static bool read_budget(struct graph_reader *r, const struct json_value *object,
                        struct graph_condition *to)
{
    struct str name = graph_reader_text(r, object, "budget", true);
    if (r->has_ended)
        return graph_reader_fail(r, "budget", "the run has ended here: no budget matters");
    return graph_reader_budget_named(r, name, &to->budget);
}

static bool read_is(struct graph_reader *r, struct str word, struct graph_condition *to)
{
    static const char *const words[] = {"set", "absent", "empty", "true", "false"};
    for (unsigned i = 0; i < countof(words); i++)
        if (str_equal(word, str_of(words[i]))) {
            to->is = (enum is_what)i;
            return true;
        }
    return graph_reader_fail(r, "is", "expected set, absent, empty, true or false, got '%.*s'",
                             STR_ARG(word));
}

static double read_bound(struct graph_reader *r, const struct json_value *object,
                         const char *member, bool *any)
{
    const struct json_value *value = json_value_member(object, str_of(member));
    if (value == NULL)
        return NAN;
    if (value->type != JSON_INT && value->type != JSON_DOUBLE)
        graph_reader_fail(r, member, "expected a number, got %s", json_value_type_name(value));
    *any = true;
    return value->number;
}

static bool read_number(struct graph_reader *r, const struct json_value *object,
                        struct graph_condition *to)
{
    static const char *const measures[] = {"value", "words", "items", "length"};
    bool any = false;
    struct str count = graph_reader_text(r, object, "count", false);
    to->above = read_bound(r, object, "above", &any);
    to->below = read_bound(r, object, "below", &any);
    to->least = read_bound(r, object, "at_least", &any);
    to->most = read_bound(r, object, "at_most", &any);
    if (!any)
        return graph_reader_fail(r, NULL,
                                 "expected one of is, equals, contains, above, below, at_least, "
                                 "at_most, all, any, not, budget");
    for (unsigned i = WORDS; i < countof(measures); i++)
        if (str_equal(count, str_of(measures[i])))
            to->measure = (enum measure)i;
    if (!str_is_absent(count) && to->measure == VALUE)
        return graph_reader_fail(r, "count", "expected words, items or length, got '%.*s'",
                                 STR_ARG(count));
    return graph_reader_ok(r);
}

static bool read_field(struct graph_reader *r, const struct json_value *object,
                       struct graph_condition *to)
{
    struct str equals = graph_reader_text(r, object, "equals", false);
    struct str contains = graph_reader_text(r, object, "contains", false);
    struct str is = graph_reader_text(r, object, "is", false);
    struct slot_ref slot = graph_reader_slot(r, object, "field", true, 63);
    to->at = graph_reader_name(r, object, "at", false);
    if (!graph_reader_ok(r))
        return false;
    to->slot = slot_index(slot);
    to->text = str_is_absent(equals) ? contains : equals;
    to->kind = !str_is_absent(equals)     ? EQUALS
               : !str_is_absent(contains) ? CONTAINS
               : !str_is_absent(is)       ? IS
                                          : NUMBER;
    if (to->kind == IS)
        return read_is(r, is, to);
    return to->kind != NUMBER || read_number(r, object, to);
}

static bool read_kind(struct graph_reader *r, const struct json_value *object, unsigned depth,
                      struct graph_condition *to)
{
    if (json_value_member(object, STR("all")) != NULL) {
        to->kind = ALL;
        return read_group(r, object, "all", depth, to);
    }
    if (json_value_member(object, STR("any")) != NULL) {
        to->kind = ANY;
        return read_group(r, object, "any", depth, to);
    }
    if (json_value_member(object, STR("not")) != NULL) {
        to->kind = NOT;
        return read_not(r, object, depth, to);
    }
    if (json_value_member(object, STR("budget")) != NULL) {
        to->kind = BUDGET;
        return read_budget(r, object, to);
    }
    return read_field(r, object, to);
}

static struct graph_condition *read(struct graph_reader *r, const struct json_value *object,
                                    unsigned depth)
{
    static const char *const members[] = {"all",   "any",   "not",      "budget",   "field",
                                          "at",    "is",    "equals",   "contains", "count",
                                          "above", "below", "at_least", "at_most",  NULL};
    if (depth == 0) {
        graph_reader_fail(r, NULL, "conditions within conditions, deeper than %d", MAX_DEPTH);
        return NULL;
    }
    struct graph_condition *condition = arena_alloc(r->json.arena, sizeof *condition);
    if (condition == NULL)
        graph_reader_no_memory(r);
    bool ok = condition != NULL && graph_reader_members(r, object, members, NULL) &&
              read_kind(r, object, depth - 1, condition);
    return ok ? condition : NULL;
}

const struct graph_condition *graph_condition_read(struct graph_reader *r,
                                                   const struct json_value *object)
{
    size_t mark = graph_reader_enter(r, STR("if"));
    const struct graph_condition *condition =
        read(r, json_value_member(object, STR("if")), MAX_DEPTH);
    graph_reader_leave(r, mark);
    return condition;
}

/* ---- evaluating ---- */

/* What a test looks at: the field, or a value within it. */
struct seen {
    bool is_there, is_number;
    bool truth;
    double number;
    struct str text;
    size_t items;
};

static size_t count_words(struct str text)
{
    size_t count = 0;
    bool inside = false;
    for (size_t i = 0; i < text.len; i++) {
        bool is_blank = str_is_blank(text.at[i]) || text.at[i] == '\n' || text.at[i] == '\r';
        count += !is_blank && !inside;
        inside = !is_blank;
    }
    return count;
}

static struct seen look_at_json(const struct json_value *value)
{
    struct seen seen = {.is_there = value != NULL && value->type != JSON_NULL};
    if (!seen.is_there)
        return seen;
    seen.is_number = value->type == JSON_INT || value->type == JSON_DOUBLE;
    seen.number = value->number;
    seen.truth = value->boolean;
    seen.items = value->count;
    seen.text = value->type == JSON_STRING || seen.is_number ? value->text : STR("");
    return seen;
}

static struct seen look_at_slot(const struct state *state, unsigned slot)
{
    struct seen seen = {.is_there = state_has(state, slot)};
    if (!seen.is_there)
        return seen;
    switch (state_schema(state)->slots[slot].type) {
    case SLOT_TEXT:
    case SLOT_JSON:
        seen.text = state_str(state, slot);
        break;
    case SLOT_INT:
        seen.is_number = true;
        seen.number = (double)state_int(state, slot);
        break;
    case SLOT_REAL:
        seen.is_number = true;
        seen.number = state_real(state, slot);
        break;
    case SLOT_BOOL:
        seen.truth = state_bool(state, slot);
        break;
    case SLOT_LIST:
        seen.items = state_list_count(state, slot);
        break;
    }
    return seen;
}

static bool passes_number(const struct graph_condition *test, const struct seen *seen)
{
    double number = test->measure == WORDS    ? (double)count_words(seen->text)
                    : test->measure == LENGTH ? (double)seen->text.len
                    : test->measure == ITEMS  ? (double)seen->items
                                              : seen->number;
    if (test->measure == VALUE && !seen->is_number)
        return false;
    return !(number <= test->above) && !(number >= test->below) && !(number < test->least) &&
           !(number > test->most);
}

static bool passes_is(enum is_what is, const struct seen *seen)
{
    switch (is) {
    case IS_SET:
        return seen->is_there;
    case IS_ABSENT:
        return !seen->is_there;
    case IS_EMPTY:
        return !seen->is_there || (seen->text.len == 0 && seen->items == 0 && !seen->is_number);
    case IS_TRUE:
        return seen->is_there && seen->truth;
    case IS_FALSE:
        break;
    }
    return !seen->truth;
}

static bool passes(const struct graph_condition *test, const struct seen *seen)
{
    switch (test->kind) {
    case EQUALS:
        return seen->is_there && str_equal(seen->text, test->text);
    case CONTAINS:
        return seen->is_there && str_find(seen->text, test->text) != STR_NONE;
    case NUMBER:
        return (seen->is_there || test->measure != VALUE) && passes_number(test, seen);
    case IS:
    case ALL:
    case ANY:
    case NOT:
    case BUDGET:
        break;
    }
    return passes_is(test->is, seen);
}

/* A field that holds JSON is parsed for a pointer into it, and to count its items. */
static bool test_field(const struct graph_condition *test, const struct state *state)
{
    struct seen seen = look_at_slot(state, test->slot);
    struct arena arena;
    if (test->at == NULL && !(test->measure == ITEMS && seen.text.len > 0))
        return passes(test, &seen);
    arena_init(&arena, JSON_BYTES);
    const struct json_value *root =
        seen.is_there ? json_value_parse(&arena, seen.text, NULL, NULL) : NULL;
    seen = look_at_json(json_value_find(root, test->at == NULL ? "" : test->at));
    bool holds = passes(test, &seen);
    arena_fini(&arena);
    return holds;
}

bool graph_condition_holds(const struct graph_condition *condition, const struct state *state,
                           const struct graph *graph)
{
    const struct graph_condition *one = condition->first;
    switch (condition->kind) {
    case ALL:
        while (one != NULL && graph_condition_holds(one, state, graph))
            one = one->next;
        return one == NULL;
    case ANY:
        while (one != NULL && !graph_condition_holds(one, state, graph))
            one = one->next;
        return one != NULL;
    case NOT:
        return !graph_condition_holds(one, state, graph);
    case BUDGET:
        return graph_budget_left(graph, state, condition->budget);
    case IS:
    case EQUALS:
    case CONTAINS:
    case NUMBER:
        break;
    }
    return test_field(condition, state);
}
