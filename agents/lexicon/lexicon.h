/* SPDX-License-Identifier: MIT */
/* agents/lexicon/lexicon.h - the meanings that words may have in a database: names split and
 * stemmed, synonyms, and an index of values.
 *
 * Built from a catalog and (asynchronously) the distinct values of its text columns; columns with
 * personal data (PII) and hidden columns are left out. Immutable once built; shared by all workers.
 */
#ifndef AGENTS_LEXICON_LEXICON_H
#define AGENTS_LEXICON_LEXICON_H

#include "agents/sql/catalog/catalog.h"
#include "backends/sql.h"
#include "core/base/log.h"

struct lexicon;
struct semantic;

struct lexicon_progress { /* one writer, read by any thread */
    _Atomic unsigned columns, of;
};

struct lexicon_load {                     /* zeroed before start, except the fields before op: */
    const struct sql_variable *variables; /* needed to read secure views; must live until done */
    size_t variable_count;
    const bool *closed; /* by table: nobody may read it, so no value of it is; NULL: none is. Must
                           live until done */
    bool owned; /* rows belong to companies: a value that one or two have is a word to them only */
    const struct semantic *semantic;   /* bound to the catalog; NULL: none. Outlives the lexicon */
    struct lexicon_progress *progress; /* how far the load is; or NULL */
    const struct log *log;             /* told the progress once a second; or NULL */
    bool one_by_one; /* one statement at a time, for a database that others are waiting for */
    struct op op;
    struct lexicon *lexicon; /* the result, the caller's when op ends with ERR_OK */
    /* private */
    void *impl;
};

/* Build a lexicon of names only, without a database. catalog and semantic (which may be NULL) must
 * outlive it. The caller destroys it. NULL: no memory. */
struct lexicon *lexicon_create(const struct catalog *catalog, const struct semantic *semantic);
/* Read values through sql (at most 5,000 distinct values a column, 64 characters each) and build
 * the lexicon. Of a table of 100,000 rows or more the first and last 20,000 rows by its key are
 * read. The rest of a table is left out after a column that takes 2 s, and everything that remains
 * after 20 s. Up to four statements run at once, unless one_by_one; the result does not depend on
 * which ends first. catalog must outlive the lexicon. sql NULL: names only. */
void lexicon_load_start(struct lexicon_load *load, struct loop *loop, struct sql *sql,
                        const struct catalog *catalog, struct op_waiter waiter);
void lexicon_destroy(struct lexicon *lexicon);
/* How many columns' values were read. */
unsigned lexicon_columns_read(const struct lexicon *lexicon);

#endif
