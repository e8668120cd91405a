/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/proofs.c - a proof for each kind of doubt that rows decide.
 *
 * Happy path: the statement is one SELECT of tables; its list is replaced or made longer, and the
 * rest stays as it is. Failure: another form has no proof. */
#include "agents/sql/doubts/proofs.h"

#include "agents/sql/doubts/proving.h"
#include "agents/sql/joins/multiplied.h"
#include "core/words/stem.h"

/* ---- the statement, written anew ---- */

/* What a key of ORDER BY or GROUP BY stands for: the item of its number or alias, or itself;
 * absent: it holds an alias among other things. */
static struct str meant_by(const struct sql_proofs *p, const struct sql_expr *key)
{
    uint64_t number = 0, place = 1;
    const bool is_number =
        key->kind == SQL_EXPR_LITERAL && str_to_u64(sql_proofs_text(p, key), &number) && number > 0;
    for (const struct sql_item *item = p->branch->items; item != NULL; item = item->next, place++)
        if (item->expr != NULL && is_number && place == number)
            return sql_proofs_text(p, item->expr);
    for (size_t i = 0; i < p->look.parse->column_count; i++) {
        const struct sql_column_ref *ref = &p->look.parse->columns[i];
        if (!ref->output_alias || ref->span.start < key->span.start ||
            ref->span.end > key->span.end)
            continue;
        return key->kind == SQL_EXPR_NAME
                   ? sql_proofs_part(p, ref->alias_of.start, ref->alias_of.end)
                   : (struct str){NULL, 0};
    }
    return is_number ? (struct str){NULL, 0} : sql_proofs_text(p, key);
}

/* Append ", " and what each of the first keys means. False: one means nothing that can be written.
 */
static bool push_keys(const struct sql_proofs *p, const struct sql_expr *keys, size_t count,
                      const char *before, struct buf *out)
{
    for (const struct sql_expr *key = keys; key != NULL && count > 0; key = key->next, count--) {
        struct str meant = meant_by(p, key);
        if (str_is_absent(meant))
            return false;
        buf_printf(out, "%s%.*s", key == keys ? before : ", ", STR_ARG(meant));
    }
    return true;
}

/* SELECT list FROM ... WHERE ... GROUP BY ... HAVING having: of the statement, whose condition at
 * 'instead' is replaced by 'by' where that is not absent. Absent: it cannot be written. */
static struct str count_rows(const struct sql_proofs *p, struct str list, struct str having,
                             struct sql_span instead, struct str by)
{
    struct buf out;
    bool ok = true;
    const size_t first = p->branch->items->span.start, end = sql_proofs_rows_end(p->branch);
    buf_init(&out, PROOF_BYTES);
    buf_printf(&out, "%.*s%.*s", STR_ARG(sql_proofs_part(p, p->look.parse->statement.start, first)),
               STR_ARG(list));
    if (str_is_absent(by))
        buf_push(&out, sql_proofs_part(p, sql_proofs_items_end(p), end));
    else
        buf_printf(&out, "%.*s%.*s%.*s",
                   STR_ARG(sql_proofs_part(p, sql_proofs_items_end(p), instead.start)), STR_ARG(by),
                   STR_ARG(sql_proofs_part(p, instead.end, end)));
    if (str_is_absent(by))
        ok = push_keys(p, p->branch->groups, SIZE_MAX, " GROUP BY ", &out);
    buf_printf(&out, " HAVING %.*s", STR_ARG(having));
    struct str text = ok && buf_ok(&out) ? arena_str(p->look.source->arena, buf_str(&out))
                                         : (struct str){NULL, 0};
    buf_fini(&out);
    return text;
}

/* ---- the first place ---- */

static bool is_unique(const struct sql_proofs *p, const struct sql_expr *key)
{
    const struct catalog_column *column =
        sql_doubts_column(&p->look, sql_parse_column_at(p->look.parse, key));
    return column != NULL && (column->primary_key || column->unique);
}

