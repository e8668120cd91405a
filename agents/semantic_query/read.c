/* SPDX-License-Identifier: MIT */
/* agents/semantic_query/read.c - one member after the other, each by its own function.
 *
 * Happy path: the metric gives the table that is measured; dimensions become groups, filters and
 * period conditions of the main scope, order and limit its tail. Failure: the first member that is
 * wrong ends it, with its pointer. */
#include "agents/semantic_query/read.h"

#include <stdio.h>

#include "agents/semantic/model.h"
#include "proto/json_value.h"

enum { MAX_LIMIT = 1000, NAMES_BYTES = 300, POINTER_BYTES = 48 };

struct query {
    const struct lexicon *lexicon;
    const struct catalog *catalog;
    struct arena *arena;
    struct offline_reading *reading;
    struct err *err;
    char pointer[POINTER_BYTES]; /* of what is being read */
};

static bool refuse(struct query *q, const char *what, struct str got)
{
    err_set(q->err, ERR_INVALID, "%s: %s, got '%.*s'", q->pointer, what,
            STR_ARG(str_utf8_prefix(got, 80)));
    return false;
}

static bool refuse_kind(struct query *q, const char *what)
{
    err_set(q->err, ERR_INVALID, "%s: %s", q->pointer, what);
    return false;
}

static void set_pointer(struct query *q, const char *list, size_t i, const char *member)
{
    snprintf(q->pointer, sizeof q->pointer, "/%s/%zu%s%s", list, i, member[0] == '\0' ? "" : "/",
             member);
}

/* ---- metric ---- */

static bool is_called(const struct semantic_named *named, struct str name)
{
    for (size_t i = 0; i < named->synonyms.count; i++)
        if (str_equal_nocase(named->synonyms.at[i], name))
            return true;
    return str_equal_nocase(named->name, name);
}

/* "registrations.cancelled" -> "cancelled", where the part before is the table of named. */
static struct str without_table(const struct semantic_named *named, struct str name)
{
    ptrdiff_t point = str_find_char(name, '.');
    bool is_of_it =
        point != STR_NONE && str_equal_nocase(str_slice(name, 0, (size_t)point), named->table_name);
    return is_of_it ? str_from(name, (size_t)point + 1) : name;
}

/* The metric, or the named filter, of this name; of several filters that of the rows that are
 * counted. NULL: err lists those that there are, or says that the table has to be told. */
static const struct semantic_named *find_named(struct query *q, struct str name, bool metric)
{
    const struct semantic *semantic = q->lexicon->semantic;
    const struct semantic_named *found = NULL;
    char names[NAMES_BYTES];
    size_t len = 0, count = 0;
    names[0] = '\0';
    for (size_t i = 0; semantic != NULL && i < semantic->named_count; i++) {
        const struct semantic_named *named = &semantic->named[i];
        if (!named->usable || named->is_metric != metric)
            continue;
        if (is_called(named, without_table(named, name))) {
            if (metric || named->table == q->reading->counted)
                return named;
            found = named;
            count++;
        }
        if (len + named->name.len + 3 < sizeof names)
            len += (size_t)snprintf(names + len, sizeof names - len, "%s%.*s", len > 0 ? ", " : "",
                                    STR_ARG(named->name));
    }
    if (count == 1)
        return found;
    if (count > 1) {
        err_set(q->err, ERR_INVALID, "%s: '%.*s' is a condition of several tables; write %.*s.%.*s",
                q->pointer, STR_ARG(name), STR_ARG(found->table_name), STR_ARG(name));
        return NULL;
    }
    err_set(q->err, ERR_INVALID, "%s: there is no %s '%.*s'; there are: %s", q->pointer,
            metric ? "metric" : "named condition", STR_ARG(str_utf8_prefix(name, 80)), names);
    return NULL;
}

