/* SPDX-License-Identifier: MIT */
/* agents/nodes/mend.c - repair, judge, put.
 *
 * Happy path: the mended statement passes the guard and takes the place of the old one. Failure: a
 * statement that the guard refuses still is left to the model; so is one whose texts are in doubt,
 * since the model is to answer for them. */
#include "agents/nodes/mend.h"

bool mend_sql(struct node *node, const struct check_sql_config *check, unsigned tried,
              struct sql_repair *repair)
{
    struct str sql = node_str(node, slot_index(check->sql_slot));
    struct str error = node_str(node, slot_index(check->error_slot));
    if (str_is_empty(sql) || str_is_empty(error) ||
        str_equal(sql, node_str(node, slot_index(check->doubt_slot))) ||
        !sql_repair_try(knowledge(node), services(node)->limits->sql_confidence_threshold, sql,
                        error, tried, node_arena(node), repair) ||
        check_sql_judge(node, check, repair->sql)->code != ERR_OK)
        return false;
    node_put_str(node, slot_index(check->sql_slot), repair->sql);
    node_push_item(node, slot_index(check->repairs_slot), repair->note);
    node_emit(node, EVENT_WARNING, STR("repaired"), repair->note, 0);
    return true;
}