/* Whether no two groups have the same of a key: they are by nothing else. */
static bool is_grouped_by(const struct sql_proofs *p, const struct sql_expr *key)
{
    const struct sql_expr *group = p->branch->groups;
    return group != NULL && group->next == NULL &&
           str_equal(sql_proofs_text(p, group), sql_proofs_text(p, key));
}

/* How many keys decide the order: those in front of a unique one where ties alone are looked for,
 * since it only makes the order definite; else none, if any is unique. */
static size_t deciding_keys(const struct sql_proofs *p, const struct sql_expr *order)
{
    size_t keys = 0;
    for (const struct sql_expr *key = order; key != NULL; key = key->next, keys++) {
        if (is_unique(p, key))
            return p->look.source->ties_only ? keys : 0;
        if (p->look.source->ties_only && keys > 0 && is_grouped_by(p, key))
            return keys;
    }
    return keys;
}

/* ORDER BY x LIMIT 1: the same with x and LIMIT 2. */
static void prove_tie(struct sql_proofs *p)
{
    const struct sql_limit *limit = &p->look.parse->limit;
    const struct sql_expr *order = p->look.parse->tree->order;
    struct arena *arena = p->look.source->arena;
    struct buf out;
    const size_t keys = deciding_keys(p, order);
    if (keys == 0 || !limit->is_number || limit->number != 1 || limit->has_skip ||
        limit->with_ties || limit->fetch || p->branch->distinct ||
        limit->count_span.start < sql_proofs_items_end(p))
        return;
    buf_init(&out, PROOF_BYTES);
    buf_push(&out, sql_proofs_part(p, p->look.parse->statement.start, sql_proofs_items_end(p)));
    const bool ok = push_keys(p, order, keys, ", ", &out);
    buf_printf(&out, "%.*s2%.*s",
               STR_ARG(sql_proofs_part(p, sql_proofs_items_end(p), limit->count_span.start)),
               STR_ARG(sql_proofs_part(p, limit->count_span.end, p->look.parse->statement.end)));
    if (ok && buf_ok(&out))
        sql_proofs_keep(
            p, (struct sql_proof){
                   .kind = "tie",
                   .sql = arena_str(arena, buf_str(&out)),
                   .of = sql_proofs_text(p, order),
                   .keys = keys,
                   .told = arena_printf(arena,
                                        "LIMIT 1 gives one row, and at least one other has the "
                                        "same %.*s; compare with the MAX or MIN of it to have all "
                                        "of them",
                                        STR_ARG(sql_proofs_text(p, order))),
                   .shown = STR("others share the first place with what is shown")});
    buf_fini(&out);
}

/* ---- rows that are counted again ---- */

/* Whether the figure is right for no question: it adds up an amount, or counts rows, once for each
 * of others that have nothing to do with it. A price of one may be meant to be added for each of
 * them, a mean may be meant to be weighted, and a row may stand for those that refer to it. */
static bool is_wrong(const struct sql_proofs *p, const struct sql_multiplied_sum *sum)
{
    return sum->is_pair && !str_equal_nocase(str_slice(sum->text, 0, 3), STR("avg")) &&
           !sql_doubts_ends_as(&p->look, sum->column->name, SQL_DOUBTS_RATE);
}

/* The statement's only figure, as it is and with each row counted once; absent: it has others, or
 * is made of more than the call. */
