/* SPDX-License-Identifier: MIT */
/* agents/sql/rewrite_proof.h - that what will be sent is what was checked, changed only as it had
 * to be; so it need not be read again.
 *
 * The second reading of a rewritten statement exists so that nothing runs which was not checked.
 * Most rewritten statements differ from the checked one by few pieces, and then that can be seen
 * without another parse. The proof takes the parse of the statement as given and the text to be
 * sent, and nothing from the rewriter: it works out for itself what each table must become (as it
 * is, its view, a derived table of the visible columns, filtered by company), and then goes through
 * both texts byte by byte. Every byte sent is either a byte of the checked statement, at its turn,
 * or a byte of what was worked out. Why that is enough:
 * - Tokens. Every change stands between blanks, commas or parentheses, names are quoted by rule,
 *   and so no token runs into another: the tokens sent are those checked with some replaced.
 * - Tree. A table is replaced only where FROM, JOIN, a comma or a parenthesis stands before it and
 *   a word that ends a FROM item behind it, and by what the grammars take at the same place: a name
 *   or a SELECT in parentheses, with an alias. A condition is put in parentheses before another is
 *   joined by AND. So the tree is the checked one with these parts replaced.
 * - Names. What is replaced keeps its alias or its name, and no WITH query has the name of a table.
 *   Names of columns that it has no longer, or has now, are used nowhere: so every other name means
 *   what it meant.
 * - Reach. All tables are here as the policy wants them, each filter around or beside its table,
 *   and the number of rows is bounded.
 * - Rest. TABLE t is SELECT * FROM t; a sample goes with its table; a string is one; a statement
 *   whose LIMIT is no number is the only derived table of one that has one.
 * What is rare or cannot be seen so (whole rows, unknown names, table names after IN, locking
 * clauses, NATURAL where columns hide) is not proved, and is read again. */
#ifndef AGENTS_SQL_REWRITE_PROOF_H
#define AGENTS_SQL_REWRITE_PROOF_H

#include "agents/sql/visible.h"

/* Whether sql is proved to be parse's statement as the policy wants it. parse passed all rules of
 * the first reading. False: read it again; also when memory is spent. Linear. */
bool sql_rewrite_proof_holds(struct sql_visible sees, const struct sql_parse *parse,
                             struct sql_tenant tenant, struct arena *arena, struct str sql);

#endif
