/* SPDX-License-Identifier: MIT */
/* agents/sql/parse/scope_from.c - a FROM's relations, what USING shares, who is joined with whom.
 *
 * Happy path: collect relations in order (derived ones are resolved first, without sight of their
 * neighbours), then conditions once all are there. Failure: more relations than a mask holds. */
#include "agents/sql/parse/scope_internal.h"

/* After RECURSIVE a CTE may read those that come later, and in SQLite always. */
static void refuse_pending(struct sql_scope *s, struct str name)
{
    for (const struct sql_scope_pending *at = s->pending; at != NULL; at = at->around)
        for (const struct sql_cte *cte = at->first; cte != NULL; cte = cte->next)
            if (sql_scope_state_same(s, cte->name, name))
                sql_scope_state_refuse(s, "cte_self_reference",
                                       "WITH %.*s is read before it is written; put it first",
                                       STR_ARG(name));
}

struct sql_scope_cte *sql_scope_from_cte(struct sql_scope *s, struct sql_scope_cte *ctes,
                                         struct str name)
{
    refuse_pending(s, name);
    for (struct sql_scope_cte *cte = ctes; cte != NULL; cte = cte->before)
        if (sql_scope_state_same(s, cte->name, name))
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
                                .only = item->only,
                                .sample = item->sample_span,
                                .inner = true,
                                .connected = true};
    ref.table = catalog_find_table(s->catalog, item->schema, item->name);
    if (ref.table == CATALOG_NONE && sql_scope_name_is_default(s, item->schema))
        ref.table = catalog_find_table(s->catalog, STR(""), item->name);
    ref.column_list = item->columns != NULL;
    item->table_ref = sql_scope_state_add_table(s, &ref);
    return ref.table;
}

static bool may_hide(const struct sql_scope *s, int table)
{
    if (table == CATALOG_NONE || !s->catalog->complete)
        return true;
    for (size_t i = 0; i < s->catalog->tables[table].column_count; i++)
        if (s->catalog->tables[table].columns[i].hidden)
            return true;
    return false;
}

/* t AS x(a, b): a relation of columns that only have names. */
static void rename_table(struct sql_scope *s, const struct sql_from *item,
                         struct sql_scope_relation *relation)
{
    struct sql_scope_columns *columns = sql_scope_state_alloc(s, 1, sizeof *columns);
    const struct catalog_table *table =
        relation->table == CATALOG_NONE ? NULL : &s->catalog->tables[relation->table];
    if (columns == NULL || table == NULL)
        return;
    for (size_t i = 0; i < table->column_count; i++)
        sql_scope_state_add_output(s, columns, table->columns[i].name);
    relation->columns = sql_scope_call_rename(s, columns, item->columns);
    relation->table = CATALOG_NONE;
}

