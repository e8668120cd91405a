/* SPDX-License-Identifier: MIT */
/* agents/lexicon/owned.c - joins a table to the one whose column says which company its rows belong
 * to.
 *
 * Happy path: the references that lead to a tenant column are followed step by step. Failure: a
 * longer way ends early and gives a statement that does not run: having no values is better than
 * having those of others. */
#include "agents/lexicon/owned.h"

#include <inttypes.h>
#include <stdio.h>

enum { NUMBER_BYTES = 24, NOBODY = 1 };

bool lexicon_owned_is(const struct catalog *catalog, int table)
{
    const struct catalog_table *at = &catalog->tables[table];
    return at->tenant_column != CATALOG_NONE || at->tenant_key != CATALOG_NONE ||
           at->tenant_reference != CATALOG_NONE;
}

static bool says_owner(const struct catalog_table *table)
{
    return table->tenant_column != CATALOG_NONE || table->tenant_key != CATALOG_NONE ||
           table->tenant_reference == CATALOG_NONE;
}

/* The table, or its secure view, as t<alias>. */
static void push_table(const struct render *render, int table, unsigned alias)
{
    int view = render->catalog->tables[table].secure_view;
    lexicon_render_table(render, view != CATALOG_NONE ? view : table);
    buf_printf(render->out, " AS t%u", alias);
}

void lexicon_owned_push(const struct render *render, int table, int column)
{
    const struct catalog *catalog = render->catalog;
    int last = table, at = table;
    unsigned alias = 1;
    for (; alias < LEXICON_OWNED_STEPS && !says_owner(&catalog->tables[last]); alias++)
        last = catalog->tables[last].references[catalog->tables[last].tenant_reference].to_table;
    const struct catalog_table *owner = &catalog->tables[last];
    buf_push(render->out, STR("SELECT "));
    lexicon_render_column(render, 1, table, column);
    buf_push(render->out, STR(" AS v, CAST("));
    if (owner->tenant_column != CATALOG_NONE || owner->tenant_key != CATALOG_NONE)
        lexicon_render_column(render, alias, last,
                              owner->tenant_column != CATALOG_NONE ? owner->tenant_column
                                                                   : owner->tenant_key);
    buf_printf(render->out, " AS %s) AS o FROM ", render->dialect == SQL_MYSQL ? "CHAR" : "TEXT");
    push_table(render, table, 1);
    for (unsigned step = 1; step < alias; step++) {
        const struct catalog_reference *by =
            &catalog->tables[at].references[catalog->tables[at].tenant_reference];
        buf_push(render->out, STR(" JOIN "));
        push_table(render, by->to_table, step + 1);
        for (size_t i = 0; i < by->column_count; i++) {
            buf_push(render->out, i == 0 ? STR(" ON ") : STR(" AND "));
            lexicon_render_column(render, step + 1, by->to_table, by->to_columns[i]);
            buf_push(render->out, STR(" = "));
            lexicon_render_column(render, step, at, by->columns[i]);
        }
        at = by->to_table;
    }
}

static uint64_t hash_cell(const struct sql_value *value)
{
    char number[NUMBER_BYTES];
    if (value->type == SQL_TEXT)
        return lexicon_owned_hash(value->text);
    if (value->type != SQL_INT)
        return NOBODY;
    int length = snprintf(number, sizeof number, "%" PRId64, value->integer);
    return lexicon_owned_hash(str_make(number, (size_t)length));
}

void lexicon_owned_read(const struct sql_result *result, size_t row, uint64_t owners[2])
{
    const struct sql_value *count = sql_result_at(result, row, 1);
    uint64_t companies = 0;
    if (count->type == SQL_INT && count->integer >= 0)
        companies = (uint64_t)count->integer;
    else if (count->type != SQL_TEXT || !str_to_u64(count->text, &companies))
        companies = 0;
    owners[0] = companies > 2    ? 0
                : companies == 0 ? NOBODY
                                 : hash_cell(sql_result_at(result, row, 2));
    owners[1] = companies == 2 ? hash_cell(sql_result_at(result, row, 3)) : 0;
}

uint64_t lexicon_owned_hash(struct str company)
{
    uint64_t hash = str_hash(company);
    return hash <= NOBODY ? NOBODY + 1 : hash;
}
