/* SPDX-License-Identifier: MIT */
/* agents/sql/bounds/bounds_values.h - what an expression weighs, given what the names in it weigh;
 * and the shapes of queries that give names their weights. Private to bounds_weight.c and
 * bounds_recursion.c.
 *
 * All live in one arena for one check. A finding, or an arena that is spent, ends the check: from
 * then on weights mean nothing (sql_bounds_values_is_over). One thread. */
#ifndef AGENTS_SQL_BOUNDS_BOUNDS_VALUES_H
#define AGENTS_SQL_BOUNDS_BOUNDS_VALUES_H

#include "agents/sql/grammar/grammar_tree.h"
#include "agents/sql/bounds/bounds_calls.h"
#include "agents/sql/parse/finding.h"

enum {
    SQL_BOUNDS_VALUES_BYTES_MOST = 256 << 20,  /* of all texts that the statement makes */
    SQL_BOUNDS_VALUES_NODES_MOST = 50 * 1000,  /* expressions, names replaced by theirs */
    SQL_BOUNDS_VALUES_DEPTH_MOST = 1000,       /* operators applied to each other */
    SQL_BOUNDS_VALUES_JOINED_MOST = 40,        /* tables joined in one FROM */
    SQL_BOUNDS_VALUES_WORK_MOST = 1000 * 1000, /* parts looked at */
};
/* Bytes sought times bytes they are sought in, of one call. */
#define SQL_BOUNDS_VALUES_SEARCH_MOST 10e9

enum { SQL_BOUNDS_VALUES_COLUMN_BYTES = 200, SQL_BOUNDS_VALUES_TABLE_ROWS = 100 * 1000 };

struct sql_bounds_weight {
    double bytes, nodes, depth, rows;
};

struct sql_bounds_column {
    struct str name;
    struct sql_bounds_weight weight;
    struct sql_bounds_column *next;
};

struct sql_bounds_shape { /* of a query, or of a table: then its columns are the catalog's */
    struct sql_bounds_column *columns;
    struct sql_bounds_column **tail; /* where the next is put; NULL: none yet */
    double rows, nodes; /* nodes: all its expressions, if it is copied to where it is read */
    double joined;      /* tables that join others when it is merged with what reads it */
    bool table;
    int in_catalog; /* of a table; or CATALOG_NONE */
};

struct sql_bounds_source { /* one item of FROM */
    struct str alias;
    const struct sql_bounds_shape *shape;
    struct sql_bounds_source *next;
};

struct sql_bounds_with { /* a WITH query */
    const struct sql_cte *cte;
    struct sql_bounds_scope *scope; /* around its WITH */
    const struct sql_bounds_shape
        *shape;                    /* NULL: not weighed yet. Of a recursion: what its step reads */
    struct sql_bounds_with *outer; /* the one before it */
};

struct sql_bounds_scope { /* of one SELECT */
    struct sql_bounds_source *sources;
    struct sql_bounds_with *with;
    double rows; /* of its FROM */
    struct sql_bounds_scope *outer;
};

struct sql_bounds_search { /* one check */
    const struct sql_parse *parse;
    const struct catalog *catalog;
    struct arena *arena;
    struct sql_finding *finding;
    double made; /* bytes of all texts made so far */
    size_t work;
    bool probing; /* a recursion is being measured: nothing is judged */
    /* Both are bounds_weight.c's. NULL: the check is over. order: the whole query's ORDER BY, when
     * the branch is all of it. */
    struct sql_bounds_shape *(*shape_of_branch)(struct sql_bounds_search *search,
                                                struct sql_bounds_scope *outer,
                                                struct sql_bounds_with *with,
                                                const struct sql_branch *branch,
                                                const struct sql_expr *order);
    const struct sql_bounds_shape *(*shape_of_select)(struct sql_bounds_search *search,
                                                      struct sql_bounds_scope *outer,
                                                      struct sql_bounds_with *with,
                                                      const struct sql_select *select);
};

struct sql_bounds_parts {        /* of a list of expressions, together */
    double sum, largest, second; /* bytes */
    double nodes, depth;
    size_t count;
    struct sql_bounds_argument first[SQL_BOUNDS_CALLS_ARGUMENTS_MOST];
};

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* No engine makes a longer value than this: it fails the statement instead. */
double sql_bounds_values_longest_value(const struct sql_bounds_search *search);

/* Whether a finding was made or the arena is spent; whether limits are looked at now. */
bool sql_bounds_values_is_over(const struct sql_bounds_search *search);
bool sql_bounds_values_judges(const struct sql_bounds_search *search);
/* Make the finding; over: with the limit behind what. */
void sql_bounds_values_refuse(struct sql_bounds_search *search, struct sql_span span,
                              const char *rule, const char *text);
void sql_bounds_values_refuse_over(struct sql_bounds_search *search, struct sql_span span,
                                   const char *rule, const char *what, double most);
void sql_bounds_values_refuse_work(struct sql_bounds_search *search);
/* Count parts looked at; bytes of a text that is made. Past the limit that is the finding. */
void sql_bounds_values_count_work(struct sql_bounds_search *search, size_t parts);
void sql_bounds_values_count_made(struct sql_bounds_search *search, struct sql_span span,
                                  double bytes);

/* A shape of one row without columns; in the arena. NULL: it is spent. */
struct sql_bounds_shape *sql_bounds_values_make_shape(struct sql_bounds_search *search);
void sql_bounds_values_add_column(struct sql_bounds_search *search, struct sql_bounds_shape *shape,
                                  struct str name, struct sql_bounds_weight weight);
/* The same columns under the names of alias(a, b); shape itself when there are none. */
const struct sql_bounds_shape *sql_bounds_values_renamed(struct sql_bounds_search *search,
                                                         const struct sql_bounds_shape *shape,
                                                         const struct sql_names *names);
/* The larger of each column, and of all else the sum. */
void sql_bounds_values_merge(struct sql_bounds_search *search, struct sql_bounds_shape *into,
                             const struct sql_bounds_shape *from);
void sql_bounds_values_take_larger(struct sql_bounds_weight *weight,
                                   const struct sql_bounds_weight *other);

/* Whether a source answers to the qualifier, or there is none. */
bool sql_bounds_values_is_named(const struct sql_bounds_source *source, struct str qualifier);

/* A literal number that is not negative, in parentheses or not. */
bool sql_bounds_values_literal_number(const struct sql_bounds_search *search,
                                      const struct sql_expr *expr, double *number);
/* What an expression weighs, and a list of them. scope is where their names are looked up. */
struct sql_bounds_weight sql_bounds_values_weigh(struct sql_bounds_search *search,
                                                 struct sql_bounds_scope *scope,
                                                 const struct sql_expr *expr);
struct sql_bounds_parts sql_bounds_values_weigh_parts(struct sql_bounds_search *search,
                                                      struct sql_bounds_scope *scope,
                                                      const struct sql_expr *first);

#endif
