/* SPDX-License-Identifier: MIT */
/* agents/sql/scope_from.c - a FROM's relations, what USING shares, who is joined with whom.
 *
 * Happy path: collect relations in order (derived ones are resolved first, without sight of their
 * neighbours), then conditions once all are there. Failure: more relations than a mask holds. */
#include "agents/sql/scope_state.h"

#include "agents/sql/scope.h"

static const struct table_function {
    struct str name;
    struct str columns[10];
    size_t count;
} table_functions[] = {
    {{"json_each", 9},
     {{"key", 3},
      {"value", 5},
      {"type", 4},
      {"atom", 4},
      {"id", 2},
      {"parent", 6},
      {"fullkey", 7},
      {"path", 4}},
     8},
    {{"json_tree", 9},
     {{"key", 3},
      {"value", 5},
      {"type", 4},
      {"atom", 4},
      {"id", 2},
      {"parent", 6},
      {"fullkey", 7},
      {"path", 4}},
     8},
    {{"generate_series", 15}, {{"value", 5}}, 1},
};

struct sql_scope_cte *sql_scope_from_cte(struct sql_scope_cte *ctes, struct str name)
{
    for (struct sql_scope_cte *cte = ctes; cte != NULL; cte = cte->before)
        if (str_equal_nocase(cte->name, name))
            return cte;
    return NULL;
}

int sql_scope_from_table(struct sql_scope *s, const struct sql_scope_frame *frame,
                         struct sql_from *item, enum sql_table_use use)
{
    struct sql_table_ref ref = {.span = item->name_span,
                                .schema = item->schema,
                                .name = item->name,
                                .alias = item->alias,
                                .alias_span = item->alias_span,
                                .scope = frame->scope,
                                .use = use,
                                .inner = true,
                                .connected = true};
    ref.table = catalog_find_table(s->catalog, item->schema, item->name);
    if (ref.table == CATALOG_NONE && sql_scope_name_is_default(s, item->schema))
        ref.table = catalog_find_table(s->catalog, STR(""), item->name);
    item->table_ref = sql_scope_state_add_table(s, &ref);
    return ref.table;
}

static const struct sql_scope_columns *columns_of_function(struct sql_scope *s, struct str name)
{
    for (size_t i = 0; i < countof(table_functions); i++) {
        if (!str_equal(table_functions[i].name, name))
            continue;
        struct sql_scope_columns *columns = sql_scope_state_alloc(s, 1, sizeof *columns);
        for (size_t j = 0; columns != NULL && j < table_functions[i].count; j++)
            sql_scope_state_add_output(s, columns, table_functions[i].columns[j]);
        return columns;
    }
    return NULL;
}

static void fill_table(struct sql_scope *s, struct sql_scope_frame *frame, struct sql_from *item,
                       struct sql_scope_relation *relation)
{
    struct sql_scope_cte *cte =
        str_is_absent(item->schema) ? sql_scope_from_cte(frame->ctes, item->name) : NULL;
    if (cte == NULL) {
        relation->table = sql_scope_from_table(s, frame, item, SQL_USE_FROM);
        relation->table_ref = item->table_ref;
        relation->schema = item->schema;
        frame->has_base = true;
        return;
    }
    /* MariaDB finds the query in any case, MySQL on Linux the table behind it */
    if (s->parse->dialect == SQL_MYSQL && !str_equal(cte->name, item->name))
        sql_scope_state_refuse(s, "cte_case", "WITH %.*s is read as %.*s; write both the same way",
                               STR_ARG(cte->name), STR_ARG(item->name));
    if (cte->columns == NULL)
        sql_scope_state_refuse(s, "cte_self_reference",
                               "WITH %.*s reads itself before its first part is complete; give "
                               "one of the two another name",
                               STR_ARG(cte->name));
    s->parse->has_recursive = s->parse->has_recursive || cte->defining;
    sql_scope_state_expand(s, cte->expanded);
    relation->columns = cte->columns;
}

