/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/proving.c - parts of a statement, and names in it, as a proof writes them.
 *
 * Failure: a name that does not fit is absent. */
#include "agents/sql/doubts/proving.h"

#include "agents/sql/catalog/quote.h"

struct str sql_proofs_part(const struct sql_proofs *p, size_t start, size_t end)
{
    return str_slice(p->look.parse->text, start, end);
}

struct str sql_proofs_text(const struct sql_proofs *p, const struct sql_expr *expr)
{
    return sql_proofs_part(p, expr->span.start, expr->span.end);
}

size_t sql_proofs_items_end(const struct sql_proofs *p)
{
    const struct sql_item *last = p->branch->items;
    while (last->next != NULL)
        last = last->next;
    return last->span.end;
}

struct sql_span sql_proofs_from(const struct sql_branch *branch)
{
    struct sql_span span = branch->from->span;
    for (const struct sql_from *from = branch->from; from != NULL; from = from->next) {
        const size_t joined = size_max(from->on_span.end, from->using_span.end);
        span.end = size_max(span.end, size_max(from->span.end, joined));
        if (from->on != NULL)
            span.end = size_max(span.end, from->on->span.end);
    }
    return span;
}

size_t sql_proofs_rows_end(const struct sql_branch *branch)
{
    const size_t from = size_max(sql_proofs_from(branch).end, branch->from_span.end);
    const struct sql_expr *where = branch->where;
    return size_max(from, where == NULL ? 0 : size_max(branch->where_span.end, where->span.end));
}

void sql_proofs_keep(struct sql_proofs *p, struct sql_proof proof)
{
    const bool is_whole = !str_is_absent(proof.sql) && !str_is_absent(proof.told) &&
                          !str_is_absent(proof.shown) && proof.sql.len > 0;
    for (size_t i = 0; i < p->count; i++) /* of the list, and of HAVING */
        if (str_equal(p->at[i].of, proof.of) && str_equal(p->at[i].sql, proof.sql))
            return;
    if (is_whole && p->count < SQL_PROOFS_MOST)
        p->at[p->count++] = proof;
}

struct str sql_proofs_column(const struct sql_proofs *p, int table_ref, size_t column)
{
    const struct sql_table_ref *ref = &p->look.parse->tables[table_ref];
    struct buf out;
    buf_init(&out, PROOF_BYTES);
    buf_printf(&out, "%.*s.",
               STR_ARG(ref->alias_span.end > ref->alias_span.start
                           ? sql_proofs_part(p, ref->alias_span.start, ref->alias_span.end)
                           : sql_proofs_part(p, ref->span.start, ref->span.end)));
    sql_quote_name(p->look.parse->dialect,
                   p->look.source->catalog->tables[ref->table].columns[column].name, &out);
    struct str text =
        buf_ok(&out) ? arena_str(p->look.source->arena, buf_str(&out)) : (struct str){NULL, 0};
    buf_fini(&out);
    return text;
}

struct str sql_proofs_key(const struct sql_proofs *p, int table_ref)
{
    const struct sql_table_ref *ref = &p->look.parse->tables[table_ref];
    const struct catalog_table *table = &p->look.source->catalog->tables[ref->table];
    size_t primary = 0, key = table->column_count;
    for (size_t c = 0; c < table->column_count; c++) {
        const struct catalog_column *column = &table->columns[c];
        primary += column->primary_key;
        if (!column->hidden &&
            (column->primary_key || (key == table->column_count && column->unique)))
            key = c;
    }
    if (key == table->column_count || (primary > 1 && !table->columns[key].unique))
        return (struct str){NULL, 0};
    return sql_proofs_column(p, table_ref, key);
}
