/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/pairs.c - rows that are joined in pairs: by what both refer to, and a table
 * with itself; a reference that leads to several tables; COUNT(*) of an outer join.
 *
 * Failure: none; what cannot be followed is not doubted. */
#include "agents/sql/doubts/look.h"

struct equalities {
    struct sql_tree_walk walk;
    struct sql_doubts_look *look;
    int scope;
    bool is_said;
    void (*on_pair)(struct equalities *pairs, const struct sql_expr *expr,
                    const struct sql_column_ref *one, const struct sql_column_ref *two);
    const struct sql_branch *branch;
};

static void on_expr(struct sql_tree_walk *walk, const struct sql_expr *expr)
{
    struct equalities *pairs = container_of(walk, struct equalities, walk);
    const struct sql_parse *parse = pairs->look->parse;
    const struct sql_expr *left = expr->children, *right = left == NULL ? NULL : left->next;
    if (pairs->is_said || right == NULL || right->next != NULL ||
        (expr->kind != SQL_EXPR_EQUAL && !expr->compares))
        return;
    const struct sql_column_ref *one = sql_parse_column_at(parse, left),
                                *two = sql_parse_column_at(parse, right);
    if (sql_doubts_column(pairs->look, one) == NULL ||
        sql_doubts_column(pairs->look, two) == NULL || one->table_ref == two->table_ref ||
        parse->tables[one->table_ref].scope != pairs->scope ||
        parse->tables[two->table_ref].scope != pairs->scope)
        return;
    pairs->on_pair(pairs, expr, one, two);
}

static void look_at(struct equalities *pairs)
{
    pairs->walk = (struct sql_tree_walk){.on_expr = on_expr};
    sql_tree_walk_branch(&pairs->walk, pairs->branch);
}

/* ---- by what both refer to ---- */

static int table_of(const struct equalities *pairs, const struct sql_column_ref *ref)
{
    return pairs->look->parse->tables[ref->table_ref].table;
}

static bool is_key(const struct sql_doubts_look *look, const struct sql_column_ref *ref)
{
    const struct catalog_column *column = sql_doubts_column(look, ref);
    return column->primary_key || column->unique;
}

static void on_siblings(struct equalities *pairs, const struct sql_expr *expr,
                        const struct sql_column_ref *one, const struct sql_column_ref *two)
{
    struct sql_doubts_look *look = pairs->look;
    const int to = sql_doubts_referred(look, table_of(pairs, one), one->column);
    if (expr->kind != SQL_EXPR_EQUAL || to == CATALOG_NONE || is_key(look, one) ||
        is_key(look, two) || sql_doubts_referred(look, table_of(pairs, two), two->column) != to)
        return;
    struct str a = sql_doubts_table(look, one), b = sql_doubts_table(look, two);
    pairs->is_said = true;
    sql_doubts_say(look, "pairs",
                   arena_printf(look->source->arena,
                                "%.*s joins each row of %.*s with all those of %.*s of the same "
                                "%.*s, so that pairs are counted; join by a reference from one to "
                                "the other, or aggregate each before the join",
                                STR_ARG(sql_doubts_text(look, expr->span)), STR_ARG(a), STR_ARG(b),
                                STR_ARG(look->source->catalog->tables[to].name)),
                   arena_printf(look->source->arena,
                                "pairs of %.*s and %.*s were counted, which may be many more than "
                                "there are of either",
                                STR_ARG(a), STR_ARG(b)));
}

struct counts {
    struct sql_tree_walk walk;
    const struct sql_doubts_look *look;
    bool has_any, has_star;
};

static void on_count(struct sql_tree_walk *walk, const struct sql_expr *expr)
{
    struct counts *counts = container_of(walk, struct counts, walk);
    if (!sql_doubts_is_aggregate(counts->look, expr) || !str_equal(expr->call->name, STR("count")))
        return;
    counts->has_any = counts->has_any || !expr->call->distinct;
    counts->has_star = counts->has_star || expr->call->star;
}

