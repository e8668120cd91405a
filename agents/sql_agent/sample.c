/* SPDX-License-Identifier: MIT */
/* agents/sql_agent/sample.c - a few rows of each chosen table, read side by side.
 *
 * Happy path: a SELECT of the showable columns of every chosen table is judged and started; when
 * all have ended their rows become one text and the join plan is written.
 * Failure: a table that cannot be sampled is passed over, and so is one whose sample waited too
 * long for a connection, which the samples before it may have had: the statement itself waits
 * longer. A database that cannot be reached ends the node, since no statement would fare better. */
#include "agents/sql_agent/sample.h"

#include "agents/nodes/schema_text.h"
#include "agents/sql/joins/join_path.h"
#include "agents/sql/catalog/quote.h"
#include "agents/sql_agent/joins.h"
#include "agents/sql_agent/plan.h"
#include "agents/sql_agent/state.h"

enum {
    MAX_TABLES = JOIN_PATH_MAX_TABLES,
    SAMPLE_BYTES = 64 * 1024, /* of one table's sample */
    CELL_BYTES = 60,
    TEXT_BYTES = 32 * 1024,
    SAMPLE_MS = 2000, /* a sample is worth no longer wait */
};

struct sample {
    struct sql_query queries[MAX_TABLES];
    struct sql_statement statements[MAX_TABLES];
    struct str names[MAX_TABLES];
    struct sql_variable variables[SERVICES_VARIABLES];
    size_t count, variable_count;
};

static node_fn keep;

/* A SELECT of what may be shown of the table, without what the schema text leaves out; the absent
 * string when there is nothing. */
static struct str write_statement(struct node *node, const struct catalog *catalog, int table)
{
    const struct schema_text_words words = schema_text_words(node_str(node, SQL_AGENT_QUESTION));
    const struct catalog_table *named = &catalog->tables[table], *read = named;
    struct buf out;
    size_t shown = 0;
    enum sql_dialect dialect = knowledge(node)->dialect;
    if (named->secure_view != CATALOG_NONE)
        read = &catalog->tables[named->secure_view];
    buf_init(&out, 16 * 1024);
    buf_push(&out, STR("SELECT "));
    for (size_t i = 0; i < read->column_count; i++) {
        if (read->columns[i].hidden || read->columns[i].pii ||
            schema_text_omits(knowledge(node), &words, (int)(read - catalog->tables), (int)i))
            continue;
        if (shown++ > 0)
            buf_push(&out, STR(", "));
        sql_quote_name(dialect, read->columns[i].name, &out);
    }
    buf_push(&out, STR(" FROM "));
    sql_quote_table(dialect, named, &out);
    buf_printf(&out, " LIMIT %zu", services(node)->limits->sql_sample_rows);
    struct str text = {NULL, 0};
    if (buf_ok(&out) && shown > 0)
        text = arena_str(node_arena(node), buf_str(&out));
    buf_fini(&out);
    return text;
}

static void start_sample(struct node *node, struct sample *f, int table)
{
    const struct knowledge *knows = knowledge(node);
    struct sql_verdict verdict = {0};
    struct str text = write_statement(node, knows->catalog, table);
    if (str_is_absent(text))
        return;
    sql_policy_judge(knows->policy, knows->dialect, text, knows->catalog, knows->tenant,
                     node_arena(node), &verdict);
    services_tell_verdict(node_session(node), &verdict, text);
    if (verdict.code != ERR_OK)
        return;
    struct sql_statement *statement = &f->statements[f->count];
    *statement = (struct sql_statement){
        .text = verdict.sql,
        .variables = f->variables,
        .variable_count = f->variable_count,
        .max_rows = services(node)->limits->sql_sample_rows,
        .max_bytes = SAMPLE_BYTES,
        .timeout_ms = size_min(services(node)->limits->sql_timeout_ms, SAMPLE_MS),
        .asker = node_session(node),
    };
    f->names[f->count] = sql_agent_plan_table_name(node, table);
    sql_query_start(&f->queries[f->count], services(node)->sql, statement, node_waiter(node));
    f->count++;
}

static enum step enter(struct node *node)
{
    struct sample *f = node_frame(node);
    int tables[MAX_TABLES];
    sql_agent_joins_put(node);
    if (services(node)->limits->sql_sample_rows == 0 || services(node)->sql == NULL ||
        node_has(node,
                 SQL_AGENT_DRAFT)) /* nobody is asked for a statement who could look at them */
        return STEP_DONE;
    f->variable_count = services_variables(node_session(node), f->variables);
    size_t count = sql_agent_plan_tables(node, tables, MAX_TABLES);
    for (size_t i = 0; i < count; i++)
        start_sample(node, f, tables[i]);
    return node_settle(node, keep);
}

static void write_cell(struct buf *out, const struct sql_value *value)
{
    switch (value->type) {
    case SQL_NULL:
        buf_push(out, STR("NULL"));
        break;
    case SQL_INT:
    case SQL_BOOL:
        buf_push_i64(out, value->integer);
        break;
    case SQL_REAL:
        buf_printf(out, "%g", value->real);
        break;
    case SQL_DECIMAL:
    case SQL_TEXT:
    case SQL_BLOB:
        buf_push(out, str_utf8_prefix(value->text, CELL_BYTES));
        break;
    }
}

static void write_sample(struct buf *out, struct str name, const struct sql_result *result)
{
    if (result->row_count == 0)
        return;
    buf_printf(out, "%.*s: ", STR_ARG(name));
    for (size_t i = 0; i < result->column_count; i++)
        buf_printf(out, "%s%.*s", i > 0 ? " | " : "", STR_ARG(result->columns[i]));
    buf_push_char(out, '\n');
    for (size_t row = 0; row < result->row_count; row++) {
        for (size_t i = 0; i < result->column_count; i++) {
            buf_push(out, i > 0 ? STR(" | ") : STR("  "));
            write_cell(out, sql_result_at(result, row, i));
        }
        buf_push_char(out, '\n');
    }
}

static enum step keep(struct node *node)
{
    struct sample *f = node_frame(node);
    struct buf out;
    buf_init(&out, TEXT_BYTES);
    for (size_t i = 0; i < f->count; i++) {
        const struct err *err = &f->queries[i].op.err;
        if (err->code == ERR_UNAVAILABLE) {
            buf_fini(&out);
            return node_fail_as(node, "database_unavailable", err);
        }
        if (err->code == ERR_OK)
            write_sample(&out, f->names[i], &f->queries[i].result);
    }
    if (buf_ok(&out) && buf_len(&out) > 0)
        node_put_str(node, SQL_AGENT_SAMPLES, buf_str(&out));
    buf_fini(&out);
    return STEP_DONE;
}

const struct graph_node_type sql_agent_sample_node = {.enter = enter,
                                                      .frame_bytes = sizeof(struct sample)};
