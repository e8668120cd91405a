/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/marked.c - rows that stay in their table and count no more, of which some reach
 * the result because the statement has no condition on them.
 *
 * Happy path: the rows of each SELECT that stands alone are counted, less those that count.
 * Failure: a query that needs what is around it has no proof. */
#include "agents/sql/doubts/proving.h"

enum { RULE_BYTES = 4096 };

static bool is_inside(struct sql_span inner, size_t start, size_t end)
{
    return inner.start >= start && inner.end <= end;
}

/* Whether all that FROM and WHERE name is of tables in FROM itself. */
static bool stands_alone(const struct sql_proofs *p, const struct sql_branch *branch)
{
    const struct sql_parse *parse = p->look.parse;
    const size_t start = sql_proofs_from(branch).start, end = sql_proofs_rows_end(branch);
    for (const struct sql_from *from = branch->from; from != NULL; from = from->next)
        if (from->kind != SQL_FROM_TABLE || from->table_ref < 0 ||
            parse->tables[from->table_ref].table == CATALOG_NONE)
            return false;
    for (size_t i = 0; i < parse->column_count; i++) {
        const struct sql_column_ref *ref = &parse->columns[i];
        if (is_inside(ref->span, start, end) &&
            (ref->table_ref < 0 || !is_inside(parse->tables[ref->table_ref].span, start, end)))
            return false;
    }
    return true;
}

/* Whether the statement names the column of this very table. */
static bool uses(const struct sql_proofs *p, int table_ref, int column)
{
    const struct sql_parse *parse = p->look.parse;
    for (size_t i = 0; i < parse->column_count; i++)
        if (parse->columns[i].table_ref == table_ref && parse->columns[i].column == column &&
            parse->columns[i].use != SQL_COLUMN_STAR)
            return true;
    return false;
}

/* Whether the question has a text of the rule: 'cancelled'. */
static bool says_text(const struct sql_proofs *p, struct str rule)
{
    bool is_text = false;
    for (struct str rest = rule; !str_is_absent(rest); is_text = !is_text) {
        struct str piece = str_split(&rest, '\'');
        for (size_t k = 0; is_text && k < p->look.word_count; k++)
            if (sql_doubts_same_word(p->look.words[k], piece))
                return true;
    }
    return false;
}

/* Whether the statement, or the question, heeds the rule. */
static bool is_heeded(const struct sql_proofs *p, int table_ref, const struct sql_doubts_rule *rule)
{
    const int table = p->look.parse->tables[table_ref].table;
    const struct sql_doubts_name rows = sql_doubts_name_of(&p->look, table, CATALOG_NONE);
    bool uses_all = true;
    for (size_t i = 0; i < rule->count; i++) {
        const int column = rule->pieces[i].column;
        if (says_text(p, rule->pieces[i].text))
            return true;
        if (column == CATALOG_NONE || uses(p, table_ref, column))
            continue;
        uses_all = false;
        const struct sql_doubts_name name = sql_doubts_name_of(&p->look, table, column);
        if (!str_is_absent(sql_doubts_said_of(&p->look, &name, &rows)))
            return true;
    }
    return uses_all;
}

/* The rule as a condition on the table; absent: no memory. */
static struct str condition_of(const struct sql_proofs *p, int table_ref,
                               const struct sql_doubts_rule *rule)
{
    struct buf out;
    buf_init(&out, RULE_BYTES);
    for (size_t i = 0; i < rule->count; i++) {
        buf_push(&out, rule->pieces[i].text);
        if (rule->pieces[i].column != CATALOG_NONE)
            buf_push(&out, sql_proofs_column(p, table_ref, (size_t)rule->pieces[i].column));
    }
    struct str text =
        buf_ok(&out) ? arena_str(p->look.source->arena, buf_str(&out)) : (struct str){NULL, 0};
    buf_fini(&out);
    return text;
}

struct str sql_proofs_rule(const struct sql_proofs *p, int table_ref)
{
    const struct sql_doubts_source *source = p->look.source;
    struct sql_doubts_rule rule = {.count = 0};
    return source->counted != NULL &&
                   source->counted(source->owner, p->look.parse->tables[table_ref].table, &rule)
               ? condition_of(p, table_ref, &rule)
               : (struct str){NULL, 0};
}