/* What the branch counts. */
static struct counts counts_of(const struct sql_doubts_look *look, const struct sql_branch *branch)
{
    struct counts counts = {.walk = {.on_expr = on_count}, .look = look};
    for (const struct sql_item *item = branch->items; item != NULL; item = item->next)
        if (item->expr != NULL)
            sql_tree_walk_expr(&counts.walk, item->expr);
    return counts;
}

/* A COUNT of pairs; sums and means are looked at elsewhere (agents/sql/joins/multiplied.h). */
void sql_doubts_of_pairs(struct sql_doubts_look *look, const struct sql_branch *branch)
{
    struct equalities pairs = {
        .look = look, .scope = branch->scope, .branch = branch, .on_pair = on_siblings};
    if (counts_of(look, branch).has_any)
        look_at(&pairs);
}

/* ---- a reference to rows of several tables ---- */

/* author_id, beside which author_type says whose it is; CATALOG_NONE: the name is no such. */
static int type_beside(const struct sql_doubts_look *look, const struct sql_column_ref *ref)
{
    const struct catalog_table *table =
        &look->source->catalog->tables[look->parse->tables[ref->table_ref].table];
    struct str words[LOOK_NAME_WORDS], others[LOOK_NAME_WORDS];
    const size_t count = sql_doubts_split(look, ref->name, words);
    if (count < 2 || !str_equal_nocase(words[count - 1], STR("id")))
        return CATALOG_NONE;
    for (size_t c = 0; c < table->column_count; c++) {
        const size_t other = sql_doubts_split(look, table->columns[c].name, others);
        bool is_beside = other == count && str_equal_nocase(others[other - 1], STR("type"));
        for (size_t i = 0; is_beside && i + 1 < count; i++)
            is_beside = str_equal_nocase(words[i], others[i]);
        if (is_beside && !table->columns[c].hidden)
            return (int)c;
    }
    return CATALOG_NONE;
}

static void look_at_type(struct equalities *pairs, const struct sql_expr *expr,
                         const struct sql_column_ref *reference, const struct sql_column_ref *key)
{
    struct sql_doubts_look *look = pairs->look;
    const int type = type_beside(look, reference), table = table_of(pairs, reference);
    if (type == CATALOG_NONE || !is_key(look, key) || sql_doubts_uses(look, table, type))
        return;
    struct str name = look->source->catalog->tables[table].columns[type].name;
    pairs->is_said = true;
    sql_doubts_say(look, "type_of_reference",
                   arena_printf(look->source->arena,
                                "%.*s leads to rows of several tables, and %.*s says of which: "
                                "%.*s also meets those of others that have the same number; add a "
                                "condition on %.*s",
                                STR_ARG(reference->name), STR_ARG(name),
                                STR_ARG(sql_doubts_text(look, expr->span)), STR_ARG(name)),
                   arena_printf(look->source->arena,
                                "rows may be counted that belong to something else than %.*s",
                                STR_ARG(sql_doubts_table(look, key))));
}

static void on_typed(struct equalities *pairs, const struct sql_expr *expr,
                     const struct sql_column_ref *one, const struct sql_column_ref *two)
{
    look_at_type(pairs, expr, one, two);
    if (!pairs->is_said)
        look_at_type(pairs, expr, two, one);
}

/* ---- those that have none ---- */