static struct reading_filter *add_filter(struct query *q, struct reading_column on)
{
    struct reading_scope *main = &q->reading->scopes[0];
    if (main->filter_count == READING_FILTERS) {
        refuse_kind(q, "there are too many conditions");
        return NULL;
    }
    struct reading_filter *filter = &main->filters[main->filter_count++];
    *filter =
        (struct reading_filter){.on = on, .op = OP_EQ, .out = READING_NONE, .than = READING_NONE};
    return filter;
}

static bool add_named(struct query *q, const struct semantic_named *named)
{
    struct reading_filter *filter =
        add_filter(q, (struct reading_column){named->table, READING_NONE, NULL});
    if (filter == NULL)
        return false;
    filter->named = named;
    filter->number = 1;
    return true;
}

static int find_table(struct query *q, struct str name)
{
    int table = catalog_find_dotted(q->catalog, name);
    return table == CATALOG_NONE || !q->lexicon->facts[table].visible ? CATALOG_NONE : table;
}

static bool read_count(struct query *q, const struct json_value *metric)
{
    const struct json_value *of = json_value_member(metric, STR("count"));
    if (of == NULL || of->type != JSON_STRING || metric->count != 1)
        return refuse_kind(q, "expected a metric's name or {\"count\": a table}");
    int table = find_table(q, of->text);
    if (table == CATALOG_NONE)
        return refuse(q, "expected a table that is listed", of->text);
    q->reading->counted = table;
    q->reading->outs[0] = (struct reading_out){AGG_COUNT, {table, READING_NONE, NULL}};
    return true;
}

static bool read_metric(struct query *q, const struct json_value *metric)
{
    snprintf(q->pointer, sizeof q->pointer, "/metric");
    q->reading->out_count = 1;
    if (metric != NULL && metric->type == JSON_OBJECT)
        return read_count(q, metric);
    if (metric == NULL || metric->type != JSON_STRING)
        return refuse_kind(q, "expected a metric's name or {\"count\": a table}");
    const struct semantic_named *named = find_named(q, metric->text, true);
    if (named == NULL)
        return false;
    q->reading->counted = named->table;
    q->reading->outs[0] = (struct reading_out){AGG_METRIC, {named->table, READING_NONE, named}};
    return named->filter.text.len == 0 || add_named(q, named);
}

/* ---- columns ---- */

/* Whether a statement may name the column: where a view stands for the table, by what the view has.
 */
static bool is_shown(const struct catalog *catalog, int table, int column)
{
    const struct catalog_table *of = &catalog->tables[table];
    if (of->secure_view != CATALOG_NONE) {
        column = catalog_find_column(catalog, of->secure_view, of->columns[column].name);
        of = &catalog->tables[of->secure_view];
    }
    return column != CATALOG_NONE && !of->columns[column].hidden;
}

/* "table.column" of tables that are listed. */
static bool read_column(struct query *q, struct str text, struct reading_column *on)
{
    size_t dot = text.len;
    while (dot > 0 && text.at[dot - 1] != '.')
        dot--;
    int table = dot < 2 ? CATALOG_NONE : find_table(q, str_slice(text, 0, dot - 1));
    int column = table == CATALOG_NONE
                     ? CATALOG_NONE
                     : catalog_find_column(q->catalog, table, str_from(text, dot));
    if (column == CATALOG_NONE || !is_shown(q->catalog, table, column))
        return refuse(q, "expected a listed column as table.column", text);
    *on = (struct reading_column){table, column, NULL};
    return true;
}

static bool read_grain(struct query *q, const struct json_value *by, enum offline_grain *grain)
{
    static const char *const names[] = {"", "day", "week", "month", "quarter", "year"};
    for (size_t i = 1; by->type == JSON_STRING && i < countof(names); i++)
        if (str_equal_nocase(by->text, str_of(names[i]))) {
            *grain = (enum offline_grain)i;
            return true;
        }
    return refuse_kind(q, "expected day, week, month, quarter or year");
}

