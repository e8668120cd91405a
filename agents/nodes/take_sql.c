/* SPDX-License-Identifier: MIT */
/* agents/nodes/take_sql.c - reads a reply, and counts prose behind prose as a refusal.
 *
 * Happy path: the reply has a statement, or a query over metrics that is written as one.
 * Failure: a model that does not know the marker says in its own language that it cannot; it is
 * told of the marker, and when it says so again, that is its reason. */
#include "agents/nodes/take_sql.h"

#include "agents/common/sql_reply.h"
#include "agents/semantic_query/statement.h"

enum { REASON_BYTES = 600 };

struct taken_sql take_sql(struct node *node, struct str answer, struct str before, bool is_doubted)
{
    const struct sql_reply reply = sql_reply_read(node_arena(node), answer);
    struct taken_sql taken = {str_trim(answer), reply.cannot};
    if (!str_is_absent(reply.sql)) {
        taken.sql = semantic_query_statement(node, reply.sql);
        return taken;
    }
    if (str_is_absent(reply.cannot) && !is_doubted && sql_reply_is_prose(before))
        taken.refusal = str_utf8_prefix(str_trim(answer), REASON_BYTES);
    if (!str_is_absent(taken.refusal)) {
        struct str marked = arena_printf(node_arena(node), "CANNOT: %.*s", STR_ARG(taken.refusal));
        taken.sql = str_is_absent(marked) ? STR("CANNOT: no memory") : marked;
    }
    return taken;
}

struct str take_sql_why_prose(struct str sql)
{
    return sql_reply_is_prose(sql)
               ? STR("there is no statement in this: write one SELECT in a ```sql block, or, where "
                     "the question cannot be answered, one line that begins with the English word "
                     "CANNOT: and the reason behind it, in the language of the question")
               : (struct str){NULL, 0};
}