static struct str figures_of(const struct sql_proofs *p, const struct sql_multiplied_sum *sum,
                             struct str key)
{
    static const struct {
        const char *call, *list;
    } forms[] = {
        {"SUM(", "SUM(one.x * one.n), SUM(one.x)"},
        {"AVG(",
         "SUM(one.x * one.n) / SUM(CASE WHEN one.x IS NULL THEN 0.0 ELSE one.n END), AVG(one.x)"},
        {"COUNT(", "SUM(one.n), COUNT(one.x)"},
    };
    const struct sql_item *item = p->branch->items;
    struct str column = sql_proofs_part(p, sum->column->span.start, sum->column->span.end);
    struct arena *arena = p->look.source->arena;
    if (p->branch->groups != NULL || p->branch->having != NULL || p->branch->distinct ||
        item->next != NULL || item->expr == NULL ||
        !str_equal(sql_proofs_text(p, item->expr), sum->text))
        return (struct str){NULL, 0};
    for (size_t i = 0; i < countof(forms); i++) {
        struct str call = str_of(forms[i].call);
        if (!str_equal_nocase(str_slice(sum->text, 0, call.len), call) ||
            sum->text.len != call.len + column.len + 1 ||
            !str_equal(str_slice(sum->text, call.len, sum->text.len - 1), column))
            continue;
        return arena_printf(
            arena,
            "SELECT %s FROM (SELECT MAX(%.*s) AS x, COUNT(%.*s) AS n%.*s GROUP BY "
            "%.*s) AS one",
            forms[i].list, STR_ARG(column), STR_ARG(key),
            STR_ARG(sql_proofs_part(p, sql_proofs_items_end(p), sql_proofs_rows_end(p->branch))),
            STR_ARG(key));
    }
    return (struct str){NULL, 0};
}

static void on_sum(void *owner, const struct sql_multiplied_sum *sum)
{
    struct sql_proofs *p = owner;
    struct arena *arena = p->look.source->arena;
    const struct sql_table_ref *of = &p->look.parse->tables[sum->of],
                               *by = &p->look.parse->tables[sum->by];
    struct str key = of->scope != p->branch->scope || of->table == CATALOG_NONE
                         ? (struct str){NULL, 0}
                         : sql_proofs_key(p, sum->of);
    if (str_is_absent(key))
        return;
    sql_proofs_keep(
        p, (struct sql_proof){
               .kind = "multiplied",
               .sql = count_rows(p,
                                 arena_printf(arena, "COUNT(%.*s) - COUNT(DISTINCT %.*s)",
                                              STR_ARG(key), STR_ARG(key)),
                                 arena_printf(arena, "COUNT(%.*s) > COUNT(DISTINCT %.*s)",
                                              STR_ARG(key), STR_ARG(key)),
                                 (struct sql_span){0, 0}, (struct str){NULL, 0}),
               .figures = figures_of(p, sum, key),
               .of = sum->text,
               .is_wrong = is_wrong(p, sum),
               .told = arena_printf(arena,
                                    "rows of %.*s are counted again in %.*s, once for each row of "
                                    "%.*s that they meet; aggregate before the join, or use EXISTS "
                                    "where it only filters",
                                    STR_ARG(of->name), STR_ARG(sum->text), STR_ARG(by->name)),
               .shown = arena_printf(arena,
                                     "rows of %.*s are counted again in the figures, once for "
                                     "each of %.*s",
                                     STR_ARG(of->name), STR_ARG(by->name))});
}

/* ---- a way around ---- */

/* The column by which a table of the statement other than from reaches to, and that table's
 * reference by which from reaches it; NULL: none, or the question speaks of it. */
static const struct sql_column_ref *way_of(const struct sql_proofs *p, int from, int to)
{
    const struct sql_parse *parse = p->look.parse;
    for (size_t i = 0; i < parse->column_count; i++) {
        const struct sql_column_ref *way = &parse->columns[i];
        if (sql_doubts_column(&p->look, way) == NULL || way->use != SQL_COLUMN_NAMED ||
            way->table_ref == from || way->table_ref == to ||
            parse->tables[way->table_ref].scope != p->branch->scope)
            continue;
        const int table = parse->tables[way->table_ref].table;
        const struct sql_doubts_name rows = sql_doubts_name_of(&p->look, table, CATALOG_NONE),
                                     name = sql_doubts_name_of(&p->look, table, way->column),
                                     target = sql_doubts_name_of(&p->look, parse->tables[to].table,
                                                                 CATALOG_NONE);
        if (sql_doubts_referred(&p->look, table, way->column) == parse->tables[to].table &&
            sql_doubts_refers(&p->look, parse->tables[from].table, table) &&
            str_is_absent(sql_doubts_said_of(&p->look, &rows, NULL)) &&
            str_is_absent(sql_doubts_said_of(&p->look, &name, &target)))
            return way;
    }
    return NULL;
}

