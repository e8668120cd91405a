/* SPDX-License-Identifier: MIT */
/* agents/nodes/approve_sql.c - writes the question as JSON and reads the answer.
 *
 * Failure: an answer that is none of the three actions is asked about again, with the reason; no
 * memory. */
#include "agents/nodes/approve_sql.h"

#include "core/store/event.h"
#include "proto/json_value.h"
#include "proto/json_write.h"

enum { QUESTION_BYTES = 256 * 1024 };

enum approve_sql_action approve_sql_read(struct node *node, struct str said, struct str *sql)
{
    struct str action = STR("");
    *sql = STR("");
    if (str_is_absent(said))
        return APPROVE_SQL_NOT_ASKED;
    const struct json_value *root = json_value_parse(node_arena(node), said, NULL, NULL);
    const struct json_value *edited = NULL;
    if (root != NULL && root->type == JSON_STRING)
        action = root->text;
    if (root != NULL && root->type == JSON_OBJECT) {
        const struct json_value *member = json_value_member(root, STR("action"));
        if (member != NULL && member->type == JSON_STRING)
            action = member->text;
        edited = json_value_member(root, STR("sql"));
    }
    if (str_equal(action, STR("approve")))
        return APPROVE_SQL_RUN;
    if (str_equal(action, STR("refuse")))
        return APPROVE_SQL_REFUSE;
    if (!str_equal(action, STR("edit")) || edited == NULL || edited->type != JSON_STRING ||
        str_trim(edited->text).len == 0)
        return APPROVE_SQL_STRANGE;
    *sql = edited->text;
    return APPROVE_SQL_EDIT;
}

bool approve_sql_is_on(const struct limits *limits)
{
    return limits->sql_approval;
}

/* SQLite tells no cost, but rows. */
static double weight_of(const struct sql_cost *cost)
{
    return cost->cost >= 0 ? cost->cost : cost->rows;
}

bool approve_sql_asks(const struct limits *limits, const struct sql_cost *cost)
{
    if (!approve_sql_is_on(limits))
        return false;
    return cost == NULL || limits->sql_approval_above <= 0 ||
           weight_of(cost) > limits->sql_approval_above;
}

static void write_cost(const struct sql_cost *cost, struct json_write *json)
{
    json_write_key(json, STR("cost"));
    json_write_object(json);
    if (cost->cost >= 0)
        json_write_member_double(json, STR("units"), cost->cost);
    json_write_member_double(json, STR("rows"), cost->rows);
    json_write_object_end(json);
}

struct str approve_sql_details(struct node *node, const struct approve_sql_question *asked)
{
    struct buf out;
    struct json_write json;
    buf_init(&out, QUESTION_BYTES);
    json_write_init(&json, &out);
    json_write_object(&json);
    json_write_member_str(&json, STR("type"), STR("sql_approval"));
    json_write_member_str(&json, STR("sql"), asked->sql);
    if (!str_equal(str_trim(asked->runs), str_trim(asked->sql)))
        json_write_member_str(&json, STR("runs"), asked->runs);
    if (!str_is_absent(asked->edited))
        json_write_member_str(&json, STR("edited"), asked->edited);
    if (asked->parse != NULL) {
        json_write_key(&json, STR("tables"));
        check_sql_write_tables(node, asked->guard, asked->parse, &json);
    }
    if (asked->cost != NULL && !services_is_shared(knowledge(node)))
        write_cost(asked->cost, &json);
    if (asked->error != NULL)
        json_write_member_str(&json, STR("error"), str_of(asked->error));
    json_write_object_end(&json);
    struct str object = buf_str(&out), members = {NULL, 0};
    if (buf_ok(&out))
        members = arena_str(node_arena(node), str_slice(object, 1, object.len - 1));
    buf_fini(&out);
    return members;
}

enum step approve_sql_ask(struct node *node, const struct approve_sql_question *asked)
{
    struct str details = approve_sql_details(node, asked);
    struct err err;
    if (!str_is_absent(details))
        return node_interrupt(node, details);
    err_set(&err, ERR_NO_MEMORY, "no memory to ask about the statement");
    return node_fail(node, &err);
}

enum step approve_sql_decline(struct node *node)
{
    node_emit_token(node, EVENT_FINAL_CHANNEL,
                    STR("The query was not run, because it was not approved."));
    return node_end_run(node);
}
