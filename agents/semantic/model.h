/* SPDX-License-Identifier: MIT */
/* agents/semantic/model.h - a deployment's own words about its data, beyond the schema: labels,
 * synonyms, default dates, metrics, named filters, a glossary, verified questions.
 *
 * Read by file.c, bound to a catalog by bind.c, then immutable. Plain data in one arena. An entry
 * that bind.c found wrong is not usable, and is reported. Any thread once bound. */
#ifndef AGENTS_SEMANTIC_MODEL_H
#define AGENTS_SEMANTIC_MODEL_H

#include "agents/sql/catalog/catalog.h"
#include "backends/sql.h"

enum { SEMANTIC_LABELS = 3, SEMANTIC_UNSAID = -1 };

struct semantic_texts {
    const struct str *at;
    size_t count;
};

struct semantic_column {
    struct str name, label, description, unit;
    struct semantic_texts synonyms;
    int pii; /* 0, 1, or SEMANTIC_UNSAID: as the name suggests */
    enum column_access access;
    int column; /* of the catalog; CATALOG_NONE until bound, or unknown */
};

/* An expression over the columns of one table. */
struct semantic_piece;
struct semantic_expression {
    struct str text; /* as written; empty: there is none */
    const struct semantic_piece *pieces;
    size_t piece_count; /* 0: not bound, and not to be used */
};

/* A column that refers to another table's, which the database does not declare. */
struct semantic_reference {
    struct str column, to; /* "TABLE.COLUMN" */
};

struct semantic_table {
    struct str name, label, description;
    struct str grain;  /* the thing that one row is */
    struct str time;   /* the date meant when none is named: a column, or "TABLE.COLUMN" */
    struct str tenant; /* the column that says whose a row is */
    struct semantic_texts synonyms, label_columns;
    int lookup;                      /* 0, 1, or SEMANTIC_UNSAID */
    struct semantic_expression rows; /* the condition on rows that count */
    struct semantic_reference *references;
    size_t reference_count;
    struct semantic_column *columns;
    size_t column_count;
    int table, time_table, time_column; /* of the catalog, or CATALOG_NONE; time_table: whose */
    int labels[SEMANTIC_LABELS];
    size_t label_count;
};

/* A piece of an expression: text, then a column of the table or the day that is today, or neither.
 */
struct semantic_piece {
    struct str text;
    int column; /* CATALOG_NONE: none */
    bool today;
};

/* A metric (an aggregate over rows of a table) or a named filter (a condition on them). */
struct semantic_named {
    struct str name, description, unit, table_name;
    struct semantic_texts synonyms;
    struct semantic_expression expression;
    struct semantic_expression filter; /* of a metric: its rows */
    bool is_metric, additive;          /* additive: SUM or COUNT, so "total" adds no meaning */
    bool usable;
    int table;
};

/* A word of the glossary: it stands for a value of a column, or is only explained. */
struct semantic_term {
    struct str term, meaning, table_name, column_name, value;
    struct semantic_texts synonyms;
    int table, column; /* CATALOG_NONE: only explained */
};

struct semantic_verified {
    struct str question, sql, verified_by, verified_at;
    struct str name, description; /* of the tool that agents may call; empty: it is none */
    struct str parameters; /* JSON schema of the tool; empty: sql has no places for arguments */
    const int *tables;     /* tables of the catalog that sql reads */
    size_t table_count;
    bool confirm;  /* as a tool: a person looks at the statement before each call */
    bool usable;   /* as the answer to question, and as an example */
    bool callable; /* as a tool */
};

struct semantic {
    struct arena arena;
    struct semantic_table *tables;
    size_t table_count;
    struct semantic_named *named; /* metrics, then filters */
    size_t named_count, metric_count;
    struct semantic_term *terms;
    size_t term_count;
    struct semantic_verified *verified;
    size_t verified_count;
};

/* The mistakes of a file, one a line: "POINTER: what is wrong and what to do". */
struct semantic_report {
    struct buf text;
    size_t count;
};

/* NULL is fine. */
void semantic_model_destroy(struct semantic *semantic);
/* The entry of the model for a table, and for a column; NULL: none. semantic may be NULL. */
const struct semantic_table *semantic_model_table(const struct semantic *semantic, int table);
const struct semantic_column *semantic_model_column(const struct semantic *semantic, int table,
                                                    int column);
/* Append the expression over a table with this alias in a statement (0: without an alias). */
void semantic_model_push(const struct semantic_expression *expression,
                         const struct catalog *catalog, enum sql_dialect dialect, int table,
                         unsigned alias, struct str today, struct buf *out);

void semantic_report_init(struct semantic_report *report);
void semantic_report_fini(struct semantic_report *report);
void semantic_report_add(struct semantic_report *report, struct str pointer, const char *fmt, ...)
    PRINTF(3, 4);

#endif
