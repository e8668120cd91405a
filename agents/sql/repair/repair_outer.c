/* SPDX-License-Identifier: MIT */
/* agents/sql/repair/repair_outer.c - "those without any", looked for among those that have some.
 *
 * Happy path: c JOIN o ON ... WHERE o.id IS NULL finds no row ever, and becomes c LEFT JOIN o,
 * which finds those without. Failure: a statement whose table stands first, or is conditioned in
 * another way, too, is left alone. */
#include "agents/sql/joins/join_doubts.h"
#include "agents/sql/grammar/grammar_tree.h"
#include "agents/sql/repair/repair_case.h"

struct outer {
    struct sql_repair_case *at;
    const struct sql_parse *read;
};

/* How often WHERE names a column of the table. */
static size_t count_named(const struct sql_parse *read, const struct sql_branch *branch,
                          int table_ref)
{
    size_t count = 0;
    for (size_t i = 0; i < read->column_count; i++)
        count += read->columns[i].table_ref == table_ref &&
                 read->columns[i].span.start >= branch->where_span.start &&
                 read->columns[i].span.end <= branch->where_span.end;
    return count;
}

/* The inner join of the table in the outermost SELECT, and what stands before it; NULL: none. */
static const struct sql_from *find_join(const struct sql_branch *branch, int table_ref,
                                        const struct sql_from **before)
{
    for (const struct sql_from *from = branch->from; from != NULL; from = from->next) {
        if (from->kind == SQL_FROM_TABLE && from->table_ref == table_ref)
            return from->join == SQL_JOIN_INNER && from->on != NULL && from->next == NULL ? from
                                                                                          : NULL;
        *before = from;
    }
    return NULL;
}

static void on_doubt(void *owner, const struct join_doubt *doubt)
{
    struct outer *outer = owner;
    const struct sql_branch *branch = outer->read->tree->branches;
    const struct sql_from *before = NULL, *join;
    if (doubt->kind != JOIN_DOUBT_NULL || doubt->one->scope != branch->scope ||
        count_named(outer->read, branch, doubt->one->table_ref) != 1)
        return;
    join = find_join(branch, doubt->one->table_ref, &before);
    if (join == NULL || before == NULL)
        return;
    const size_t end =
        before->on_span.end > before->span.end ? before->on_span.end : before->span.end;
    struct str word = str_trim(str_slice(outer->read->text, end, join->span.start));
    if (str_equal_nocase(word, STR("join")) || str_equal_nocase(word, STR("inner join")))
        sql_repair_case_edit(outer->at, end, join->span.start, STR(" LEFT JOIN "), true);
}

void sql_repair_outer_join(struct sql_repair_case *at)
{
    const struct sql_parse *read;
    const char *rule;
    struct err err;
    if (at->knows->catalog == NULL || str_find(at->sql, STR("ULL")) == STR_NONE ||
        sql_parse_statement(at->knows->dialect, at->sql, at->knows->catalog, at->arena, &read,
                            &rule, &err) != ERR_OK ||
        read->tree->branch_count != 1)
        return;
    struct outer outer = {at, read};
    join_doubts_find(read, at->knows->catalog, NULL, on_doubt, &outer);
}