/* checkIns joined with gyms by their members' home gym, where they have a gym of their own: rows
 * that have another one. */
static void prove_way(struct sql_proofs *p, int from, const struct catalog_reference *own)
{
    const struct sql_parse *parse = p->look.parse;
    struct arena *arena = p->look.source->arena;
    for (size_t to = 0; to < parse->table_count; to++) {
        const struct sql_column_ref *way =
            parse->tables[to].table == own->to_table && parse->tables[to].scope == p->branch->scope
                ? way_of(p, from, (int)to)
                : NULL;
        if (way == NULL)
            continue;
        struct str one = sql_proofs_column(p, from, (size_t)own->columns[0]),
                   other = sql_proofs_part(p, way->span.start, way->span.end),
                   differ = arena_printf(arena, "COUNT(CASE WHEN %.*s <> %.*s THEN 1 END)",
                                         STR_ARG(one), STR_ARG(other));
        sql_proofs_keep(
            p, (struct sql_proof){
                   .kind = "way_around",
                   .sql = count_rows(p, differ, arena_printf(arena, "%.*s > 0", STR_ARG(differ)),
                                     (struct sql_span){0, 0}, (struct str){NULL, 0}),
                   .of = other,
                   .told = arena_printf(arena,
                                        "rows have another %.*s than %.*s, by which %.*s is "
                                        "joined; join it by %.*s where that is meant",
                                        STR_ARG(one), STR_ARG(other),
                                        STR_ARG(parse->tables[to].name), STR_ARG(one)),
                   .shown = arena_printf(arena, "rows of %.*s have another %.*s of their own",
                                         STR_ARG(parse->tables[from].name),
                                         STR_ARG(parse->tables[to].name))});
        return;
    }
}

static void prove_ways(struct sql_proofs *p)
{
    for (size_t i = 0; i < p->look.parse->table_count; i++) {
        const struct sql_table_ref *from = &p->look.parse->tables[i];
        const struct catalog_table *table =
            from->table == CATALOG_NONE ? NULL : &p->look.source->catalog->tables[from->table];
        for (size_t r = 0;
             table != NULL && from->scope == p->branch->scope && r < table->reference_count; r++)
            if (table->references[r].column_count == 1 &&
                table->references[r].to_table != from->table &&
                !sql_doubts_uses(&p->look, from->table, table->references[r].columns[0]))
                prove_way(p, (int)i, &table->references[r]);
    }
}

/* ---- counts ---- */

/* COUNT(x), where some rows have no x. */
static void prove_count(struct sql_proofs *p, const struct sql_expr *expr)
{
    struct arena *arena = p->look.source->arena;
    struct str argument = sql_proofs_text(p, expr->children), text = sql_proofs_text(p, expr);
    if (!sql_doubts_counts_values(&p->look, expr))
        return;
    sql_proofs_keep(
        p,
        (struct sql_proof){
            .kind = "count_of_column",
            .sql = count_rows(p, arena_printf(arena, "COUNT(*) - COUNT(%.*s)", STR_ARG(argument)),
                              arena_printf(arena, "COUNT(*) > COUNT(%.*s)", STR_ARG(argument)),
                              (struct sql_span){0, 0}, (struct str){NULL, 0}),
            .of = text,
            .told = arena_printf(arena,
                                 "rows have no %.*s, which %.*s does not count; write COUNT(*), "
                                 "or COUNT of the key, for rows, and COUNT(DISTINCT %.*s) for "
                                 "how many different ones there are",
                                 STR_ARG(argument), STR_ARG(text), STR_ARG(argument)),
            .shown =
                arena_printf(arena, "rows have no %.*s and were not counted", STR_ARG(argument))});
}

