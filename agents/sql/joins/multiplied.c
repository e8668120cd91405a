/* SPDX-License-Identifier: MIT */
/* agents/sql/joins/multiplied.c - a breadth-first walk along equalities; a step to what is no key
 * repeats.
 *
 * Failure: none; joins beyond the limit are not known. */
#include "agents/sql/joins/multiplied.h"

#include "agents/sql/grammar/tree_walk.h"

struct joins_walk {
    struct sql_tree_walk walk;
    struct sql_multiplied *multiplied;
};

static void on_join(struct sql_tree_walk *walk, const struct sql_expr *expr)
{
    struct sql_multiplied *m = container_of(walk, struct joins_walk, walk)->multiplied;
    if (expr->kind != SQL_EXPR_EQUAL || m->join_count == SQL_MULTIPLIED_JOINS)
        return;
    const struct sql_column_ref *one = sql_parse_column_at(m->parse, expr->children);
    const struct sql_column_ref *two = sql_parse_column_at(m->parse, expr->children->next);
    if (one == NULL || two == NULL || one->table_ref == two->table_ref ||
        m->parse->tables[one->table_ref].scope != m->parse->tables[two->table_ref].scope)
        return;
    m->joins[m->join_count].one = one;
    m->joins[m->join_count++].two = two;
}

/* Whether one row at most has a value of the column. */
static bool is_key(const struct sql_multiplied *m, const struct sql_column_ref *ref)
{
    int table = m->parse->tables[ref->table_ref].table;
    const struct catalog_table *at = &m->catalog->tables[table];
    size_t primary = 0;
    for (size_t i = 0; i < at->column_count; i++)
        primary += at->columns[i].primary_key;
    const struct catalog_column *column = &at->columns[ref->column];
    return column->unique || (column->primary_key && primary == 1);
}

/* Note the tables of whose rows a group of the outermost SELECT has one. */
static void note_groups(struct sql_multiplied *m)
{
    if (m->parse->tree == NULL || m->parse->tree->branches == NULL)
        return;
    for (const struct sql_expr *by = m->parse->tree->branches->groups; by != NULL; by = by->next) {
        const struct sql_column_ref *ref = sql_parse_column_at(m->parse, by);
        if (ref != NULL && ref->scope == m->parse->tree->branches->scope && is_key(m, ref))
            m->is_grouped[ref->table_ref] = true;
    }
}

static bool says_null(struct str text)
{
    struct str is = str_slice(str_trim(text), 0, 2);
    return str_equal_nocase(is, STR("is")) &&
           str_equal_nocase(str_trim(str_from(str_trim(text), is.len)), STR("null"));
}

/* Whether the column has a value in each row of its table: it is a key, or joins it. */
static bool is_filled(const struct sql_multiplied *m, const struct sql_column_ref *ref)
{
    const struct sql_table_ref *table = &m->parse->tables[ref->table_ref];
    for (size_t i = 0; i < m->join_count; i++)
        if ((m->joins[i].one->table_ref == ref->table_ref &&
             m->joins[i].one->column == ref->column) ||
            (m->joins[i].two->table_ref == ref->table_ref &&
             m->joins[i].two->column == ref->column))
            return true;
    return m->catalog->tables[table->table].columns[ref->column].not_null || is_key(m, ref);
}

/* Note the tables of which WHERE keeps no row: LEFT JOIN t ... WHERE t.id IS NULL. */
static void note_absent(struct sql_multiplied *m, const struct sql_expr *where)
{
    const struct sql_expr *left = where == NULL ? NULL : where->children;
    if (left == NULL)
        return;
    for (const struct sql_expr *one = left; where->kind == SQL_EXPR_AND && one != NULL;
         one = one->next)
        note_absent(m, one);
    const struct sql_column_ref *ref = sql_parse_column_at(m->parse, left);
    if (ref == NULL || ref->table_ref < 0 || ref->column == CATALOG_NONE ||
        !says_null(str_slice(m->parse->text, left->span.end, where->span.end)) ||
        m->parse->tables[ref->table_ref].table == CATALOG_NONE)
        return;
    if (!m->parse->tables[ref->table_ref].inner && is_filled(m, ref))
        m->is_absent[ref->table_ref] = true;
}

static void on_branch(struct sql_tree_walk *walk, const struct sql_branch *branch)
{
    note_absent(container_of(walk, struct joins_walk, walk)->multiplied, branch->where);
}

