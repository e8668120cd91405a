/* SPDX-License-Identifier: MIT */
/* agents/sql/grammar/parsed.h - what a parse found: the tables, columns and functions of a SELECT,
 * and how it is written; the same for every dialect.
 *
 * Offsets are byte spans of the text given. Data only: parse.h fills it by the grammar (or
 * parse_pg) and scope; policy, columns, bounds and rewrite read it. */
#ifndef AGENTS_SQL_GRAMMAR_PARSED_H
#define AGENTS_SQL_GRAMMAR_PARSED_H

#include "agents/sql/catalog/catalog.h"
#include "backends/sql.h"

struct sql_select;
struct sql_token;

struct sql_span {
    size_t start, end; /* bytes; end is after the last */
};

enum sql_table_use { SQL_USE_FROM, SQL_USE_IN, SQL_USE_TARGET };

struct sql_table_ref {
    struct sql_span span;    /* schema and name as written, without alias */
    struct str schema, name; /* unquoted */
    struct str alias;        /* or absent */
    int table;               /* catalog index, CATALOG_NONE: unknown */
    int scope;               /* the SELECT it belongs to */
    enum sql_table_use use;
    bool inner;                 /* not on the null-supplied side of an outer join */
    bool connected;             /* joined by a condition, or alone in its FROM */
    bool column_list;           /* alias(a, b): positional renaming */
    bool in_parens;             /* inside (a JOIN b ...), all of whose columns SQLite may read */
    bool only;                  /* ONLY t: without the tables that inherit from it */
    struct sql_span sample;     /* TABLESAMPLE or PARTITION (...); or empty */
    struct sql_span alias_span; /* empty when there is no alias */
};

enum sql_column_use {
    SQL_COLUMN_NAMED,    /* t.c or c */
    SQL_COLUMN_STAR,     /* reached by * or t.* */
    SQL_COLUMN_USING,    /* USING or NATURAL */
    SQL_COLUMN_WHOLE_ROW /* the row itself as a value */
};

struct sql_column_ref {
    struct sql_span span;
    struct str qualifier, name; /* unquoted; qualifier may be absent */
    int table_ref;              /* index of the sql_table_ref it resolved to; -1: a derived column,
                                   an output alias, or unresolved (then unknown is true) */
    int column;                 /* catalog column, CATALOG_NONE when unknown */
    int scope;
    enum sql_column_use use;
    bool unknown, ambiguous, output_alias;
    bool rowid;               /* SQLite's own number of a row: rowid, oid, _rowid_ */
    bool text;                /* double_quoted, unknown, and no column's name: "5%", or compared */
    bool double_quoted;       /* one "name": SQLite reads it as a string where no column matches,
                                 so an unknown one was probably meant as 'text' */
    struct str relation;      /* name or alias of the FROM item it resolved to, derived ones too; a
                                 STAR ref exists for derived columns as well (table_ref -1), so the
                                 refs with one star's span are its expansion, in order */
    struct sql_span alias_of; /* output_alias: the select item's expression */
    bool past_table; /* unqualified, and a base table stands nearer than what it resolved to: the
                        database takes that table's column if it has one the catalog does not know.
                        Safe only once written out: relation.name, or the text of alias_of */
};

struct sql_function_ref {
    struct sql_span span; /* of the name */
    struct str name;      /* lower case */
    bool in_from, windowed, aggregate;
    size_t argument_count;
};

struct sql_limit {               /* of the outermost statement; filled by each dialect's parser */
    bool present;                /* a count is written: LIMIT n, LIMIT ALL, FETCH FIRST [n] ROWS */
    bool is_number;              /* the count is a number without a sign; FETCH FIRST ROW: 1 */
    int64_t number;              /* INT64_MAX for all that is larger */
    struct sql_span count_span;  /* the count alone; empty in FETCH FIRST ROW */
    struct sql_span clause_span; /* LIMIT, OFFSET and FETCH as written, from first to last */
    bool comma_form;             /* LIMIT skip, count */
    bool all;                    /* LIMIT ALL, LIMIT NULL: count_span is that word */
    bool has_skip;               /* an OFFSET, with a count or without */
    bool fetch;                  /* FETCH FIRST, not LIMIT */
    bool with_ties;              /* so more than number rows may come */
};

struct sql_parse {
    enum sql_dialect dialect;
    struct str text;           /* as given */
    struct sql_span statement; /* without a trailing semicolon, blanks and comments */
    const struct sql_table_ref *tables;
    size_t table_count;
    const struct sql_column_ref *columns;
    size_t column_count;
    const struct sql_function_ref *functions;
    size_t function_count;
    const struct str *ctes; /* names, in order of definition */
    size_t cte_count;
    const struct str *outputs;  /* names of the result columns, where known */
    const int *outputs_starred; /* by output: the table that stars alone brought it from, or
                                   CATALOG_NONE */
    size_t output_count;
    struct sql_limit limit;
    bool has_with, has_recursive, has_set_operation, has_subquery;
    bool has_placeholder, has_comment, has_hint, has_executable_comment, has_session_variable;
    bool has_aggregate, has_group_by, has_order_by;
    bool has_natural;       /* a NATURAL join: shares whatever columns the database has */
    bool cte_shadows_table; /* a CTE is named like a table or view whose schema is not known */
    size_t nesting, select_items;
    struct str default_schema; /* names the same as no schema; absent: there is none */
    const struct sql_token
        *tokens; /* agents/sql/grammar/lexer.h; NULL: not kept, has_comment or not */
    size_t token_count;
    /* The tree, for code that needs more (agents/sql/grammar/grammar_tree.h); lives in the same
     * arena. */
    const struct sql_select *tree;
};

struct sql_tree { /* what the whole statement holds, before its names are resolved */
    struct sql_select *select;
    struct sql_span statement;
    bool has_with, has_recursive, has_set_operation, has_subquery;
    bool has_placeholder, has_session_variable, has_hint, has_group_by, has_order_by, has_natural;
    size_t nesting, select_items;
};

#endif
