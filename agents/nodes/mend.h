/* SPDX-License-Identifier: MIT */
/* agents/nodes/mend.h - mends a statement that was refused or failed without asking the model,
 * where its mistake is a mechanical one (agents/sql/repair/repair.h). */
#ifndef AGENTS_NODES_MEND_H
#define AGENTS_NODES_MEND_H

#include "agents/nodes/check_sql.h"
#include "agents/sql/repair/repair.h"

/* Mend the statement of the graph whose guard is check, by every kind that is not in tried, when
 * the guard then passes it: it is put, and what was done is added to the notes and told. False:
 * nothing is put, the model has to be asked. Views of *repair are of the node's arena. */
bool mend_sql(struct node *node, const struct check_sql_config *check, unsigned tried,
              struct sql_repair *repair);

#endif