static void on_expr(struct sql_tree_walk *walk, const struct sql_expr *expr)
{
    struct sql_proofs *p = container_of(walk, struct sql_proofs, walk);
    if (expr->kind == SQL_EXPR_CALL && str_equal(expr->call->name, STR("count")) &&
        expr->children != NULL && !expr->call->distinct && !expr->call->windowed)
        prove_count(p, expr);
}

/* ---- rows that are left out ---- */

static bool says_not_in(const struct sql_proofs *p, const struct sql_expr *left)
{
    struct str text = sql_doubts_sign(p->look.parse, left);
    return text.len >= 6 && str_equal_nocase(str_slice(text, 0, 6), STR("not in"));
}

/* x NOT IN (SELECT y ...): a y that is NULL lets nothing through. */
static void prove_not_in(struct sql_proofs *p, const struct sql_expr *expr)
{
    struct arena *arena = p->look.source->arena;
    const struct sql_select *inside = expr->children->next->select;
    const struct sql_branch *branch = inside == NULL ? NULL : inside->branches;
    const struct sql_item *item = branch == NULL ? NULL : branch->items;
    if (item == NULL || inside->branch_count != 1 || item->next != NULL || item->expr == NULL ||
        item->expr->kind != SQL_EXPR_NAME || branch->groups != NULL || branch->from == NULL ||
        inside->limit_count != NULL || !says_not_in(p, expr->children))
        return;
    const struct catalog_column *column =
        sql_doubts_column(&p->look, sql_parse_column_at(p->look.parse, item->expr));
    if (column == NULL || column->not_null || column->primary_key)
        return;
    struct str name = sql_proofs_text(p, item->expr);
    sql_proofs_keep(
        p, (struct sql_proof){
               .kind = "left_out",
               .sql = arena_printf(
                   arena, "SELECT COUNT(*) FROM %.*s%s%.*s%s%.*s IS NULL HAVING COUNT(*) > 0",
                   STR_ARG(sql_proofs_part(p, sql_proofs_from(branch).start,
                                           sql_proofs_from(branch).end)),
                   branch->where == NULL ? "" : " WHERE (",
                   STR_ARG(branch->where == NULL ? STR("") : sql_proofs_text(p, branch->where)),
                   branch->where == NULL ? " WHERE " : ") AND ", STR_ARG(name)),
               .of = sql_proofs_text(p, expr),
               .told = arena_printf(arena,
                                    "rows of the list in NOT IN have no %.*s, so that the "
                                    "condition is never true; write NOT EXISTS",
                                    STR_ARG(name)),
               .shown = STR("missing values kept everything from being found")});
}

/* x <> 'a' does not keep rows that have no x. */
static void prove_unequal(struct sql_proofs *p, const struct sql_expr *expr)
{
    struct arena *arena = p->look.source->arena;
    struct sql_compared read[SQL_COMPARED_MOST];
    const struct sql_column_ref *ref = sql_parse_column_at(p->look.parse, expr->children);
    const struct catalog_column *column = sql_doubts_column(&p->look, ref);
    const bool is_unequal =
        sql_compared_read(p->look.parse, expr, read) == 1 && read[0].op == SQL_COMPARED_UNEQUAL;
    if (column == NULL || column->not_null || column->primary_key ||
        !p->look.parse->tables[ref->table_ref].inner ||
        (!is_unequal && !says_not_in(p, expr->children)) ||
        sql_said_times(&p->look.said, SQL_DOUBTS_DENIAL) == 0)
        return;
    struct str name = sql_proofs_text(p, expr->children);
    sql_proofs_keep(
        p, (struct sql_proof){.kind = "left_out",
                              .sql = count_rows(p, STR("COUNT(*)"), STR("COUNT(*) > 0"), expr->span,
                                                arena_printf(arena, "%.*s IS NULL", STR_ARG(name))),
                              .of = sql_proofs_text(p, expr),
                              .told = arena_printf(
                                  arena,
                                  "rows have no %.*s, and %.*s leaves them out; add OR %.*s IS "
                                  "NULL where they belong to the answer",
                                  STR_ARG(name), STR_ARG(sql_proofs_text(p, expr)), STR_ARG(name)),
                              .shown = arena_printf(arena, "rows have no %.*s and are left out",
                                                    STR_ARG(ref->name))});
}

