/* SPDX-License-Identifier: MIT */
/* agents/orchestrator/lost.c - asks what is known of the database and whether it is there, as last
 * seen: no I/O.
 *
 * Failure: no memory: nothing is said. */
#include "agents/orchestrator/lost.h"

#include "proto/json_value.h"
#include "proto/json_write.h"

enum { WARNINGS_BYTES = 64 * 1024 };

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

struct str orchestrator_lost_warn(struct node *node, struct str warnings)
{
    struct buf out;
    struct json_write writer;
    if (str_is_absent(orchestrator_lost_reason(node)))
        return warnings;
    const struct json_value *before =
        warnings.len == 0 ? NULL : json_value_parse(node_arena(node), warnings, NULL, NULL);
    buf_init(&out, WARNINGS_BYTES);
    json_write_init(&writer, &out);
    json_write_array(&writer);
    for (const struct json_value *one = before == NULL ? NULL : before->first; one != NULL;
         one = one->next)
        json_value_write(one, &writer);
    json_write_str(&writer, STR("The database is unavailable: questions about its data cannot be "
                                "answered now."));
    json_write_array_end(&writer);
    struct str text =
        buf_ok(&out) ? arena_str(node_arena(node), buf_str(&out)) : (struct str){NULL, 0};
    buf_fini(&out);
    return text;
}