void sql_multiplied_init(struct sql_multiplied *multiplied, const struct sql_parse *parse,
                         const struct catalog *catalog)
{
    struct joins_walk found = {.walk = {.on_expr = on_join}, .multiplied = multiplied};
    multiplied->parse = parse;
    multiplied->catalog = catalog;
    multiplied->join_count = 0;
    memset(multiplied->is_grouped, 0, sizeof multiplied->is_grouped);
    memset(multiplied->is_absent, 0, sizeof multiplied->is_absent);
    if (parse->table_count > SQL_MULTIPLIED_TABLES)
        return;
    sql_tree_walk_select(&found.walk, parse->tree);
    found.walk = (struct sql_tree_walk){.on_branch = on_branch};
    sql_tree_walk_select(&found.walk, parse->tree);
    note_groups(multiplied);
}

/* The first table that repeats rows of table_ref, or -1; *is_pair: neither row refers to the other,
 * as both refer to a third. */
static int find_repeater(const struct sql_multiplied *m, int table_ref, bool *is_pair)
{
    bool reached[SQL_MULTIPLIED_TABLES] = {false}, by_many[SQL_MULTIPLIED_TABLES] = {false};
    int queue[SQL_MULTIPLIED_TABLES] = {table_ref};
    if (m->join_count == 0)
        return -1;
    reached[table_ref] = true;
    for (size_t head = 0, tail = 1; head < tail; head++) {
        for (size_t i = 0; i < m->join_count; i++) {
            bool forth = m->joins[i].one->table_ref == queue[head];
            const struct sql_column_ref *from = forth ? m->joins[i].one : m->joins[i].two,
                                        *next = forth ? m->joins[i].two : m->joins[i].one;
            if (from->table_ref != queue[head] || reached[next->table_ref] ||
                m->is_absent[next->table_ref])
                continue;
            *is_pair = by_many[queue[head]];
            if (!is_key(m, next) && !m->is_grouped[next->table_ref])
                return next->table_ref;
            reached[next->table_ref] = true;
            by_many[next->table_ref] = by_many[queue[head]] || !is_key(m, from);
            queue[tail++] = next->table_ref;
        }
    }
    return -1;
}

int sql_multiplied_by(const struct sql_multiplied *m, int table_ref)
{
    bool is_pair;
    return find_repeater(m, table_ref, &is_pair);
}

struct sums_walk {
    struct sql_tree_walk walk;
    const struct sql_multiplied *multiplied;
    sql_multiplied_fn *say;
    void *owner;
};

/* SUM(x), AVG(x), or COUNT of a key, which counts rows. */
static bool adds_rows(const struct sums_walk *found, const struct sql_expr *expr,
                      const struct sql_column_ref *of)
{
    const struct sql_call *call = expr->call;
    if (of == NULL || of->table_ref < 0 || call->distinct || call->windowed)
        return false;
    if (str_equal(call->name, STR("sum")) || str_equal(call->name, STR("avg")))
        return true;
    return str_equal(call->name, STR("count")) && of->column != CATALOG_NONE &&
           found->multiplied->parse->tables[of->table_ref].table != CATALOG_NONE &&
           is_key(found->multiplied, of);
}

static void on_sum(struct sql_tree_walk *walk, const struct sql_expr *expr)
{
    const struct sums_walk *found = container_of(walk, struct sums_walk, walk);
    const struct sql_parse *parse = found->multiplied->parse;
    const struct sql_column_ref *of = expr->kind != SQL_EXPR_CALL || expr->children == NULL
                                          ? NULL
                                          : sql_parse_column_at(parse, expr->children);
    bool is_pair = false;
    int by = of != NULL && adds_rows(found, expr, of)
                 ? find_repeater(found->multiplied, of->table_ref, &is_pair)
                 : -1;
    if (by >= 0)
        found->say(found->owner, &(struct sql_multiplied_sum){
                                     str_slice(parse->text, expr->span.start, expr->span.end), of,
                                     of->table_ref, by, is_pair});
}

void sql_multiplied_sums(const struct sql_parse *parse, const struct catalog *catalog,
                         sql_multiplied_fn *say, void *owner)
{
    struct sql_multiplied multiplied;
    struct sums_walk found = {
        .walk = {.on_expr = on_sum}, .multiplied = &multiplied, .say = say, .owner = owner};
    sql_multiplied_init(&multiplied, parse, catalog);
    if (multiplied.join_count > 0)
        sql_tree_walk_select(&found.walk, parse->tree);
}