static bool read_dimension(struct query *q, const struct json_value *item, size_t i)
{
    const struct json_value *column =
        item->type == JSON_OBJECT ? json_value_member(item, STR("column")) : item;
    const struct json_value *by = json_value_member(item, STR("by"));
    struct reading_group *group = &q->reading->groups[q->reading->group_count];
    set_pointer(q, "dimensions", i, "");
    if (q->reading->group_count == READING_GROUPS)
        return refuse_kind(q, "there are too many dimensions");
    if (column == NULL || column->type != JSON_STRING)
        return refuse_kind(q, "expected {\"column\": \"table.column\"}");
    group->grain = GRAIN_NONE;
    int table = find_table(q, column->text);
    if (table != CATALOG_NONE)
        group->on = (struct reading_column){table, READING_NONE, NULL};
    else if (!read_column(q, column->text, &group->on))
        return false;
    q->reading->group_count++;
    bool is_date = group->on.column != READING_NONE &&
                   lexicon_index_is_date(q->catalog, group->on.table, group->on.column);
    if (by == NULL) {
        group->grain = is_date ? GRAIN_DAY : GRAIN_NONE;
        return true;
    }
    if (!is_date)
        return refuse(q, "\"by\" is for dates", column->text);
    return read_grain(q, by, &group->grain);
}

/* ---- conditions ---- */

static bool read_day(struct query *q, struct str text, int32_t *day)
{
    uint64_t year = 0, month = 0, dom = 0;
    bool fine = text.len >= 10 && text.at[4] == '-' && text.at[7] == '-' &&
                str_to_u64(str_slice(text, 0, 4), &year) &&
                str_to_u64(str_slice(text, 5, 7), &month) &&
                str_to_u64(str_slice(text, 8, 10), &dom) && month >= 1 && month <= 12 && dom >= 1 &&
                dom <= 31 && year >= 1;
    if (!fine)
        return refuse(q, "expected a day as YYYY-MM-DD", text);
    *day = english_dates_day((int)year, (int)month, (int)dom);
    return true;
}

/* A comparison of a date is a range of days. */
static bool read_date(struct query *q, struct reading_filter *filter, struct str text)
{
    int32_t day;
    if (!read_day(q, text, &day))
        return false;
    struct offline_range range = {day, day + 1};
    if (filter->op == OP_NE)
        return refuse_kind(q, "a date is compared by =, <, <=, > or >=");
    if (filter->op == OP_LT || filter->op == OP_LE)
        range = (struct offline_range){OFFLINE_DAY_NONE, filter->op == OP_LE ? day + 1 : day};
    if (filter->op == OP_GT || filter->op == OP_GE)
        range = (struct offline_range){filter->op == OP_GT ? day + 1 : day, OFFLINE_DAY_NONE};
    filter->op = OP_RANGE;
    filter->range = range;
    return true;
}

static bool read_value(struct query *q, struct reading_filter *filter,
                       const struct json_value *value)
{
    bool is_number = value->type == JSON_INT || value->type == JSON_DOUBLE;
    if (value->type == JSON_STRING &&
        lexicon_index_is_date(q->catalog, filter->on.table, filter->on.column))
        return filter->value_count == 0 && read_date(q, filter, value->text);
    if ((is_number || value->type == JSON_BOOL) && filter->value_count == 0) {
        filter->number = value->type == JSON_BOOL  ? value->boolean
                         : value->type == JSON_INT ? (double)value->integer
                                                   : value->number;
        return true;
    }
    if (value->type != JSON_STRING || (filter->op != OP_EQ && filter->op != OP_NE))
        return refuse_kind(q, "expected a text with = or !=, a list of them, or a number");
    if (filter->value_count == READING_VALUES)
        return refuse_kind(q, "there are too many values");
    filter->values[filter->value_count++] = arena_str(q->arena, value->text);
    return true;
}

