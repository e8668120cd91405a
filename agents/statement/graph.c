/* SPDX-License-Identifier: MIT */
/* agents/statement/graph.c - tables of the graph that runs a statement which a program brings.
 *
 * Happy path: check_sql passes the statement as every other one, run_sql executes it within the
 * same limits; what it read is the report. No model is asked.
 * Failure: refused, failed, no catalog, no database: the run's error, with the guard's or the
 * database's words. */
#include "agents/common/members.h"
#include "agents/nodes/check_sql.h"
#include "agents/nodes/run_sql.h"
#include "agents/services/registry_entry.h"

enum { CHECK_SQL, RUN_SQL };
enum { SQL, VALIDATED_SQL, ERROR_MESSAGE, TABLES, WARNINGS, RESULT, SLOT_COUNT };

static const struct slot slots[SLOT_COUNT] = {
    [SQL] = {"sql", SLOT_TEXT, .writers = SLOT_WRITER_INPUT | SLOT_WRITER(RUN_SQL)},
    [VALIDATED_SQL] = {"validated_sql", SLOT_TEXT,
                       .writers = SLOT_WRITER(CHECK_SQL) | SLOT_WRITER(RUN_SQL)},
    [ERROR_MESSAGE] = {"error_message", SLOT_TEXT,
                       .writers = SLOT_WRITER(CHECK_SQL) | SLOT_WRITER(RUN_SQL)},
    [TABLES] = {"tables", SLOT_JSON, .writers = SLOT_WRITER(CHECK_SQL) | SLOT_WRITER(RUN_SQL)},
    [WARNINGS] = {"warnings", SLOT_JSON, .writers = SLOT_WRITER(CHECK_SQL) | SLOT_WRITER(RUN_SQL)},
    [RESULT] = {"result", SLOT_JSON, .writers = SLOT_WRITER(RUN_SQL)},
};

static const struct check_sql_config rules = {
    .sql_slot = SLOT(SQL),
    .valid_slot = SLOT(VALIDATED_SQL),
    .error_slot = SLOT(ERROR_MESSAGE),
    .tables_slot = SLOT(TABLES),
    .warnings_slot = SLOT(WARNINGS),
};

static const struct run_sql_config run_limits = {
    .sql_slot = SLOT(VALIDATED_SQL),
    .guard = &rules,
    .result_slot = SLOT(RESULT),
    .error_slot = SLOT(ERROR_MESSAGE),
    .warnings_slot = SLOT(WARNINGS),
};

static const char *by_verdict(const struct state *state, const struct graph *graph UNUSED)
{
    return state_has(state, ERROR_MESSAGE) ? "refused" : "passed";
}

static const struct graph_node nodes[] = {
    [CHECK_SQL] = {"check_sql", &check_sql_node, &rules, .route = by_verdict,
                   .labels = {"passed", "refused"}},
    [RUN_SQL] = {"run_sql", &run_sql_node, &run_limits, .tool = true},
};

static const struct graph_edge edges[] = {
    {GRAPH_START, CHECK_SQL},
    {CHECK_SQL, RUN_SQL, "passed"},
    {CHECK_SQL, GRAPH_END, "refused"},
    {RUN_SQL, GRAPH_END},
};

static void report(const struct state *state, struct buf *out)
{
    members_str(out, "sql", state_str(state, VALIDATED_SQL));
    members_raw(out, "data", state_str(state, RESULT));
    members_raw(out, "tables", state_str(state, TABLES));
    members_raw(out, "warnings", state_str(state, WARNINGS));
}

static const char *failure(const struct state *state, struct str *message)
{
    if (!state_has(state, ERROR_MESSAGE))
        return NULL;
    *message = state_str(state, ERROR_MESSAGE);
    return state_has(state, VALIDATED_SQL) ? "sql_failed" : "sql_rejected";
}

static const struct graph_def graph = {
    .name = "statement",
    .purpose = "Runs one SQL statement that the guard passes.",
    .schema = {slots, SLOT_COUNT},
    .nodes = nodes,
    .node_count = countof(nodes),
    .edges = edges,
    .edge_count = countof(edges),
    .report = report,
    .failure = failure,
};

const struct registry_entry statement_entry = {&graph, SQL, .is_tool = true};
