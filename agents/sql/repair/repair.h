/* SPDX-License-Identifier: MIT */
/* agents/sql/repair/repair.h - mends mechanical mistakes of a statement without a model.
 *
 * Kinds of mistakes: quotes, LIMITs, operators and functions of other dialects; table and column
 * names in another case, number or near spelling; a column that only another table of the statement
 * has; a join condition whose columns the join graph knows better; a text in double quotes; a
 * missing GROUP BY. Only a mistake with exactly one remedy is mended. Pure functions over the
 * statement: nothing is run, and the guard judges the result like any statement of a model. */
#ifndef AGENTS_SQL_REPAIR_REPAIR_H
#define AGENTS_SQL_REPAIR_REPAIR_H

#include "agents/services/services.h"

struct sql_repair {
    struct str sql;  /* the statement, mended */
    struct str note; /* the changes, for people to read */
    unsigned kinds;  /* bits of the kinds tried, by index of sql_repair_kind */
};

/* Mend sql by every kind that is not in tried. error is the reason why sql was refused or failed.
 * Views are of arena. False: there is nothing mechanical to mend. */
bool sql_repair_try(const struct knowledge *knows, double confidence, struct str sql,
                    struct str error, unsigned tried, struct arena *arena,
                    struct sql_repair *repair);
/* Mend a statement that was not refused: words of other dialects, where the guard knows a function
 * that this engine lacks or the engine reads an operator in its own way; and conditions that no row
 * can pass and that say one thing only, x = NULL and, of what an inner join needs, IS NULL. Where
 * sql has none: false. */
bool sql_repair_words(const struct knowledge *knows, struct str sql, struct arena *arena,
                      struct sql_repair *repair);
/* The name of kind i ("columns"); NULL past the last. */
const char *sql_repair_kind(unsigned i);
/* The bit of the kind of that name, which must be one. */
unsigned sql_repair_bit(const char *name);

#endif