static bool read_values(struct query *q, struct reading_filter *filter,
                        const struct json_value *value)
{
    if (value == NULL)
        return refuse_kind(q, "expected a value");
    if (value->type == JSON_NULL) {
        filter->op = filter->op == OP_NE ? OP_NOT_NULL : OP_IS_NULL;
        return true;
    }
    if (value->type != JSON_ARRAY)
        return read_value(q, filter, value);
    JSON_EACH(one, value) {
        if (one->type != JSON_STRING || !read_value(q, filter, one))
            return q->err->code == ERR_OK ? refuse_kind(q, "expected a list of texts") : false;
    }
    return filter->value_count > 0 || refuse_kind(q, "expected a list of texts");
}

static bool read_op(struct query *q, const struct json_value *op, enum offline_op *to)
{
    static const struct {
        const char *name;
        enum offline_op op;
    } ops[] = {{"=", OP_EQ},  {"!=", OP_NE}, {"<>", OP_NE}, {"<", OP_LT},
               {"<=", OP_LE}, {">", OP_GT},  {">=", OP_GE}};
    *to = OP_EQ;
    if (op == NULL)
        return true;
    for (size_t i = 0; op->type == JSON_STRING && i < countof(ops); i++)
        if (str_equal(op->text, str_of(ops[i].name))) {
            *to = ops[i].op;
            return true;
        }
    return refuse_kind(q, "expected =, !=, <, <=, > or >=");
}

static bool read_filter(struct query *q, const struct json_value *item, size_t i)
{
    const struct json_value *named = json_value_member(item, STR("named"));
    const struct json_value *column = json_value_member(item, STR("column"));
    struct reading_column on;
    enum offline_op op;
    set_pointer(q, "filters", i, named != NULL ? "named" : "column");
    if (named != NULL) {
        const struct semantic_named *of =
            named->type == JSON_STRING ? find_named(q, named->text, false) : NULL;
        return of != NULL               ? add_named(q, of)
               : q->err->code == ERR_OK ? refuse_kind(q, "expected the name of a condition")
                                        : false;
    }
    if (column == NULL || column->type != JSON_STRING)
        return refuse_kind(q, "expected table.column, or \"named\"");
    if (!read_column(q, column->text, &on))
        return false;
    set_pointer(q, "filters", i, "op");
    if (!read_op(q, json_value_member(item, STR("op")), &op))
        return false;
    set_pointer(q, "filters", i, "value");
    struct reading_filter *filter = add_filter(q, on);
    if (filter == NULL)
        return false;
    filter->op = op;
    return read_values(q, filter, json_value_member(item, STR("value")));
}

static bool read_end(struct query *q, const struct json_value *period, const char *name,
                     int32_t *day)
{
    const struct json_value *value = json_value_member(period, str_of(name));
    snprintf(q->pointer, sizeof q->pointer, "/period/%s", name);
    *day = OFFLINE_DAY_NONE;
    if (value == NULL || value->type == JSON_NULL)
        return true;
    return value->type == JSON_STRING ? read_day(q, value->text, day)
                                      : refuse_kind(q, "expected a day as YYYY-MM-DD");
}

static bool read_period(struct query *q, const struct json_value *period)
{
    const struct json_value *column = json_value_member(period, STR("column"));
    const struct semantic_table *table =
        semantic_model_table(q->lexicon->semantic, q->reading->counted);
    struct reading_column on = {q->reading->counted,
                                table == NULL ? CATALOG_NONE : table->time_column, NULL};
    struct offline_range range;
    snprintf(q->pointer, sizeof q->pointer, "/period/column");
    if (column != NULL && column->type == JSON_STRING && !read_column(q, column->text, &on))
        return false;
    if (on.column == CATALOG_NONE || !lexicon_index_is_date(q->catalog, on.table, on.column))
        return refuse_kind(q, "expected a column that is a date");
    if (!read_end(q, period, "from", &range.first) || !read_end(q, period, "to", &range.end))
        return false;
    if (range.first == OFFLINE_DAY_NONE && range.end == OFFLINE_DAY_NONE)
        return refuse_kind(q, "expected a first or a last day");
    range.end = range.end == OFFLINE_DAY_NONE ? OFFLINE_DAY_NONE : range.end + 1;
    struct reading_filter *filter = add_filter(q, on);
    if (filter == NULL)
        return false;
    filter->op = OP_RANGE;
    filter->range = range;
    return true;
}

