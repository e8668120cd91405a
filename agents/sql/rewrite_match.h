/* SPDX-License-Identifier: MIT */
/* agents/sql/rewrite_match.h - reading what the rewriter wrote, piece by piece, without its code
 * for names. Private to rewrite_proof.
 *
 * Each function reads one piece at the place reached, or none: then it says false and what was
 * reached means nothing any more. Only the company filter's own text is the rewriter's. */
#ifndef AGENTS_SQL_REWRITE_MATCH_H
#define AGENTS_SQL_REWRITE_MATCH_H

#include "agents/sql/visible.h"
#include "core/base/buf.h"

struct sql_rewrite_match {
    enum sql_dialect dialect;
    struct str sql;
    size_t at;       /* bytes of sql that are read */
    struct buf text; /* scratch */
};

/* The bytes of text. */
bool sql_rewrite_match_text(struct sql_rewrite_match *m, struct str text);
/* The name, in quotes; in SQLite also a bare word that is no keyword. */
bool sql_rewrite_match_name(struct sql_rewrite_match *m, struct str name);
/* Schema, where the table has one, and name. */
bool sql_rewrite_match_table(struct sql_rewrite_match *m, const struct catalog_table *table);
/* The visible columns, in order, each in SQLite so that it cannot be taken for a string. */
bool sql_rewrite_match_columns(struct sql_rewrite_match *m, const struct catalog_table *table);
/* The company filter of table, of which read is read, under the name of relation. */
bool sql_rewrite_match_filter(struct sql_rewrite_match *m, struct sql_visible sees,
                              struct str relation, int table, int read);
/* A number from 1 to most; most 0: any. */
bool sql_rewrite_match_number(struct sql_rewrite_match *m, size_t most);
/* Whether what is read ends, or what follows begins, where no token can go on. */
bool sql_rewrite_match_is_apart_before(const struct sql_rewrite_match *m);
bool sql_rewrite_match_is_apart_after(const struct sql_rewrite_match *m);

#endif
