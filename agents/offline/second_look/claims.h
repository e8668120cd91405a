/* SPDX-License-Identifier: MIT */
/* agents/offline/second_look/claims.h - what a statement that somebody wrote does, as far as it can
 * be told: its tables, what it compares with what, what it computes, and by what it is ordered.
 *
 * Tables behind secure views are meant by their logical ones. Borrows from lexicon and parse. Pure;
 * any thread. */
#ifndef AGENTS_OFFLINE_SECOND_LOOK_CLAIMS_H
#define AGENTS_OFFLINE_SECOND_LOOK_CLAIMS_H

#include "agents/lexicon/index.h"
#include "agents/offline/reading/reading.h"
#include "agents/sql/parse/parse.h"

enum { CLAIMS_COMPARISONS = 48, CLAIMS_CALLS = 24 };

struct claims_comparison {    /* column op literal */
    struct sql_span span;     /* of all of it */
    int table, column;        /* READING_NONE: of a number that is computed */
    enum offline_op op;       /* OP_EQ, OP_LT to OP_GE, OP_LIKE */
    bool denied;              /* under an odd number of NOT, <>, NOT IN, EXCEPT */
    bool has_number, is_text; /* what the literal is; else a date's or an operation's */
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
    bool whole;    /* nothing was too much to be kept */
    bool distinct; /* some SELECT is DISTINCT */
};

void offline_claims_read(const struct lexicon *lexicon, const struct sql_parse *parse,
                         struct claims *claims);
/* The table a statement's reference reads, whatever view it reads it through; CATALOG_NONE. */
int offline_claims_table(const struct claims *claims, int table_ref);
bool offline_claims_reads(const struct claims *claims, int table);
/* Whether it reads a table whose rows refer to those of table: they stand for them. */
bool offline_claims_refers(const struct claims *claims, int table);
bool offline_claims_names(const struct claims *claims, int table, int column);
/* Whether the statement's text has it, in any case. */
bool offline_claims_has_text(const struct claims *claims, struct str text);
/* The first call of a function by one of the names; NULL: there is none. */
const struct claims_call *offline_claims_call(const struct claims *claims, const char *const *names,
                                              size_t count);

#endif