/* ---- order, limit ---- */

static bool read_order(struct query *q, const struct json_value *order)
{
    snprintf(q->pointer, sizeof q->pointer, "/order");
    bool descending = order->type == JSON_STRING && str_equal_nocase(order->text, STR("desc"));
    if (!descending && (order->type != JSON_STRING || !str_equal_nocase(order->text, STR("asc"))))
        return refuse_kind(q, "expected \"asc\" or \"desc\", by the metric");
    q->reading->ordered = true;
    q->reading->descending = descending;
    q->reading->order_out = 0;
    return true;
}

static bool read_limit(struct query *q, const struct json_value *limit)
{
    snprintf(q->pointer, sizeof q->pointer, "/limit");
    if (limit->type != JSON_INT || limit->integer < 1 || limit->integer > MAX_LIMIT)
        return refuse_kind(q, "expected a number from 1 to 1000");
    q->reading->limit = (unsigned)limit->integer;
    return true;
}

static bool is_given(const struct json_value *value)
{
    return value != NULL && value->type != JSON_NULL;
}

/* Read a list of objects, one by one. */
static bool read_list(struct query *q, const struct json_value *list, const char *name,
                      bool (*read)(struct query *q, const struct json_value *item, size_t i))
{
    size_t i = 0;
    snprintf(q->pointer, sizeof q->pointer, "/%s", name);
    if (!is_given(list))
        return true;
    if (list->type != JSON_ARRAY)
        return refuse_kind(q, "expected a list");
    JSON_EACH(item, list) {
        if (!read(q, item, i++))
            return false;
    }
    return true;
}

static bool knows_members(struct query *q, const struct json_value *root)
{
    static const char *const members[] = {"metric", "dimensions", "filters",
                                          "period", "order",      "limit"};
    JSON_EACH(member, root) {
        bool known = false;
        for (size_t i = 0; i < countof(members); i++)
            known = known || str_equal(member->key, str_of(members[i]));
        snprintf(q->pointer, sizeof q->pointer, "/%.*s", STR_ARG(str_utf8_prefix(member->key, 30)));
        if (!known)
            return refuse_kind(q, "a query has no such member");
    }
    return true;
}

static bool read_all(struct query *q, const struct json_value *root)
{
    const struct json_value *period = json_value_member(root, STR("period"));
    const struct json_value *order = json_value_member(root, STR("order"));
    const struct json_value *limit = json_value_member(root, STR("limit"));
    return knows_members(q, root) && read_metric(q, json_value_member(root, STR("metric"))) &&
           read_list(q, json_value_member(root, STR("dimensions")), "dimensions", read_dimension) &&
           read_list(q, json_value_member(root, STR("filters")), "filters", read_filter) &&
           (!is_given(period) || read_period(q, period)) &&
           (!is_given(order) || read_order(q, order)) && (!is_given(limit) || read_limit(q, limit));
}

enum err_code semantic_query_read(const struct lexicon *lexicon, struct str json,
                                  struct arena *arena, struct offline_reading *reading,
                                  struct err *err)
{
    struct query q = {lexicon, lexicon->catalog, arena, reading, err, ""};
    *err = (struct err){0};
    *reading = (struct offline_reading){.target = READING_NONE,
                                        .counted = READING_NONE,
                                        .order_out = READING_NONE,
                                        .wants_of = READING_NONE,
                                        .scope_count = 1};
    const struct json_value *root = json_value_parse(arena, json, NULL, err);
    if (root == NULL)
        return err->code == ERR_OK ? err_set(err, ERR_INVALID, "the query is no JSON") : err->code;
    if (root->type != JSON_OBJECT)
        return err_set(err, ERR_INVALID, "expected a query as one JSON object");
    if (read_all(&q, root) && arena_ok(arena))
        return ERR_OK;
    return err->code != ERR_OK ? err->code : err_set(err, ERR_NO_MEMORY, "no memory for the query");
}
