/* SPDX-License-Identifier: MIT */
/* agents/sql_agent/correct.c - fields of the correction prompt, and what is done with its answer.
 *
 * Happy path: the failed statement and the plan name the tables, the history is cut to the entries
 * that help, the model's new statement replaces the old one, which joins the history. Failure: a
 * statement that does not parse names no tables. */
#include "agents/sql_agent/correct.h"

#include "agents/nodes/facts.h"
#include "agents/nodes/mend.h"
#include "agents/nodes/schema_text.h"
#include "agents/nodes/take_sql.h"
#include "agents/sql/parse/parse.h"
#include "agents/sql_agent/plan.h"
#include "agents/sql_agent/state.h"
#include "agents/sql_agent/whole.h"
#include "proto/json_value.h"
#include "proto/json_write.h"

enum { MAX_TABLES = 24, TEXT_BYTES = 256 * 1024, NEWEST_BYTES = 2000 /* C49 */ };

/* The tables of the statement that failed, then those of the plan: the statement may lack one. */
static size_t used_tables(struct node *node, int *tables)
{
    int planned[MAX_TABLES];
    size_t most = size_min(MAX_TABLES, services(node)->limits->sql_max_tables_in_context);
    size_t count = 0, plan_count = sql_agent_plan_tables(node, planned, most);
    const struct sql_parse *parse = check_sql_written(node, node_str(node, SQL_AGENT_SQL));
    size_t written = parse == NULL ? 0 : parse->table_count;
    for (size_t i = 0; i < written + plan_count && count < MAX_TABLES; i++) {
        int table = i < written ? parse->tables[i].table : planned[i - written];
        bool seen = table == CATALOG_NONE;
        for (size_t j = 0; j < count; j++)
            seen = seen || tables[j] == table;
        if (!seen)
            tables[count++] = table;
    }
    return count;
}

struct str sql_agent_correct_schema(struct node *node)
{
    struct buf out;
    int tables[MAX_TABLES];
    struct str whole = sql_agent_whole_schema(node, node_str(node, SQL_AGENT_QUESTION));
    if (whole.len > 0)
        return whole;
    size_t count = used_tables(node, tables);
    buf_init(&out, TEXT_BYTES);
    schema_text_write(knowledge(node), node_str(node, SQL_AGENT_QUESTION), tables, count,
                      services(node)->limits->sql_max_columns_in_correction, facts_today(node),
                      &out);
    struct str text = buf_ok(&out) ? arena_str(node_arena(node), buf_str(&out)) : STR("");
    buf_fini(&out);
    return text;
}

struct str sql_agent_correct_values(struct node *node)
{
    int tables[MAX_TABLES];
    return sql_agent_plan_values_among(node, tables, used_tables(node, tables));
}

struct str sql_agent_correct_relationships(struct node *node)
{
    int tables[MAX_TABLES];
    struct str question = node_str(node, SQL_AGENT_QUESTION);
    if (sql_agent_whole_fits(node, question))
        return sql_agent_whole_relationships(node, question);
    size_t count = used_tables(node, tables);
    return sql_agent_plan_relationships_among(node, tables, count,
                                              node_str(node, SQL_AGENT_LAST_SQL_ERROR));
}

struct str sql_agent_correct_history(struct node *node)
{
    struct buf out;
    const struct state *state = node_state(node);
    size_t count = state_list_count(state, SQL_AGENT_CORRECTION_HISTORY);
    buf_init(&out, TEXT_BYTES);
    for (size_t i = 0; i < count; i++) {
        struct str sql, error;
        const struct json_value *item = json_value_parse(
            node_arena(node), state_list_item(state, SQL_AGENT_CORRECTION_HISTORY, i), NULL, NULL);
        if (item == NULL || json_value_str(item, "/sql", &sql, NULL) != ERR_OK ||
            json_value_str(item, "/error", &error, NULL) != ERR_OK)
            continue;
        size_t max =
            i + 1 == count ? NEWEST_BYTES : services(node)->limits->sql_max_sql_history_length;
        buf_printf(&out, "Attempt %zu: %.*s\nError: %.*s\n", i + 1,
                   STR_ARG(str_utf8_prefix(sql, max)), STR_ARG(error));
    }
    struct str text = buf_ok(&out) ? arena_str(node_arena(node), buf_str(&out)) : STR("");
    buf_fini(&out);
    return text;
}

/* Bits of the kinds of repair that earlier attempts were. */
static unsigned kinds_tried(struct node *node)
{
    const struct state *state = node_state(node);
    unsigned tried = 0;
    for (size_t i = 0; i < state_list_count(state, SQL_AGENT_CORRECTION_HISTORY); i++) {
        const struct json_value *item = json_value_parse(
            node_arena(node), state_list_item(state, SQL_AGENT_CORRECTION_HISTORY, i), NULL, NULL);
        const struct json_value *kinds = json_value_member(item, STR("repairs"));
        for (const struct json_value *kind = kinds == NULL ? NULL : kinds->first; kind != NULL;
             kind = kind->next)
            for (unsigned j = 0; sql_repair_kind(j) != NULL; j++)
                if (str_equal(kind->text, str_of(sql_repair_kind(j))))
                    tried |= 1u << j;
    }
    return tried;
}

/* Add the attempt that failed to the history; repair: what mends it, or NULL. */
static void push_history(struct node *node, const struct sql_repair *repair)
{
    struct buf out;
    struct json_write writer;
    buf_init(&out, TEXT_BYTES);
    json_write_init(&writer, &out);
    json_write_object(&writer);
    json_write_member_i64(&writer, STR("attempt"), node_int(node, SQL_AGENT_CORRECTION_ATTEMPTS));
    json_write_member_str(&writer, STR("sql"), node_str(node, SQL_AGENT_SQL));
    json_write_member_str(&writer, STR("error"), node_str(node, SQL_AGENT_LAST_SQL_ERROR));
    if (repair != NULL) {
        json_write_key(&writer, STR("repairs"));
        json_write_array(&writer);
        for (unsigned i = 0; sql_repair_kind(i) != NULL; i++)
            if ((repair->kinds >> i & 1) != 0)
                json_write_str(&writer, str_of(sql_repair_kind(i)));
        json_write_array_end(&writer);
    }
    json_write_object_end(&writer);
    if (buf_ok(&out))
        node_push_item(node, SQL_AGENT_CORRECTION_HISTORY, buf_str(&out));
    buf_fini(&out);
}

enum step sql_agent_correct_first(struct node *node)
{
    struct sql_repair repair;
    if (!mend_sql(node, &sql_agent_check, kinds_tried(node), &repair))
        return STEP_WAIT;
    push_history(node, &repair);
    return STEP_DONE;
}

enum step sql_agent_correct_keep(struct node *node, struct str answer)
{
    const struct taken_sql taken =
        take_sql(node, answer, node_str(node, SQL_AGENT_SQL), node_has(node, SQL_AGENT_DOUBT));
    push_history(node, NULL);
    if (!str_is_absent(taken.refusal))
        node_put_str(node, SQL_AGENT_REFUSAL, taken.refusal);
    else
        node_put_str(node, SQL_AGENT_SQL, taken.sql);
    return STEP_DONE;
}
