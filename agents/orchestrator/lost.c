/* SPDX-License-Identifier: MIT */
/* agents/orchestrator/lost.c - asks what is known of the database and whether it is there, as last
 * seen: no I/O.
 *
 * Failure: no memory: nothing is said. */
#include "agents/orchestrator/lost.h"

#include "agents/common/texts.h"

bool orchestrator_lost_is_unread(struct node *node, struct err *err)
{
    const struct knowledge *knows = knowledge(node);
    if (services(node)->sql == NULL || knows->catalog != NULL)
        return false;
    if (err != NULL)
        *err = knows->catalog_err;
    return true;
}

struct str orchestrator_lost_tables(struct node *node)
{
    return orchestrator_lost_is_unread(node, NULL)
               ? STR("(The database is unavailable, so they are not listed. A question about the "
                     "company's records is SQL all the same.)")
               : STR("");
}

struct str orchestrator_lost_reason(struct node *node)
{
    struct sql *sql = services(node)->sql;
    struct err ignored;
    bool is_lost = orchestrator_lost_is_unread(node, NULL) ||
                   (sql != NULL && sql_ready(sql, &ignored) != ERR_OK);
    return is_lost ? STR("the database is unavailable") : (struct str){NULL, 0};
}

void orchestrator_lost_warn(struct node *node, unsigned slot)
{
    if (str_is_absent(orchestrator_lost_reason(node)))
        return;
    struct str warnings = texts_with(node_scratch(node), node_str(node, slot),
                                     STR("The database is unavailable: questions about its data "
                                         "cannot be answered now."));
    if (!str_is_absent(warnings))
        node_put_str(node, slot, warnings);
}
