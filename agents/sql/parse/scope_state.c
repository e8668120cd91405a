/* SPDX-License-Identifier: MIT */
/* agents/sql/parse/scope_state.c - the growing lists of references.
 *
 * Happy path: append, doubling in the arena. Failure: the arena is spent, or a statement reaches
 * more columns than anyone would read; kept once, all later calls do nothing. */
#include "agents/sql/parse/scope_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void sql_scope_state_refuse(struct sql_scope *s, const char *rule, const char *fmt, ...)
{
    if (s->failed)
        return;
    char text[ERR_TEXT_BYTES];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    *s->rule = rule;
    s->failed = true;
    s->code = err_set(s->err, ERR_REJECTED, "%s", text);
}

void *sql_scope_state_alloc(struct sql_scope *s, size_t count, size_t size)
{
    void *at = s->failed ? NULL : arena_array(s->arena, count, size);
    if (at == NULL && !s->failed) {
        s->failed = true;
        s->code = err_set(s->err, ERR_NO_MEMORY, "no memory left to resolve the statement's names");
    }
    return at;
}

bool sql_scope_state_same(const struct sql_scope *s, struct str a, struct str b)
{
    return s->parse->dialect == SQL_POSTGRES ? str_equal(a, b) : str_equal_nocase(a, b);
}

void sql_scope_state_compare(struct sql_scope *s, size_t count)
{
    s->compared += count;
    if (s->compared > SQL_SCOPE_MAX_COMPARED)
        sql_scope_state_refuse(s, "columns",
                               "too many names over too many columns to resolve; write it shorter");
}

void sql_scope_state_expand(struct sql_scope *s, size_t count)
{
    s->expanded += count;
    if (s->expanded > SQL_SCOPE_MAX_EXPANDED)
        sql_scope_state_refuse(s, "expansion",
                               "with each WITH copied to where it is read, more than %d tables "
                               "would be joined; read them fewer times",
                               SQL_SCOPE_MAX_EXPANDED);
}

/* Room for one more of size bytes; at itself or a larger copy. NULL: given up. */
static void *grow(struct sql_scope *s, void *at, size_t count, size_t *cap, size_t size)
{
    if (s->failed || count < *cap)
        return s->failed ? NULL : at;
    size_t larger = *cap == 0 ? 8 : *cap * 2;
    void *copy = sql_scope_state_alloc(s, larger, size);
    if (copy == NULL)
        return NULL;
    if (count > 0)
        memcpy(copy, at, count * size);
    *cap = larger;
    return copy;
}

int sql_scope_state_add_table(struct sql_scope *s, const struct sql_table_ref *ref)
{
    struct sql_parse *parse = s->parse;
    struct sql_table_ref *at =
        grow(s, s->tables, parse->table_count, &s->table_cap, sizeof *s->tables);
    if (at == NULL)
        return CATALOG_NONE;
    s->tables = at;
    s->tables[parse->table_count] = *ref;
    return (int)parse->table_count++;
}

void sql_scope_state_add_column(struct sql_scope *s, const struct sql_column_ref *ref)
{
    struct sql_parse *parse = s->parse;
    if (parse->column_count == SQL_SCOPE_MAX_REFS)
        sql_scope_state_refuse(s, "columns",
                               "the statement reaches more than %d columns; name those you need",
                               SQL_SCOPE_MAX_REFS);
    struct sql_column_ref *at =
        grow(s, s->columns, parse->column_count, &s->column_cap, sizeof *s->columns);
    if (at == NULL)
        return;
    s->columns = at;
    s->columns[parse->column_count++] = *ref;
}

void sql_scope_state_add_function(struct sql_scope *s, const struct sql_function_ref *ref)
{
    struct sql_parse *parse = s->parse;
    struct sql_function_ref *at =
        grow(s, s->functions, parse->function_count, &s->function_cap, sizeof *s->functions);
    if (at == NULL)
        return;
    s->functions = at;
    s->functions[parse->function_count++] = *ref;
}

void sql_scope_state_add_output(struct sql_scope *s, struct sql_scope_columns *columns,
                                struct str name)
{
    sql_scope_state_add_starred(s, columns, name, CATALOG_NONE);
}

void sql_scope_state_add_starred(struct sql_scope *s, struct sql_scope_columns *columns,
                                 struct str name, int table)
{
    if (columns->count == SQL_SCOPE_MAX_OUTPUTS)
        sql_scope_state_refuse(s, "columns",
                               "a SELECT gives more than %d columns; name those you need",
                               SQL_SCOPE_MAX_OUTPUTS);
    struct str *names = grow(s, columns->names, columns->count, &columns->cap, sizeof *names);
    int *starred =
        grow(s, columns->starred, columns->count, &columns->starred_cap, sizeof *starred);
    if (names == NULL || starred == NULL)
        return;
    columns->names = names;
    columns->starred = starred;
    columns->names[columns->count] = name;
    columns->starred[columns->count++] = table;
}