static void add_relation(struct sql_scope *s, struct sql_scope_frame *frame, struct sql_from *item)
{
    if (frame->relation_count == SQL_GRAMMAR_MAX_RELATIONS) {
        sql_scope_state_refuse(s, "relations", "a FROM names more than %d tables; split it",
                               SQL_GRAMMAR_MAX_RELATIONS);
        return;
    }
    size_t index = frame->relation_count;
    sql_scope_state_expand(s, 1);
    struct sql_scope_relation *relation = &frame->relations[index];
    relation->component = index;
    relation->table_ref = CATALOG_NONE;
    relation->table = CATALOG_NONE;
    relation->aliased = !str_is_absent(item->alias);
    relation->name = relation->aliased ? item->alias : item->name;
    if (item->kind == SQL_FROM_TABLE) {
        fill_table(s, frame, item, relation);
    } else if (item->kind == SQL_FROM_SELECT) {
        relation->columns = sql_scope_select_walk(s, frame->parent, frame->ctes, item->select);
    } else {
        relation->columns = columns_of_function(s, item->name);
        relation->open = relation->columns == NULL;
    }
    frame->relation_count++;
}

static size_t component_of(struct sql_scope_frame *frame, size_t i)
{
    while (frame->relations[i].component != i)
        i = frame->relations[i].component =
            frame->relations[frame->relations[i].component].component;
    return i;
}

/* All relations of the mask are joined with each other. */
static void connect(struct sql_scope_frame *frame, uint64_t mask)
{
    size_t first = frame->relation_count;
    for (size_t i = 0; i < frame->relation_count; i++) {
        if ((mask >> i & 1) == 0)
            continue;
        if (first == frame->relation_count)
            first = component_of(frame, i);
        else
            frame->relations[component_of(frame, i)].component = first;
    }
}

/* A reference on one side of USING; the first relation from start to end that has the column and
 * has not given it to an earlier USING. Its index, or end. */
static size_t share(struct sql_scope *s, struct sql_scope_frame *frame, size_t start, size_t end,
                    struct str name, struct sql_span span)
{
    struct sql_column_ref ref = {.span = span,
                                 .name = name,
                                 .table_ref = -1,
                                 .column = CATALOG_NONE,
                                 .scope = frame->scope,
                                 .use = SQL_COLUMN_USING};
    size_t where = end;
    for (size_t i = start; i < end; i++) {
        const struct sql_scope_relation *relation = &frame->relations[i];
        int column;
        if (!sql_scope_name_in(s, relation, name, &column)) {
            ref.past_table = ref.past_table || (where == end && relation->table_ref >= 0);
            continue;
        }
        if (sql_scope_name_is_merged(relation, name))
            continue;
        ref.ambiguous = where != end && s->parse->dialect != SQL_SQLITE; /* it takes the first */
        if (where != end)
            continue;
        where = i;
        ref.table_ref = relation->table_ref;
        ref.column = column;
        ref.relation = relation->name;
        frame->touched |= (uint64_t)1 << i;
    }
    ref.unknown = where == end;
    ref.past_table = ref.past_table && !ref.unknown;
    sql_scope_state_add_column(s, &ref);
    return where;
}

static void merge(struct sql_scope *s, struct sql_scope_frame *frame, size_t start, size_t middle,
                  struct str name, struct sql_span span)
{
    size_t end = frame->relation_count;
    (void)share(s, frame, start, middle, name, span);
    size_t right = share(s, frame, middle, end, name, span);
    struct sql_scope_merged *merged = sql_scope_state_alloc(s, 1, sizeof *merged);
    if (merged == NULL || right == end)
        return;
    *merged = (struct sql_scope_merged){name, frame->relations[right].merged};
    frame->relations[right].merged = merged;
}

static size_t column_total(const struct sql_scope *s, const struct sql_scope_relation *relation)
{
    if (relation->table != CATALOG_NONE)
        return s->catalog->tables[relation->table].column_count;
    return relation->columns == NULL ? 0 : relation->columns->count;
}

static struct str column_at(const struct sql_scope *s, const struct sql_scope_relation *relation,
                            size_t i)
{
    return relation->table != CATALOG_NONE ? s->catalog->tables[relation->table].columns[i].name
                                           : relation->columns->names[i];
}

static bool is_on_left(struct sql_scope *s, const struct sql_scope_frame *frame, size_t start,
                       size_t middle, struct str name)
{
    for (size_t i = start; i < middle; i++) {
        int column;
        if (sql_scope_name_in(s, &frame->relations[i], name, &column))
            return true;
    }
    return false;
}

static void merge_natural(struct sql_scope *s, struct sql_scope_frame *frame, size_t start,
                          size_t middle, struct sql_span span)
{
    for (size_t i = middle; i < frame->relation_count; i++) {
        size_t total = column_total(s, &frame->relations[i]);
        for (size_t j = 0; j < total && !s->failed; j++) {
            struct str name = column_at(s, &frame->relations[i], j);
            if (!sql_scope_name_is_merged(&frame->relations[i], name) &&
                is_on_left(s, frame, start, middle, name))
                merge(s, frame, start, middle, name, span);
        }
    }
}

