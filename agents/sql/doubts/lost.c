/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/lost.c - rows of a table that the question wants all of, "each farm, 0 where
 * there are none", which the joins leave out.
 *
 * Happy path: the rows that pass the conditions on the table alone are counted, less those that
 * reach the result. Failure: conditions on what its rows belong to have no proof. */
#include "agents/sql/doubts/proving.h"

enum { NEAR_LACK = 5, NEAR_NAME = 4, NEAR_LIMIT = 2, TABLES = 16 };

/* ---- the question ---- */

static bool is_word_near(const struct sql_said *said, size_t at, size_t most,
                         enum sql_doubts_topic topic)
{
    for (size_t i = at; i < at + most && i < said->word_count; i++)
        if (sql_said_phrase(said, i, topic, NULL) > 0)
            return true;
    return false;
}

/* "0 where there are none", "including those without". */
static bool wants_those_without(const struct sql_said *said)
{
    if (sql_said_times(said, SQL_DOUBTS_ZERO_WHERE) > 0)
        return true;
    for (size_t at = 0; at < said->word_count; at++) {
        const size_t count = sql_said_phrase(said, at, SQL_DOUBTS_INCLUDING, NULL);
        const bool is_denied = at > 0 && sql_said_phrase(said, at - 1, SQL_DOUBTS_DENIAL, NULL) > 0;
        if (count > 0 && !is_denied &&
            is_word_near(said, at + count, NEAR_LACK, SQL_DOUBTS_LACKING))
            return true;
        if (sql_said_phrase(said, at, SQL_DOUBTS_LACKING, NULL) > 0 &&
            is_word_near(said, at, NEAR_LACK, SQL_DOUBTS_INCLUDED))
            return true;
    }
    return false;
}

static bool names_table(const struct sql_proofs *p, int table, struct str word)
{
    const struct sql_doubts_name name = sql_doubts_name_of(&p->look, table, CATALOG_NONE);
    for (size_t i = 0; i < name.count; i++)
        if (sql_doubts_same_word(name.words[i], word))
            return true;
    return false;
}

/* "list all farms with ...", and not "all farms that sold something", "all farms with lots". */
static bool wants_all(const struct sql_proofs *p, int table)
{
    const struct sql_said *said = &p->look.said;
    for (size_t at = 0; at < said->word_count; at++) {
        const size_t count = sql_said_phrase(said, at, SQL_DOUBTS_ALL_OF, NULL);
        for (size_t k = at + count; count > 0 && k < at + count + NEAR_NAME && k < said->word_count;
             k++)
            if (names_table(p, table, said->words[k].text))
                return !is_word_near(said, k + 1, NEAR_LIMIT, SQL_DOUBTS_THAT);
    }
    return false;
}

/* ---- the statement ---- */

struct lost {
    int of; /* the table's reference */
    bool is_child[TABLES];
};

static bool is_here(const struct sql_proofs *p, size_t table_ref)
{
    const struct sql_table_ref *ref = &p->look.parse->tables[table_ref];
    return ref->scope == p->branch->scope && ref->table != CATALOG_NONE;
}

static bool refers(const struct sql_proofs *p, size_t from, size_t to)
{
    const struct sql_table_ref *tables = p->look.parse->tables;
    return sql_doubts_refers(&p->look, tables[from].table, tables[to].table);
}

/* The tables whose rows refer to a row of the table, and what those lead to, which it does not
 * refer to itself. */
static void find_children(const struct sql_proofs *p, struct lost *lost)
{
    const size_t count = p->look.parse->table_count, of = (size_t)lost->of;
    bool has_grown = true;
    while (has_grown) {
        has_grown = false;
        for (size_t i = 0; i < count; i++) {
            bool is_child = false;
            if (i == of || lost->is_child[i] || !is_here(p, i) || refers(p, of, i))
                continue;
            is_child = refers(p, i, of);
            for (size_t k = 0; k < count && !is_child; k++)
                is_child = lost->is_child[k] && (refers(p, i, k) || refers(p, k, i));
            lost->is_child[i] = is_child;
            has_grown = has_grown || is_child;
        }
    }
}

/* Whose columns a condition has. */
struct touched {
    bool own, child, other;
};

static struct touched read_touched(const struct sql_proofs *p, const struct lost *lost,
                                   const struct sql_expr *expr)
{
    const struct sql_parse *parse = p->look.parse;
    struct touched touched = {false, false, false};
    for (size_t i = 0; i < parse->column_count; i++) {
        const struct sql_column_ref *ref = &parse->columns[i];
        if (ref->span.start < expr->span.start || ref->span.end > expr->span.end)
            continue;
        if (ref->table_ref < 0)
            touched.other = true;
        else if (ref->table_ref == lost->of)
            touched.own = true;
        else if (is_here(p, (size_t)ref->table_ref) && lost->is_child[ref->table_ref])
            touched.child = true;
        else
            touched.other = true;
    }
    return touched;
}