/* COUNT(*) of a LEFT JOIN to many: one for who has none. */
static void on_optional(struct equalities *pairs, const struct sql_expr *expr,
                        const struct sql_column_ref *one, const struct sql_column_ref *two)
{
    struct sql_doubts_look *look = pairs->look;
    const struct sql_table_ref *tables = look->parse->tables;
    const struct sql_column_ref *many = !tables[one->table_ref].inner   ? one
                                        : !tables[two->table_ref].inner ? two
                                                                        : NULL;
    if (expr->kind != SQL_EXPR_EQUAL || many == NULL ||
        tables[(many == one ? two : one)->table_ref].inner == false || is_key(look, many))
        return;
    struct str name = sql_doubts_table(look, many);
    pairs->is_said = true;
    sql_doubts_say(look, "none_counted_as_one",
                   arena_printf(look->source->arena,
                                "COUNT(*) counts 1 where the outer join finds no %.*s; count a "
                                "column of %.*s that is never absent",
                                STR_ARG(name), STR_ARG(name)),
                   arena_printf(look->source->arena, "what has no %.*s is shown with 1 of them",
                                STR_ARG(name)));
}

void sql_doubts_of_references(struct sql_doubts_look *look, const struct sql_branch *branch)
{
    struct equalities pairs = {
        .look = look, .scope = branch->scope, .branch = branch, .on_pair = on_typed};
    look_at(&pairs);
    if (branch->groups == NULL || !counts_of(look, branch).has_star)
        return;
    pairs = (struct equalities){
        .look = look, .scope = branch->scope, .branch = branch, .on_pair = on_optional};
    look_at(&pairs);
}

/* ---- a table with itself ---- */

static struct str called(const struct sql_doubts_look *look, const struct sql_column_ref *ref)
{
    const struct sql_table_ref *table = &look->parse->tables[ref->table_ref];
    return str_is_empty(table->alias) ? table->name : table->alias;
}

/* Whether the alias stands for the role: "m" or "mgr" of manager_id. */
static bool stands_for(struct str alias, struct str role)
{
    return alias.len > 0 && alias.len <= role.len &&
           str_equal_nocase(alias, str_slice(role, 0, alias.len));
}

/* m.manager_id = e.id, where m is the manager: the reference goes the wrong way. */
static void look_at_role(struct equalities *pairs, const struct sql_expr *expr,
                         const struct sql_column_ref *reference, const struct sql_column_ref *key)
{
    struct sql_doubts_look *look = pairs->look;
    struct str words[LOOK_NAME_WORDS];
    if (sql_doubts_referred(look, table_of(pairs, reference), reference->column) !=
            table_of(pairs, key) ||
        !is_key(look, key) || sql_doubts_split(look, reference->name, words) == 0 ||
        !stands_for(called(look, reference), words[0]) || stands_for(called(look, key), words[0]))
        return;
    pairs->is_said = true;
    sql_doubts_say(look, "reference_turned",
                   arena_printf(look->source->arena,
                                "by %.*s, %.*s is the %.*s of %.*s; join the other way round where "
                                "%.*s is to be the %.*s",
                                STR_ARG(sql_doubts_text(look, expr->span)),
                                STR_ARG(called(look, key)), STR_ARG(words[0]),
                                STR_ARG(called(look, reference)), STR_ARG(called(look, reference)),
                                STR_ARG(words[0])),
                   arena_printf(look->source->arena, "the %.*s may be taken the wrong way round",
                                STR_ARG(words[0])));
}

/* Whether the question has the text behind "reports to", or behind the role and "by". */
static bool is_above(const struct sql_doubts_look *look, struct str role, struct str text)
{
    const struct sql_said *said = &look->said;
    struct str words[LOOK_NAME_WORDS];
    const size_t count = sql_doubts_split(look, text, words);
    for (size_t at = 0; count > 0 && at < said->word_count; at++) {
        const size_t by = sql_doubts_alike(said->words[at].text, role)
                              ? sql_said_phrase(said, at + 1, SQL_DOUBTS_BY, NULL)
                              : 0;
        const size_t under = sql_said_phrase(said, at, SQL_DOUBTS_UNDER, NULL);
        const size_t behind = by > 0 ? at + 1 + by : at + under;
        if (behind > at && behind < said->word_count &&
            str_equal_nocase(said->words[behind].text, words[0]))
            return true;
    }
    return false;
}

/* "who reports to Ann", and a statement that looks for Ann where it should look for who is above.
 */