static void fill_table(struct sql_scope *s, struct sql_scope_frame *frame, struct sql_from *item,
                       struct sql_scope_relation *relation)
{
    struct sql_scope_cte *cte =
        str_is_absent(item->schema) ? sql_scope_from_cte(s, frame->ctes, item->name) : NULL;
    if (cte == NULL) {
        relation->table = sql_scope_from_table(s, frame, item, SQL_USE_FROM);
        relation->table_ref = item->table_ref;
        relation->schema = item->schema;
        frame->has_base = true;
        frame->may_hide = frame->may_hide || may_hide(s, relation->table);
        if (s->parse->dialect == SQL_POSTGRES && item->columns != NULL)
            rename_table(s, item, relation);
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
    relation->columns = sql_scope_call_rename(s, cte->columns, item->columns);
}

/* A query in FROM; LATERAL lets it see the items before it, and ties it to those it names. */
static void fill_query(struct sql_scope *s, struct sql_scope_frame *frame,
                       const struct sql_from *item, size_t index)
{
    struct sql_scope_frame *sees = item->lateral ? frame : frame->parent;
    frame->touched = 0;
    const struct sql_scope_columns *columns =
        sql_scope_select_walk(s, sees, frame->ctes, item->select);
    frame->relations[index].columns = sql_scope_call_rename(s, columns, item->columns);
}

/* The next relation of frame, or NULL having given up. */
static struct sql_scope_relation *next_relation(struct sql_scope *s, struct sql_scope_frame *frame)
{
    if (frame->relation_count == SQL_GRAMMAR_MAX_RELATIONS) {
        sql_scope_state_refuse(s, "relations", "a FROM names more than %d tables; split it",
                               SQL_GRAMMAR_MAX_RELATIONS);
        return NULL;
    }
    struct sql_scope_relation *relation = &frame->relations[frame->relation_count];
    relation->component = frame->relation_count;
    relation->table_ref = CATALOG_NONE;
    relation->table = CATALOG_NONE;
    return relation;
}

static void add_relation(struct sql_scope *s, struct sql_scope_frame *frame, struct sql_from *item)
{
    size_t index = frame->relation_count;
    struct sql_scope_relation *relation = next_relation(s, frame);
    if (relation == NULL)
        return;
    sql_scope_state_expand(s, 1);
    item->part = index;
    relation->aliased = !str_is_absent(item->alias);
    relation->name = relation->aliased ? item->alias : item->name;
    if (item->kind == SQL_FROM_TABLE) {
        fill_table(s, frame, item, relation);
    } else if (item->kind == SQL_FROM_SELECT) {
        fill_query(s, frame, item, index);
    } else {
        relation->columns = sql_scope_call_columns(s, item);
        relation->open = relation->columns == NULL;
    }
    frame->relation_count++;
    if (item->kind == SQL_FROM_SELECT && item->lateral)
        sql_scope_from_connect(frame, frame->touched | (uint64_t)1 << index);
}

static uint64_t mask_of(size_t start, size_t end)
{
    uint64_t below_end = end >= 64 ? UINT64_MAX : ((uint64_t)1 << end) - 1;
    uint64_t below_start = start >= 64 ? UINT64_MAX : ((uint64_t)1 << start) - 1;
    return below_end & ~below_start;
}

/* JOIN ... USING (a, b) AS name: a relation of these columns, for qualified names only. */
static void add_using_alias(struct sql_scope *s, struct sql_scope_frame *frame,
                            const struct sql_from *item)
{
    struct sql_scope_relation *relation =
        item->using_alias.len == 0 ? NULL : next_relation(s, frame);
    struct sql_scope_columns *columns =
        relation == NULL ? NULL : sql_scope_state_alloc(s, 1, sizeof *columns);
    if (columns == NULL)
        return;
    for (const struct sql_names *name = item->using_columns; name != NULL; name = name->next)
        sql_scope_state_add_output(s, columns, name->name);
    relation->name = item->using_alias;
    relation->aliased = relation->qualified_only = true;
    relation->columns = columns;
    frame->relation_count++;
}

/* (a JOIN b) AS name: a relation of all their columns that covers them. */
static void cover(struct sql_scope *s, struct sql_scope_frame *frame, const struct sql_from *item,
                  size_t start)
{
    uint64_t outside = frame->unseen, inside = mask_of(start, frame->relation_count);
    const struct sql_item star = {.span = item->alias_span};
    struct sql_scope_columns *columns = sql_scope_state_alloc(s, 1, sizeof *columns);
    struct sql_scope_relation *relation = next_relation(s, frame);
    if (columns == NULL || relation == NULL)
        return;
    frame->unseen = outside | ~inside;
    sql_scope_name_star(s, frame, &star, columns);
    frame->unseen = outside | inside;
    relation->name = item->alias;
    relation->aliased = true;
    relation->columns = sql_scope_call_rename(s, columns, item->columns);
    size_t index = frame->relation_count++;
    if (start < index)
        sql_scope_from_connect(frame, (uint64_t)1 << index | (uint64_t)1 << start);
}

size_t sql_scope_from_component(struct sql_scope_frame *frame, size_t i)
{
    while (frame->relations[i].component != i)
        i = frame->relations[i].component =
            frame->relations[frame->relations[i].component].component;
    return i;
}

void sql_scope_from_connect(struct sql_scope_frame *frame, uint64_t mask)
{
    size_t first = frame->relation_count;
    for (size_t i = 0; i < frame->relation_count; i++) {
        if ((mask >> i & 1) == 0)
            continue;
        if (first == frame->relation_count)
            first = sql_scope_from_component(frame, i);
        else
            frame->relations[sql_scope_from_component(frame, i)].component = first;
    }
}

/* Whether a join can share the name: nobody writes it anew, so PostgreSQL must find it as it is. */
static bool may_share(struct sql_scope *s, const struct sql_scope_relation *relation,
                      struct str name, int *column)
{
    if (!sql_scope_name_in(s, relation, name, column))
        return false;
    return *column == CATALOG_NONE ||
           sql_scope_state_same(s, s->catalog->tables[relation->table].columns[*column].name, name);
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
        if (!may_share(s, relation, name, &column)) {
            ref.past_table = ref.past_table || (where == end && relation->table_ref >= 0);
            continue;
        }
        if (sql_scope_name_is_merged(s, relation, name))
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
        if (may_share(s, &frame->relations[i], name, &column))
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
            if (!sql_scope_name_is_merged(s, &frame->relations[i], name) &&
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
        if (item->join == SQL_JOIN_COMMA && s->parse->dialect != SQL_SQLITE)
            start = middle; /* USING looks no farther to the left */
        if (item->kind == SQL_FROM_PARENS)
            sql_scope_from_collect(s, frame, item->inside);
        else
            add_relation(s, frame, item);
        if (item->kind == SQL_FROM_PARENS && !str_is_absent(item->alias))
            cover(s, frame, item, middle);
        frame->touched = 0;
        for (const struct sql_names *name = item->using_columns; name != NULL; name = name->next)
            merge(s, frame, start, middle, name->name, name->span);
        if (item->natural)
            merge_natural(s, frame, start, middle, item->span);
        sql_scope_from_connect(frame, frame->touched);
        add_using_alias(s, frame, item);
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
    sql_scope_from_connect(frame, frame->touched);
}

/* The calls and conditions of a list whose first relation is number start; the number after its
 * last. A call sees what stands before it, ON the two sides of its join: a name that is in neither
 * is looked for further out, also where another item of FROM has it. */
static size_t walk_conditions(struct sql_scope *s, struct sql_scope_frame *frame,
                              const struct sql_from *list, size_t start)
{
    size_t next = start;
    bool narrow = s->parse->dialect != SQL_SQLITE; /* which sees all that FROM holds */
    uint64_t outside = frame->unseen;
    for (const struct sql_from *item = list; item != NULL && !s->failed; item = item->next) {
        size_t first = next;
        if (item->join == SQL_JOIN_COMMA)
            start = first;
        if (item->kind == SQL_FROM_PARENS) {
            bool covers = !str_is_absent(item->alias);
            frame->unseen = covers ? outside & ~mask_of(first, frame->relation_count) : outside;
            next = walk_conditions(s, frame, item->inside, first) + (covers ? 1 : 0);
        } else {
            next++;
        }
        frame->unseen = outside | (narrow ? mask_of(first, frame->relation_count) : 0);
        frame->touched = 0;
        for (const struct sql_expr *call = item->kind == SQL_FROM_CALL ? item->call : NULL;
             call != NULL; call = call->next)
            sql_scope_expr_call(s, frame, call, true);
        if (item->kind == SQL_FROM_CALL && narrow)
            sql_scope_from_connect(frame, frame->touched | (uint64_t)1 << first);
        frame->unseen = outside | (narrow ? ~mask_of(start, next) : 0);
        if (item->on != NULL)
            walk_on(s, frame, item->on);
        frame->unseen = outside;
        next += item->using_alias.len > 0 ? 1 : 0;
    }
    return next;
}

void sql_scope_from_conditions(struct sql_scope *s, struct sql_scope_frame *frame,
                               const struct sql_from *list)
{
    (void)walk_conditions(s, frame, list, 0);
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

/* What was the number of an item's relation becomes that of what it is joined with. */
static void mark_parts(struct sql_scope_frame *frame, struct sql_from *list)
{
    for (struct sql_from *item = list; item != NULL; item = item->next) {
        if (item->kind == SQL_FROM_PARENS)
            mark_parts(frame, item->inside);
        else
            item->part = sql_scope_from_component(frame, item->part);
    }
}

void sql_scope_from_finish(struct sql_scope *s, struct sql_scope_frame *frame,
                           struct sql_from *list)
{
    if (s->failed)
        return;
    mark_sides(s, list, false, false);
    mark_parts(frame, list);
    size_t root = frame->relation_count;
    for (size_t i = 0; i < frame->relation_count; i++) {
        int ref = frame->relations[i].table_ref;
        if (ref < 0)
            continue;
        if (root == frame->relation_count)
            root = sql_scope_from_component(frame, i);
        s->tables[ref].connected = sql_scope_from_component(frame, i) == root;
    }
}
