/* SPDX-License-Identifier: MIT */
/* agents/offline/second_look/claims.h - what a statement claims, as far as it can be told: its
 * tables, its comparisons, what it computes, and what it is ordered by.
 *
 * A table behind a secure view counts as its logical table. Borrows from lexicon and parse. Pure;
 * any thread. */
#ifndef AGENTS_OFFLINE_SECOND_LOOK_CLAIMS_H
#define AGENTS_OFFLINE_SECOND_LOOK_CLAIMS_H

#include "agents/lexicon/index.h"
#include "agents/offline/reading/reading.h"
#include "agents/sql/parse/parse.h"

enum { CLAIMS_COMPARISONS = 48, CLAIMS_CALLS = 24 };

struct claims_comparison {    /* column op literal */
    struct sql_span span;     /* of the whole comparison */
    int table, column;        /* READING_NONE: of a number that is computed */
    enum offline_op op;       /* OP_EQ, OP_LT to OP_GE, OP_LIKE */
    bool denied;              /* under an odd number of NOT, <>, NOT IN, EXCEPT */
    bool has_number, is_text; /* the literal's type; neither: a date or an operation */
    double number;
    struct str text; /* of a literal, without its quotes; absent: none */
};

struct claims_call {
    struct str name;
    bool distinct, of_column; /* of_column: one plain column is its argument */
    int table, column, table_ref;
};

struct claims_order { /* the outermost ORDER BY's first key */
    bool present, descending;
    int table, column;   /* or READING_NONE */
    struct str function; /* absent: none */
};

struct claims {
    const struct lexicon *lexicon;
    const struct sql_parse *parse;
    struct claims_comparison comparisons[CLAIMS_COMPARISONS];
    size_t comparison_count;
    struct claims_call calls[CLAIMS_CALLS];
    size_t call_count;
    struct claims_order order;
    bool whole;    /* every comparison and call was kept */
    bool distinct; /* some SELECT is DISTINCT */
};

void offline_claims_read(const struct lexicon *lexicon, const struct sql_parse *parse,
                         struct claims *claims);
/* The table of the catalog that a table reference of the statement reads, directly or through a
 * view; CATALOG_NONE: unknown. */
int offline_claims_table(const struct claims *claims, int table_ref);
bool offline_claims_reads(const struct claims *claims, int table);
/* Whether the statement reads a table whose rows refer to those of table, and so stand for them. */
bool offline_claims_refers(const struct claims *claims, int table);
bool offline_claims_names(const struct claims *claims, int table, int column);
/* Whether the text of the statement contains text, in any case. */
bool offline_claims_has_text(const struct claims *claims, struct str text);
/* The first call of a function by one of the names; NULL: there is none. */
const struct claims_call *offline_claims_call(const struct claims *claims, const char *const *names,
                                              size_t count);

#endif