static void look_at_above(struct equalities *pairs, const struct sql_column_ref *reference,
                          const struct sql_column_ref *key)
{
    struct sql_doubts_look *look = pairs->look;
    struct str words[LOOK_NAME_WORDS];
    if (sql_doubts_referred(look, table_of(pairs, reference), reference->column) !=
            table_of(pairs, key) ||
        !is_key(look, key) || sql_doubts_split(look, reference->name, words) == 0)
        return;
    for (size_t i = 0; i < look->compared_count; i++) {
        const struct sql_compared *c = &look->compared[i];
        const struct sql_column_ref *of = sql_parse_column_at(look->parse, c->left);
        if (of == NULL || of->table_ref != reference->table_ref || str_is_absent(c->text) ||
            !is_above(look, words[0], c->text))
            continue;
        pairs->is_said = true;
        sql_doubts_say(
            look, "reference_turned",
            arena_printf(look->source->arena,
                         "the question asks for those under '%.*s', and %.*s, of which "
                         "%.*s is the %.*s, is looked for by that name: compare %.*s "
                         "with it",
                         STR_ARG(c->text), STR_ARG(called(look, reference)),
                         STR_ARG(called(look, key)), STR_ARG(words[0]), STR_ARG(called(look, key))),
            arena_printf(look->source->arena, "the %.*s may be taken the wrong way round",
                         STR_ARG(words[0])));
        return;
    }
}

/* e.salary < m.salary, of e, where the question says "more than". */
static void look_at_sides(struct equalities *pairs, const struct sql_expr *expr,
                          const struct sql_column_ref *one, const struct sql_column_ref *two)
{
    struct sql_doubts_look *look = pairs->look;
    const struct sql_item *item = pairs->branch->items;
    const struct sql_column_ref *of =
        item->expr == NULL ? NULL : sql_parse_column_at(look->parse, item->expr);
    const enum catalog_type type = sql_doubts_column(look, one)->type;
    const size_t above = sql_said_times(&look->said, SQL_DOUBTS_ABOVE),
                 below = sql_said_times(&look->said, SQL_DOUBTS_BELOW);
    struct str sign = sql_doubts_sign(look->parse, expr->children);
    const bool is_more = str_equal(sign, STR(">")), is_less = str_equal(sign, STR("<"));
    if (of == NULL || (type != CATALOG_INTEGER && type != CATALOG_NUMBER) ||
        one->column != two->column || (above > 0) == (below > 0) || is_more == is_less)
        return;
    const bool is_turned = of->table_ref == two->table_ref;
    if ((!is_turned && of->table_ref != one->table_ref) || (is_more != is_turned) == (above > 0))
        return;
    pairs->is_said = true;
    sql_doubts_say(look, "sides",
                   arena_printf(look->source->arena,
                                "the question asks for those with %s, and %.*s keeps the others",
                                above > 0 ? "more" : "less",
                                STR_ARG(sql_doubts_text(look, expr->span))),
                   STR("the answer may have it the other way round"));
}

static void on_selves(struct equalities *pairs, const struct sql_expr *expr,
                      const struct sql_column_ref *one, const struct sql_column_ref *two)
{
    if (table_of(pairs, one) != table_of(pairs, two))
        return;
    if (expr->kind != SQL_EXPR_EQUAL) {
        look_at_sides(pairs, expr, one, two);
        return;
    }
    look_at_role(pairs, expr, one, two);
    if (!pairs->is_said)
        look_at_role(pairs, expr, two, one);
    if (!pairs->is_said)
        look_at_above(pairs, one, two);
    if (!pairs->is_said)
        look_at_above(pairs, two, one);
}

void sql_doubts_of_selves(struct sql_doubts_look *look, const struct sql_branch *branch)
{
    struct equalities pairs = {
        .look = look, .scope = branch->scope, .branch = branch, .on_pair = on_selves};
    look_at(&pairs);
}
