/* SPDX-License-Identifier: MIT */
/* agents/sql_agent/repair.h - what is wrong with a statement mechanically, put right without a
 * model.
 *
 * Other dialects' quotes, LIMITs, operators and functions; table and column names in another case,
 * number or near spelling; a column that only another table of the statement has; a join condition
 * with columns the join graph knows better; a text in double quotes; a missing GROUP BY. Only where
 * there is exactly one way to mean it. Pure functions over the statement: nothing is run, and what
 * comes out is for the guard to judge like anything a model writes. */
#ifndef AGENTS_SQL_AGENT_REPAIR_H
#define AGENTS_SQL_AGENT_REPAIR_H

#include "agents/services/services.h"

struct sql_agent_repair {
    struct str sql;  /* the statement, mended */
    struct str note; /* what was changed, for people */
    unsigned kinds;  /* bits of what was tried, by index of sql_agent_repair_kind */
};

/* Mend sql by every kind that is not in tried. error is why it was refused or failed. Views are of
 * arena. False: there is nothing mechanical to mend. */
bool sql_agent_repair_try(const struct knowledge *knows, double confidence, struct str sql,
                          struct str error, unsigned tried, struct arena *arena,
                          struct sql_agent_repair *repair);
/* The name of kind i ("columns"); NULL past the last. */
const char *sql_agent_repair_kind(unsigned i);

#endif