/* Append the conditions that are of the table alone. False: one is of what it belongs to. */
static bool push_own(const struct sql_proofs *p, const struct lost *lost,
                     const struct sql_expr *where, struct buf *out)
{
    for (const struct sql_expr *one = sql_doubts_condition(where); one != NULL;
         one = sql_doubts_next(where, one)) {
        const struct touched touched = read_touched(p, lost, one);
        if (touched.other && !touched.child && !(touched.own && one->kind == SQL_EXPR_EQUAL))
            return false;
        if (touched.own && !touched.child && !touched.other)
            buf_printf(out, "(%.*s) AND ", STR_ARG(sql_proofs_text(p, one)));
    }
    return true;
}

/* The item of FROM that is the table; NULL: FROM has more than tables, or no join that leaves rows
 * out. */
static const struct sql_from *item_of(const struct sql_proofs *p, int table_ref)
{
    const struct sql_from *found = NULL;
    bool is_joined = false;
    for (const struct sql_from *from = p->branch->from; from != NULL; from = from->next) {
        if (from->kind != SQL_FROM_TABLE || from->table_ref < 0 ||
            !is_here(p, (size_t)from->table_ref))
            return NULL;
        is_joined = is_joined || from->join == SQL_JOIN_INNER || from->join == SQL_JOIN_COMMA;
        if (from->table_ref == table_ref)
            found = from;
    }
    return is_joined ? found : NULL;
}

static struct str count_lost(const struct sql_proofs *p, const struct lost *lost)
{
    const struct sql_from *item = item_of(p, lost->of);
    struct str key = sql_proofs_key(p, lost->of), counts = sql_proofs_rule(p, lost->of);
    struct buf out;
    buf_init(&out, PROOF_BYTES);
    bool ok = item != NULL && !str_is_absent(key);
    if (ok)
        buf_printf(&out, "SELECT COUNT(*) FROM %.*s WHERE ",
                   STR_ARG(sql_proofs_part(p, item->span.start, item->span.end)));
    ok = ok && push_own(p, lost, p->branch->where, &out);
    for (const struct sql_from *from = p->branch->from; ok && from != NULL; from = from->next)
        ok = push_own(p, lost, from->on, &out);
    if (ok && !str_is_absent(counts))
        buf_printf(&out, "(%.*s) AND ", STR_ARG(counts));
    if (ok)
        buf_printf(&out, "%.*s NOT IN (SELECT %.*s FROM %.*s) HAVING COUNT(*) > 0", STR_ARG(key),
                   STR_ARG(key),
                   STR_ARG(sql_proofs_part(p, sql_proofs_from(p->branch).start,
                                           sql_proofs_rows_end(p->branch))));
    struct str text = ok && buf_ok(&out) ? arena_str(p->look.source->arena, buf_str(&out))
                                         : (struct str){NULL, 0};
    buf_fini(&out);
    return text;
}

/* The table that there is a group for each row of; -1: none. */
static int grouped_table(const struct sql_proofs *p)
{
    const struct sql_column_ref *ref =
        p->branch->groups == NULL ? NULL : sql_parse_column_at(p->look.parse, p->branch->groups);
    return ref == NULL || ref->table_ref < 0 || !is_here(p, (size_t)ref->table_ref)
               ? -1
               : ref->table_ref;
}

/* The table that the question wants all of; -1: none. */
static int wanted_table(const struct sql_proofs *p)
{
    const int grouped = grouped_table(p);
    if (grouped >= 0)
        return wants_those_without(&p->look.said) ||
                       wants_all(p, p->look.parse->tables[grouped].table)
                   ? grouped
                   : -1;
    if (p->branch->groups != NULL || p->look.parse->has_aggregate)
        return -1;
    for (size_t i = 0; i < p->look.parse->table_count; i++)
        if (is_here(p, i) && wants_all(p, p->look.parse->tables[i].table))
            return (int)i;
    return -1;
}

void sql_proofs_of_lost(struct sql_proofs *p)
{
    const struct sql_parse *parse = p->look.parse;
    struct lost lost = {.of = -1};
    if (parse->limit.present || parse->has_with || p->branch->having != NULL ||
        parse->table_count > TABLES || parse->table_count < 2)
        return;
    lost.of = wanted_table(p);
    if (lost.of < 0)
        return;
    find_children(p, &lost);
    struct arena *arena = p->look.source->arena;
    struct str name = parse->tables[lost.of].name;
    sql_proofs_keep(
        p, (struct sql_proof){
               .kind = "inner_join",
               .sql = count_lost(p, &lost),
               .of = name,
               .told = arena_printf(arena,
                                    "rows of %.*s that the question wants are left out, because "
                                    "JOIN keeps only those that have some; use LEFT JOIN, and put "
                                    "conditions on what is joined into ON",
                                    STR_ARG(name)),
               .shown =
                   arena_printf(arena, "rows of %.*s that have none are left out", STR_ARG(name))});
}