void sql_scope_from_collect(struct sql_scope *s, struct sql_scope_frame *frame,
                            struct sql_from *list)
{
    size_t start = frame->relation_count;
    for (struct sql_from *item = list; item != NULL && !s->failed; item = item->next) {
        size_t middle = frame->relation_count;
        if (item->kind == SQL_FROM_PARENS)
            sql_scope_from_collect(s, frame, item->inside);
        else
            add_relation(s, frame, item);
        frame->touched = 0;
        for (const struct sql_names *name = item->using_columns; name != NULL; name = name->next)
            merge(s, frame, start, middle, name->name, name->span);
        if (item->natural)
            merge_natural(s, frame, start, middle, item->span);
        connect(frame, frame->touched);
    }
}

/* Each conjunct of ON connects what it names. */
static void walk_on(struct sql_scope *s, struct sql_scope_frame *frame, const struct sql_expr *expr)
{
    if (expr->kind == SQL_EXPR_AND ||
        (expr->kind == SQL_EXPR_PARENS && expr->children != NULL && expr->children->next == NULL)) {
        for (const struct sql_expr *child = expr->children; child != NULL; child = child->next)
            walk_on(s, frame, child);
        return;
    }
    frame->touched = 0;
    sql_scope_expr_walk(s, frame, expr);
    connect(frame, frame->touched);
}

void sql_scope_from_conditions(struct sql_scope *s, struct sql_scope_frame *frame,
                               const struct sql_from *list)
{
    for (const struct sql_from *item = list; item != NULL && !s->failed; item = item->next) {
        if (item->kind == SQL_FROM_PARENS)
            sql_scope_from_conditions(s, frame, item->inside);
        if (item->kind == SQL_FROM_CALL)
            sql_scope_expr_call(s, frame, item->call, true);
        if (item->on != NULL)
            walk_on(s, frame, item->on);
    }
}

/* In WHERE only an equality of two sides joins them: t.a = u.b. */
void sql_scope_from_where(struct sql_scope *s, struct sql_scope_frame *frame,
                          const struct sql_expr *where)
{
    if (where == NULL)
        return;
    if (where->kind == SQL_EXPR_AND || (where->kind == SQL_EXPR_PARENS && where->children != NULL &&
                                        where->children->next == NULL)) {
        for (const struct sql_expr *child = where->children; child != NULL; child = child->next)
            sql_scope_from_where(s, frame, child);
        return;
    }
    if (where->kind != SQL_EXPR_EQUAL) {
        sql_scope_expr_walk(s, frame, where);
        return;
    }
    frame->touched = 0;
    sql_scope_expr_walk(s, frame, where->children);
    uint64_t left = frame->touched;
    frame->touched = 0;
    sql_scope_expr_walk(s, frame, where->children->next);
    if (left != 0 && frame->touched != 0)
        connect(frame, left | frame->touched);
}

/* Whether outer joins may supply NULLs for an item: its own, or a later one that keeps its right
 * side. */
static void mark_sides(struct sql_scope *s, const struct sql_from *list, bool outer, bool in_parens)
{
    for (const struct sql_from *item = list; item != NULL; item = item->next) {
        bool supplied = outer || item->join == SQL_JOIN_LEFT || item->join == SQL_JOIN_FULL;
        for (const struct sql_from *later = item->next; later != NULL; later = later->next)
            supplied = supplied || later->join == SQL_JOIN_RIGHT || later->join == SQL_JOIN_FULL;
        if (item->kind == SQL_FROM_PARENS)
            mark_sides(s, item->inside, supplied, true);
        if (item->table_ref < 0)
            continue;
        s->tables[item->table_ref].inner = !supplied;
        s->tables[item->table_ref].in_parens = in_parens;
    }
}

void sql_scope_from_finish(struct sql_scope *s, struct sql_scope_frame *frame,
                           const struct sql_from *list)
{
    if (s->failed)
        return;
    mark_sides(s, list, false, false);
    size_t root = frame->relation_count;
    for (size_t i = 0; i < frame->relation_count; i++) {
        int ref = frame->relations[i].table_ref;
        if (ref < 0)
            continue;
        if (root == frame->relation_count)
            root = component_of(frame, i);
        s->tables[ref].connected = component_of(frame, i) == root;
    }
}
