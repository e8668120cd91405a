/* SPDX-License-Identifier: MIT */
/* agents/sql/grammar/grammar_tree.h - the tree of a SELECT: expressions, sources, queries.
 *
 * Data only, made by grammar.h. An empty span means the part is absent. Trees are at most
 * SQL_GRAMMAR_MAX_NESTING deep (chains of operators are flat), so recursive walks are safe. */
#ifndef AGENTS_SQL_GRAMMAR_GRAMMAR_TREE_H
#define AGENTS_SQL_GRAMMAR_GRAMMAR_TREE_H

#include "agents/sql/grammar/parsed.h"

enum { SQL_GRAMMAR_MAX_NESTING = 64, SQL_GRAMMAR_MAX_RELATIONS = 64 };

struct sql_names { /* column lists */
    struct str name;
    struct sql_span span;
    struct sql_names *next;
};

enum sql_expr_kind {
    SQL_EXPR_LITERAL,
    SQL_EXPR_PARAMETER,
    SQL_EXPR_VARIABLE,
    SQL_EXPR_NAME,     /* name */
    SQL_EXPR_CALL,     /* call; children are its arguments */
    SQL_EXPR_AND,      /* children are the conjuncts */
    SQL_EXPR_EQUAL,    /* exactly two children: a = b */
    SQL_EXPR_COLLATE,  /* one child */
    SQL_EXPR_CAST,     /* one child: CAST(x AS t), x::t, PostgreSQL's date 'x' */
    SQL_EXPR_OPERATOR, /* any other operation on its children */
    SQL_EXPR_PARENS,   /* one child: parentheses; several: a row value */
    SQL_EXPR_SELECT,   /* select: (SELECT ...), the span holds the parentheses */
    SQL_EXPR_EXISTS,   /* select */
    SQL_EXPR_TABLE,    /* table: the right side of x IN t */
};

struct sql_name {                       /* c, t.c, s.t.c */
    struct str schema, qualifier, name; /* unquoted; absent when not written */
    bool quoted, double_quoted;         /* any quotes or qualifier; "name" alone */
    bool whole_row, of_row, compared;   /* t.* as a value; (t).c; right of a comparison (SQLite) */
};

struct sql_window {  /* OVER (...), or one definition of WINDOW */
    struct str name; /* of the definition; absent in OVER (...) */
    struct sql_span span;
    struct sql_expr *partition, *order, *frame; /* lists */
    struct sql_window *next;
};

struct sql_call {
    struct str name; /* lower case */
    struct sql_span name_span;
    size_t argument_count;
    bool star, distinct, windowed;
    struct sql_expr *order, *filter; /* ORDER BY within the arguments; FILTER (WHERE ...) */
    struct sql_window *window;       /* NULL for OVER name */
};

struct sql_expr {
    enum sql_expr_kind kind;
    bool alternatives, compares; /* only OR between its children; one of < <= = <> IS IN NOT ... */
    struct sql_span span;
    struct sql_expr *children, *next;
    union {
        struct sql_name *name;
        struct sql_call *call;
        struct sql_select *select;
        struct sql_from *table;
    };
};

struct sql_item {                     /* of a select list */
    struct sql_span span, alias_span; /* expression and alias; the alias's name alone */
    struct sql_expr *expr;            /* NULL for a star */
    struct str schema, qualifier;     /* of s.t.*; absent for * */
    struct str alias;                 /* or absent */
    bool of_row;                      /* (t).* */
    struct sql_item *next;
};

enum sql_from_kind { SQL_FROM_TABLE, SQL_FROM_SELECT, SQL_FROM_CALL, SQL_FROM_PARENS };
enum sql_join {
    SQL_JOIN_FIRST,
    SQL_JOIN_COMMA,
    SQL_JOIN_INNER,
    SQL_JOIN_CROSS,
    SQL_JOIN_LEFT,
    SQL_JOIN_RIGHT,
    SQL_JOIN_FULL
};

struct sql_from { /* one FROM item and how it joins what stands before it in the list */
    enum sql_from_kind kind;
    struct sql_span span, name_span; /* with its alias, without ON; schema and name */
    struct str schema, name, alias;
    struct sql_span alias_span;     /* the alias alone, without AS */
    struct sql_names *columns;      /* of alias(a, b); or absent */
    struct sql_select *select;      /* SQL_FROM_SELECT */
    struct sql_expr *call;          /* SQL_FROM_CALL; a list in ROWS FROM (...) */
    struct sql_from *inside, *next; /* inside: SQL_FROM_PARENS */
    bool lateral, natural, only, ordinality, defines_columns; /* ONLY t: name_span has the word */
    enum sql_join join;
    struct sql_expr *on;
    struct sql_names *using_columns;
    struct str using_alias;                           /* USING (...) AS name; or absent */
    struct sql_span on_span, using_span, sample_span; /* from the word to the end */
    int table_ref; /* set by scope: index in sql_parse.tables, or -1 */
    size_t part;   /* set by scope: the same for all items of a FROM that conditions join */
};

enum sql_set { SQL_SET_FIRST, SQL_SET_UNION, SQL_SET_UNION_ALL, SQL_SET_INTERSECT, SQL_SET_EXCEPT };

struct sql_branch {   /* SELECT ... or VALUES ... */
    enum sql_set set; /* how it joins the branch before */
    struct sql_span set_span, span;
    bool values, distinct;
    struct sql_item *items;
    size_t item_count;
    struct sql_expr *rows, *distinct_on; /* of VALUES: one PARENS each; a list */
    struct sql_span table_span; /* the word of TABLE t, which is SELECT * FROM t; or absent */
    struct sql_from *from;
    struct sql_expr *where, *groups, *having; /* groups: a list */
    struct sql_window *windows;
    struct sql_span items_span, from_span, where_span, group_span, having_span, window_span;
    size_t where_at; /* where " WHERE ..." may be inserted when there is none */
    int scope;       /* set by scope: number of this branch, as in sql_table_ref.scope */
    struct sql_branch *next;
};

struct sql_cte {
    struct str name;
    struct sql_span span, name_span;   /* span: name to closing parenthesis */
    struct sql_names *columns, *added; /* added: what SEARCH and CYCLE give beside them */
    struct sql_select *select;
    struct sql_cte *next;
};

struct sql_select {                  /* a whole query: WITH, branches, ORDER BY, LIMIT */
    struct sql_span span, with_span; /* span: without surrounding parentheses */
    struct sql_cte *ctes;
    bool recursive; /* the word was there */
    struct sql_branch *branches;
    size_t branch_count;
    struct sql_expr *order; /* a list */
    struct sql_span order_span;
    struct sql_limit limit;
    struct sql_expr *limit_count, *limit_skip;
    struct sql_span locking_span;
};

#endif
