/* SPDX-License-Identifier: MIT */
/* agents/sql/scope_call.c - what columns a call in FROM has, and column lists.
 *
 * Happy path: a function of the dialect's table, or in PostgreSQL any other, which then has one
 * column, called like its alias or itself. Failure: a list that names more columns than there are.
 */
#include "agents/sql/scope_parts.h"

static const struct table_function {
    struct str name;
    struct str columns[10];
    size_t count;
} sqlite_functions[] = {
    {{"json_each", 9},
     {{"key", 3},
      {"value", 5},
      {"type", 4},
      {"atom", 4},
      {"id", 2},
      {"parent", 6},
      {"fullkey", 7},
      {"path", 4}},
     8},
    {{"json_tree", 9},
     {{"key", 3},
      {"value", 5},
      {"type", 4},
      {"atom", 4},
      {"id", 2},
      {"parent", 6},
      {"fullkey", 7},
      {"path", 4}},
     8},
    {{"generate_series", 15}, {{"value", 5}}, 1},
};

static const struct table_function pg_functions[] = {
    {{"json_each", 9}, {{"key", 3}, {"value", 5}}, 2},
    {{"json_each_text", 14}, {{"key", 3}, {"value", 5}}, 2},
    {{"jsonb_each", 10}, {{"key", 3}, {"value", 5}}, 2},
    {{"jsonb_each_text", 15}, {{"key", 3}, {"value", 5}}, 2},
    {{"json_array_elements", 19}, {{"value", 5}}, 1},
    {{"json_array_elements_text", 24}, {{"value", 5}}, 1},
    {{"jsonb_array_elements", 20}, {{"value", 5}}, 1},
    {{"jsonb_array_elements_text", 25}, {{"value", 5}}, 1},
};

static const struct table_function *find_function(const struct table_function *functions,
                                                  size_t count, struct str name)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(functions[i].name, name))
            return &functions[i];
    return NULL;
}

static void add_columns(struct sql_scope *s, const struct table_function *function,
                        struct sql_scope_columns *columns)
{
    for (size_t i = 0; i < function->count; i++)
        sql_scope_state_add_output(s, columns, function->columns[i]);
}

/* Columns that FROM itself names with their types. */
static void add_defined(struct sql_scope *s, const struct sql_from *item,
                        struct sql_scope_columns *columns)
{
    for (const struct sql_names *name = item->defines_columns ? item->columns : NULL;
         columns != NULL && name != NULL; name = name->next)
        sql_scope_state_add_output(s, columns, name->name);
}

/* unnest(a, b) has a column for each; other functions that are not listed have one. */
static const struct sql_scope_columns *pg_columns(struct sql_scope *s, const struct sql_from *item)
{
    struct sql_scope_columns *columns = sql_scope_state_alloc(s, 1, sizeof *columns);
    for (const struct sql_expr *call = item->defines_columns ? NULL : item->call;
         columns != NULL && call != NULL; call = call->next) {
        struct str name = call->call->name;
        const struct table_function *function =
            find_function(pg_functions, countof(pg_functions), name);
        bool unnest = str_equal(name, STR("unnest"));
        size_t count = unnest ? call->call->argument_count : 1;
        bool alone = call == item->call && call->next == NULL && count == 1;
        if (function != NULL)
            add_columns(s, function, columns);
        for (size_t i = 0; function == NULL && i < count; i++)
            sql_scope_state_add_output(s, columns,
                                       alone && !str_is_absent(item->alias) ? item->alias : name);
    }
    add_defined(s, item, columns);
    if (columns != NULL && item->ordinality)
        sql_scope_state_add_output(s, columns, STR("ordinality"));
    return item->defines_columns ? columns : sql_scope_call_rename(s, columns, item->columns);
}

const struct sql_scope_columns *sql_scope_call_columns(struct sql_scope *s,
                                                       const struct sql_from *item)
{
    if (s->parse->dialect == SQL_POSTGRES)
        return pg_columns(s, item);
    const struct table_function *function =
        find_function(sqlite_functions, countof(sqlite_functions), item->name);
    struct sql_scope_columns *columns = function == NULL && !item->defines_columns
                                            ? NULL
                                            : sql_scope_state_alloc(s, 1, sizeof *columns);
    if (columns != NULL && function != NULL)
        add_columns(s, function, columns);
    add_defined(s, item, columns);
    return columns;
}

const struct sql_scope_columns *sql_scope_call_append(struct sql_scope *s,
                                                      const struct sql_scope_columns *columns,
                                                      const struct sql_names *names)
{
    struct sql_scope_columns *longer =
        names == NULL || columns == NULL ? NULL : sql_scope_state_alloc(s, 1, sizeof *longer);
    if (longer == NULL)
        return columns;
    for (size_t i = 0; i < columns->count; i++)
        sql_scope_state_add_output(s, longer, columns->names[i]);
    for (const struct sql_names *name = names; name != NULL; name = name->next)
        sql_scope_state_add_output(s, longer, name->name);
    return longer;
}

const struct sql_scope_columns *sql_scope_call_rename(struct sql_scope *s,
                                                      const struct sql_scope_columns *columns,
                                                      const struct sql_names *names)
{
    if (names == NULL || columns == NULL)
        return columns;
    struct sql_scope_columns *renamed = sql_scope_state_alloc(s, 1, sizeof *renamed);
    if (renamed == NULL)
        return NULL;
    for (const struct sql_names *name = names; name != NULL; name = name->next)
        sql_scope_state_add_output(s, renamed, name->name);
    for (size_t i = renamed->count; s->parse->dialect == SQL_POSTGRES && i < columns->count; i++)
        sql_scope_state_add_output(s, renamed, columns->names[i]);
    if (renamed->count != columns->count)
        sql_scope_state_refuse(s, "column_list",
                               "a column list names %zu columns and its query gives %zu; make "
                               "them fit",
                               renamed->count, columns->count);
    return renamed;
}