static void prove_left_out(struct sql_proofs *p)
{
    const struct sql_expr *where = p->branch->where;
    for (const struct sql_expr *one = sql_doubts_condition(where); one != NULL;
         one = sql_doubts_next(where, one)) {
        if (!one->compares || one->children == NULL || one->children->next == NULL)
            continue;
        if (one->children->next->kind == SQL_EXPR_SELECT)
            prove_not_in(p, one);
        else
            prove_unequal(p, one);
    }
}

/* ---- all of them ---- */

static void on_branch(struct sql_tree_walk *walk, const struct sql_branch *branch)
{
    sql_proofs_of_marked(container_of(walk, struct sql_proofs, walk), branch);
}

/* Of a statement that is one SELECT. */
static void prove_whole(struct sql_proofs *p)
{
    prove_tie(p);
    if (p->look.source->ties_only ||
        sql_doubts_has_word(
            sql_proofs_part(p, sql_proofs_rows_end(p->branch), p->look.parse->text.len), "rollup"))
        return;
    sql_multiplied_sums(p->look.parse, p->look.source->catalog, on_sum, p);
    p->walk = (struct sql_tree_walk){.on_expr = on_expr};
    for (const struct sql_item *item = p->branch->items; item != NULL; item = item->next)
        if (item->expr != NULL)
            sql_tree_walk_expr(&p->walk, item->expr);
    prove_left_out(p);
    if (str_is_empty(p->look.source->question))
        return;
    prove_ways(p);
    sql_proofs_of_lost(p);
}

size_t sql_proofs_make(const struct sql_doubts_source *source,
                       struct sql_proof proofs[SQL_PROOFS_MOST])
{
    const struct sql_select *tree = source->parse->tree;
    struct sql_proofs p = {.look = {.source = source, .parse = source->parse}, .at = proofs};
    if (tree == NULL)
        return 0;
    p.look.word_count = stem_split(source->arena, source->question, p.look.words, LOOK_WORDS);
    sql_said_read(source->arena, source->question, &p.look.said);
    if (tree->branch_count == 1 && !tree->branches->values && tree->branches->items != NULL &&
        tree->branches->from != NULL) {
        p.branch = tree->branches;
        prove_whole(&p);
    }
    if (source->ties_only)
        return p.count;
    p.walk = (struct sql_tree_walk){.on_branch = on_branch};
    sql_tree_walk_select(&p.walk, tree);
    return p.count;
}

static bool are_same(const struct sql_value *one, const struct sql_value *other)
{
    if (one->type != other->type || one->type == SQL_NULL)
        return false;
    return one->type == SQL_REAL                           ? one->real == other->real
           : one->type == SQL_INT || one->type == SQL_BOOL ? one->integer == other->integer
                                                           : str_equal(one->text, other->text);
}

bool sql_proofs_hold(const struct sql_proof *proof, const struct sql_result *rows, int64_t *count)
{
    *count = 0;
    if (proof->keys == 0) {
        if (rows->row_count == 0 || rows->column_count != 1 || rows->values[0].type != SQL_INT)
            return false;
        *count = rows->values[0].integer;
        return *count > 0;
    }
    if (rows->row_count < 2 || rows->column_count < proof->keys)
        return false;
    for (size_t i = rows->column_count - proof->keys; i < rows->column_count; i++)
        if (!are_same(sql_result_at(rows, 0, i), sql_result_at(rows, 1, i)))
            return false;
    return true;
}