/* Only the rows within LIMIT reach the result, where each is one of the tables' rows. */
static bool is_cut(const struct sql_proofs *p, const struct sql_branch *branch)
{
    return p->look.parse->limit.is_number && branch == p->branch && branch->groups == NULL &&
           !p->look.parse->has_aggregate && !branch->distinct;
}

/* How many rows of the table reach the branch and are as told. */
static struct str count_marked(const struct sql_proofs *p, const struct sql_branch *branch,
                               int table_ref, struct str marked)
{
    const struct sql_parse *parse = p->look.parse;
    struct arena *arena = p->look.source->arena;
    struct str key = sql_proofs_key(p, table_ref);
    struct str before = branch == p->branch
                            ? sql_proofs_part(p, parse->statement.start, branch->items->span.start)
                            : STR("SELECT ");
    if (is_cut(p, branch))
        return arena_printf(
            arena,
            "SELECT COUNT(*) FROM (%.*s, CASE WHEN %.*s THEN 1 END AS "
            "is_marked%.*s) AS one WHERE one.is_marked = 1 HAVING COUNT(*) > 0",
            STR_ARG(sql_proofs_part(p, parse->statement.start, sql_proofs_items_end(p))),
            STR_ARG(marked),
            STR_ARG(sql_proofs_part(p, sql_proofs_items_end(p), parse->statement.end)));
    const size_t from = sql_proofs_from(branch).start;
    const struct sql_expr *where = branch->where;
    struct str rows =
        sql_proofs_part(p, from, where == NULL ? sql_proofs_rows_end(branch) : where->span.start);
    return arena_printf(arena, "%.*sCOUNT(%s%.*s) FROM %.*s%s%.*s%s%.*s HAVING COUNT(*) > 0",
                        STR_ARG(before), str_is_absent(key) ? "" : "DISTINCT ",
                        STR_ARG(str_is_absent(key) ? STR("*") : key), STR_ARG(rows),
                        where == NULL ? " WHERE " : "(",
                        STR_ARG(where == NULL ? STR("") : sql_proofs_text(p, where)),
                        where == NULL ? "" : ") AND ", STR_ARG(marked));
}

static void prove(struct sql_proofs *p, const struct sql_branch *branch, int table_ref)
{
    const struct sql_doubts_source *source = p->look.source;
    const struct sql_table_ref *ref = &p->look.parse->tables[table_ref];
    struct arena *arena = source->arena;
    struct sql_doubts_rule rule = {.count = 0};
    if (!source->counted(source->owner, ref->table, &rule) || is_heeded(p, table_ref, &rule))
        return;
    struct str counts = condition_of(p, table_ref, &rule), key = sql_proofs_key(p, table_ref);
    const bool may_lack = !ref->inner && !str_is_absent(key);
    struct str marked = arena_printf(arena, "%.*s%sNOT (%.*s)", STR_ARG(may_lack ? key : STR("")),
                                     may_lack ? " IS NOT NULL AND " : "", STR_ARG(counts));
    sql_proofs_keep(
        p, (struct sql_proof){
               .kind = "marked",
               .sql = count_marked(p, branch, table_ref, marked),
               .of = counts,
               .told = arena_printf(arena,
                                    "rows of %.*s reach the result that do not count: those that "
                                    "do have %.*s; add that condition, to ON of an outer join or "
                                    "else to WHERE, unless they are asked for",
                                    STR_ARG(ref->name), STR_ARG(counts)),
               .shown =
                   arena_printf(arena,
                                rule.is_mark ? "rows of %.*s that are marked as deleted are in the "
                                               "answer"
                                             : "rows of %.*s are in the answer that do not count",
                                STR_ARG(ref->name))});
}

void sql_proofs_of_marked(struct sql_proofs *p, const struct sql_branch *branch)
{
    const struct sql_parse *parse = p->look.parse;
    if (p->look.source->counted == NULL || branch->values || branch->from == NULL ||
        branch->items == NULL || (branch != p->branch && !stands_alone(p, branch)))
        return;
    for (size_t i = 0; i < parse->table_count; i++)
        if (parse->tables[i].scope == branch->scope && parse->tables[i].table != CATALOG_NONE &&
            parse->tables[i].use == SQL_USE_FROM)
            prove(p, branch, (int)i);
}
