/* SPDX-License-Identifier: MIT */
/* agents/sql_agent/graph.c - tables of the SQL graph agent.
 *
 * Happy path: table_selector (which asks no model when the schema is small, or the router named the
 * tables), filter_relationships, path_finder, join_planner, sql_generator,
 * secure_rewriter, pre_validation, executor, result.
 * Failure: a refused or failed statement goes to correction_agent and through the rewriter again
 * (C28), three times in all; an empty result goes back to sql_generator once, when a literal is not
 * among the values that are known of a column that was read in part (C24). A spent budget ends the
 * run with the last error; a model that says it cannot is an answer, not an error. */
#include "agents/sql_agent/graph.h"

#include "agents/common/members.h"
#include "agents/common/sql_reply.h"
#include "agents/nodes/approve_sql.h"
#include "agents/nodes/ask.h"
#include "agents/nodes/asked.h"
#include "agents/nodes/chart.h"
#include "agents/nodes/check_sql.h"
#include "agents/nodes/facts.h"
#include "agents/nodes/hold.h"
#include "agents/nodes/remember.h"
#include "agents/nodes/run_sql.h"
#include "agents/nodes/schema_text.h"
#include "agents/nodes/take_sql.h"
#include "agents/lexicon/index.h"
#include "agents/semantic_query/statement.h"
#include "agents/sql_agent/clarify.h"
#include "agents/sql_agent/correct.h"
#include "agents/sql_agent/empty.h"
#include "agents/sql_agent/plan.h"
#include "agents/sql_agent/result.h"
#include "agents/sql_agent/sample.h"
#include "agents/sql_agent/select.h"
#include "agents/sql_agent/state.h"
#include "proto/json_value.h"

enum { SELECT, FILTER, PATHS, JOINS, GENERATE, REWRITE, VALIDATE, EXECUTE, CORRECT, RESULT };
enum { CORRECTION, EMPTY };
enum {
    CORRECTION_MAX_ATTEMPTS = 3,
    EMPTY_MAX_RETRIES = 1,
    MAX_ITERATIONS = 15, /* the default of SQL_AGENT_MAX_ITERATIONS */
    FIRST_PASS = 11,     /* supersteps without any loop; retries add to them (C18) */
};

static const struct slot slots[SQL_AGENT_SLOT_COUNT] = {
    [SQL_AGENT_QUESTION] = {"question", SLOT_TEXT, .writers = SLOT_WRITER_INPUT},
    [SQL_AGENT_TABLES] = {"tables", SLOT_JSON, .writers = SLOT_WRITER(SELECT)},
    [SQL_AGENT_ALLOWED_RELATIONSHIPS] = {"allowed_relationships", SLOT_JSON,
                                         .writers = SLOT_WRITER(FILTER)},
    [SQL_AGENT_JOIN_PLAN] = {"join_plan", SLOT_TEXT, .writers = SLOT_WRITER(JOINS)},
    [SQL_AGENT_SQL] = {"sql", SLOT_TEXT,
                       .writers = SLOT_WRITER(GENERATE) | SLOT_WRITER(CORRECT) |
                                  SLOT_WRITER(VALIDATE) | SLOT_WRITER(EXECUTE)},
    [SQL_AGENT_RESULT] = {"result", SLOT_JSON, .writers = SLOT_WRITER(EXECUTE)},
    [SQL_AGENT_COLUMN_NAMES] = {"column_names", SLOT_JSON, .writers = SLOT_WRITER(EXECUTE)},
    [SQL_AGENT_RETRIES] = {"retries", SLOT_INT, .writers = SLOT_WRITER_INPUT},
    [SQL_AGENT_FINAL_ANSWER] = {"final_answer", SLOT_TEXT, .writers = SLOT_WRITER(RESULT)},
    [SQL_AGENT_STRUCTURED_RESULT] = {"structured_result", SLOT_JSON,
                                     .writers = SLOT_WRITER(EXECUTE)},
    [SQL_AGENT_CORRECTION_ATTEMPTS] = {"sql_correction_attempts", SLOT_INT,
                                       .writers = SLOT_WRITER_INPUT},
    [SQL_AGENT_LAST_SQL_ERROR] = {"last_sql_error", SLOT_TEXT,
                                  .writers = SLOT_WRITER(VALIDATE) | SLOT_WRITER(EXECUTE)},
    [SQL_AGENT_CORRECTION_HISTORY] = {"correction_history", SLOT_LIST, REDUCE_APPEND,
                                      SLOT_WRITER(CORRECT)},
    [SQL_AGENT_VALIDATION_ERRORS] = {"validation_errors", SLOT_JSON,
                                     .writers = SLOT_WRITER(VALIDATE)},
    [SQL_AGENT_MESSAGES] = {"messages", SLOT_LIST, REDUCE_APPEND, SLOT_WRITER_INPUT,
                            .passing = true},
    [SQL_AGENT_SAMPLES] = {"samples", SLOT_TEXT, .writers = SLOT_WRITER(JOINS)},
    [SQL_AGENT_TIMED_OUT] = {"timed_out", SLOT_BOOL, .writers = SLOT_WRITER(EXECUTE)},
    [SQL_AGENT_REPAIRS] = {"repairs", SLOT_LIST, REDUCE_APPEND,
                           SLOT_WRITER(CORRECT) | SLOT_WRITER(VALIDATE)},
    [SQL_AGENT_DOUBT] = {"doubt", SLOT_TEXT, .writers = SLOT_WRITER(VALIDATE)},
    [SQL_AGENT_LEAD] = {"lead", SLOT_TEXT, .writers = SLOT_WRITER(VALIDATE) | SLOT_WRITER(EXECUTE)},
    [SQL_AGENT_NOTES] = {"notes", SLOT_JSON,
                         .writers = SLOT_WRITER(VALIDATE) | SLOT_WRITER(EXECUTE)},
    [SQL_AGENT_CHART] = {"chart", SLOT_JSON, .writers = SLOT_WRITER(EXECUTE)},
    [SQL_AGENT_PATHS] = {"paths", SLOT_JSON, .writers = SLOT_WRITER(PATHS)},
    [SQL_AGENT_SECURE_SQL] = {"secure_sql", SLOT_TEXT,
                              .writers = SLOT_WRITER(REWRITE) | SLOT_WRITER(VALIDATE)},
    [SQL_AGENT_VALIDATED_SQL] = {"validated_sql", SLOT_TEXT,
                                 .writers = SLOT_WRITER(VALIDATE) | SLOT_WRITER(EXECUTE)},
    [SQL_AGENT_TABLES_READ] = {"tables_read", SLOT_JSON,
                               .writers = SLOT_WRITER(VALIDATE) | SLOT_WRITER(EXECUTE)},
    [SQL_AGENT_WARNINGS] = {"warnings", SLOT_JSON,
                            .writers =
                                SLOT_WRITER(VALIDATE) | SLOT_WRITER(EXECUTE) | SLOT_WRITER(RESULT)},
    [SQL_AGENT_EMPTY_REASON] = {"empty_reason", SLOT_TEXT, .writers = SLOT_WRITER(EXECUTE)},
    [SQL_AGENT_REFUSAL] = {"refusal", SLOT_TEXT,
                           .writers = SLOT_WRITER(GENERATE) | SLOT_WRITER(CORRECT) |
                                      SLOT_WRITER(EXECUTE)},
    [SQL_AGENT_CLARIFY] = {"clarify", SLOT_JSON,
                           .writers = SLOT_WRITER(GENERATE) | SLOT_WRITER(EXECUTE)},
    [SQL_AGENT_RIVALS] = {"rivals", SLOT_JSON, .writers = SLOT_WRITER(GENERATE)},
    [SQL_AGENT_NAMED] = {"named", SLOT_JSON, .writers = SLOT_WRITER_INPUT},
    [SQL_AGENT_DRAFT] = {"draft", SLOT_TEXT, .writers = SLOT_WRITER_INPUT},
};

/* The readings of a question that is open: the first of them is tried, and the others held against
 * its rows. False: there are none with statements. */
static bool keep_rivals(struct node *node, struct str answer)
{
    struct str rivals = approve_sql_is_on(services(node)->limits) /* of one statement, not of all */
                            ? (struct str){NULL, 0}
                            : sql_agent_clarify_statements(node_arena(node), answer);
    const struct json_value *statements =
        str_is_absent(rivals) ? NULL : json_value_parse(node_arena(node), rivals, NULL, NULL);
    if (statements == NULL)
        return false;
    node_put_str(node, SQL_AGENT_RIVALS, rivals);
    node_put_str(node, SQL_AGENT_SQL, statements->first->text);
    return true;
}

static enum step keep_sql(struct node *node, struct str answer)
{
    const struct taken_sql taken =
        take_sql(node, answer, node_str(node, SQL_AGENT_SQL), node_has(node, SQL_AGENT_DOUBT));
    node_put_str(node, SQL_AGENT_SQL, taken.sql);
    if (node_has(node, SQL_AGENT_RIVALS)) /* of the statement before */
        node_clear(node, SQL_AGENT_RIVALS);
    if (node_has(node, SQL_AGENT_CLARIFY))
        node_clear(node, SQL_AGENT_CLARIFY);
    if (str_is_absent(taken.refusal))
        return STEP_DONE;
    struct str clarify = sql_agent_clarify_read(node_arena(node), taken.refusal, answer);
    if (!str_is_absent(clarify))
        node_put_str(node, SQL_AGENT_CLARIFY, clarify);
    if (str_is_absent(clarify) || !keep_rivals(node, answer))
        node_put_str(node, SQL_AGENT_REFUSAL, taken.refusal);
    return STEP_DONE;
}

/* Readings that have the same rows are one; of others nobody knows which is meant, and there is no
 * statement. */
static void settle_rivals(struct node *node, bool are_one)
{
    static const unsigned of_statement[] = {SQL_AGENT_VALIDATED_SQL, SQL_AGENT_TABLES_READ,
                                            SQL_AGENT_WARNINGS, SQL_AGENT_NOTES, SQL_AGENT_LEAD};
    struct str question = STR("");
    if (are_one) {
        node_clear(node, SQL_AGENT_CLARIFY);
        return;
    }
    const struct json_value *clarify =
        json_value_parse(node_arena(node), node_str(node, SQL_AGENT_CLARIFY), NULL, NULL);
    if (clarify == NULL || json_value_str(clarify, "/question", &question, NULL) != ERR_OK)
        question = STR(SQL_AGENT_CLARIFY_PLAIN);
    node_put_str(node, SQL_AGENT_REFUSAL, question);
    for (size_t i = 0; i < countof(of_statement); i++)
        node_clear(node, of_statement[i]);
}

/* A draft that came with the question is the first statement. */
static enum step take_draft(struct node *node)
{
    if (!node_has(node, SQL_AGENT_DRAFT) || node_has(node, SQL_AGENT_SQL))
        return STEP_WAIT;
    return keep_sql(node, node_str(node, SQL_AGENT_DRAFT));
}

/* Put, besides the rows, the chart that shows them; or why there may be no rows where another
 * statement may find some, unless a person wrote the statement. */
static void look_at_rows(struct node *node, const struct run_sql_done *done)
{
    struct str chart =
        chart_of_result(node, done->result, done->written, node_str(node, SQL_AGENT_QUESTION));
    if (!str_is_absent(chart))
        node_put_str(node, SQL_AGENT_CHART, chart);
    node_clear(node, SQL_AGENT_EMPTY_REASON);
    if (done->result->row_count > 0 || done->is_replaced)
        return;
    if (knowledge(node)->lexicon == NULL)
        return;
    const struct lexicon seen = /* a value of another company is none here */
        lexicon_index_seen_by(knowledge(node)->lexicon, node_session(node)->caller.company_id);
    struct str reason = sql_agent_empty_reason(&seen, done->written, node_arena(node));
    if (!str_is_absent(reason))
        node_put_str(node, SQL_AGENT_EMPTY_REASON, reason);
}

/* A field of a prompt: the earlier questions, for follow-ups. */
static struct str make_asked(struct node *node)
{
    return asked_before(node, SQL_AGENT_MESSAGES);
}

static struct str make_meant(struct node *node)
{
    return remember_meant(node, SQL_AGENT_MESSAGES);
}

static const struct ask_config table_ask = {
    .task = "table_selection",
    .prompt = "sql_agent/table_selection",
    .answer = "{\"type\":\"object\",\"properties\":{\"tables\":{\"type\":\"array\","
              "\"items\":{\"type\":\"string\"}}},\"required\":[\"tables\"],"
              "\"additionalProperties\":false}",
    .fields = {{"question", SLOT(SQL_AGENT_QUESTION)},
               {"asked", .make = make_asked},
               {"meant", .make = make_meant},
               {"schema", .make = sql_agent_select_tables}},
    .messages_slot = SLOT(SQL_AGENT_MESSAGES),
    .keep = sql_agent_select_keep,
};

static const struct ask_config generate_ask = {
    .task = "sql_generation",
    .prompt = "sql_agent/sql_generation",
    .fields = {{"question", SLOT(SQL_AGENT_QUESTION)},
               {"asked", .make = make_asked},
               {"meant", .make = make_meant},
               {"tables", SLOT(SQL_AGENT_TABLES)},
               {"schema", .make = sql_agent_plan_schema},
               {"relationships", .make = sql_agent_plan_relationships},
               {"join_plan", .make = sql_agent_plan_joins},
               {"samples", SLOT(SQL_AGENT_SAMPLES)},
               {"values", .make = sql_agent_plan_values},
               {"examples", .make = sql_agent_plan_examples},
               {"error", SLOT(SQL_AGENT_EMPTY_REASON)},
               {"dialect", .make = facts_dialect},
               {"naming", .make = facts_naming},
               {"scope", .make = schema_text_scope},
               {"queries", .make = semantic_query_rule},
               {"today", .make = facts_today}},
    .messages_slot = SLOT(SQL_AGENT_MESSAGES),
    .is_statement = true,
    .first = take_draft,
    .keep = keep_sql,
};

static const struct ask_config correct_ask = {
    .task = "sql_correction",
    .prompt = "sql_agent/sql_correction",
    .fields = {{"question", SLOT(SQL_AGENT_QUESTION)},
               {"asked", .make = make_asked},
               {"meant", .make = make_meant},
               {"sql", SLOT(SQL_AGENT_SQL)},
               {"error", SLOT(SQL_AGENT_LAST_SQL_ERROR)},
               {"schema", .make = sql_agent_correct_schema},
               {"relationships", .make = sql_agent_correct_relationships},
               {"join_plan", .make = sql_agent_plan_joins},
               {"values", .make = sql_agent_correct_values},
               {"examples", .make = sql_agent_plan_examples},
               {"history", .make = sql_agent_correct_history},
               {"dialect", .make = facts_dialect},
               {"naming", .make = facts_naming},
               {"scope", .make = schema_text_scope},
               {"today", .make = facts_today}},
    .answer = SQL_REPLY_FORM,
    .messages_slot = SLOT(SQL_AGENT_MESSAGES),
    .is_statement = true,
    .first = sql_agent_correct_first,
    .keep = sql_agent_correct_keep,
};

static const struct hold_config hold = {
    .question_slot = SLOT(SQL_AGENT_QUESTION),
    .sql_slot = SLOT(SQL_AGENT_SQL),
    .shown_slot = SLOT(SQL_AGENT_RESULT),
    .columns_slot = SLOT(SQL_AGENT_COLUMN_NAMES),
    .warnings_slot = SLOT(SQL_AGENT_WARNINGS),
};

static const struct ask_config answer_ask = {
    .task = "sql_answer",
    .prompt = "sql_agent/sql_answer",
    .fields = {{"question", SLOT(SQL_AGENT_QUESTION)},
               {"asked", .make = make_asked},
               {"meant", .make = make_meant},
               {"sql", SLOT(SQL_AGENT_SQL)},
               {"columns", SLOT(SQL_AGENT_COLUMN_NAMES)},
               {"result", .make = sql_agent_result_rows},
               {"row_count", .make = sql_agent_result_row_count},
               {"truncated", .make = sql_agent_result_truncated},
               {"warnings", SLOT(SQL_AGENT_WARNINGS)},
               {"language", .make = facts_language},
               {"units", .make = facts_units}},
    .final_channel = true,
    .warnings_slot = SLOT(SQL_AGENT_WARNINGS),
    .lead_slot = SLOT(SQL_AGENT_LEAD),
    .hold = &hold,
    .first = sql_agent_result_first,
    .output_slot = SLOT(SQL_AGENT_FINAL_ANSWER),
};

const struct check_sql_config sql_agent_check = {
    .sql_slot = SLOT(SQL_AGENT_SQL),
    .rewritten_slot = SLOT(SQL_AGENT_SECURE_SQL),
    .valid_slot = SLOT(SQL_AGENT_VALIDATED_SQL),
    .error_slot = SLOT(SQL_AGENT_LAST_SQL_ERROR),
    .list_slot = SLOT(SQL_AGENT_VALIDATION_ERRORS),
    .warnings_slot = SLOT(SQL_AGENT_WARNINGS),
    .repairs_slot = SLOT(SQL_AGENT_REPAIRS),
    .notes_slot = SLOT(SQL_AGENT_NOTES),
    .doubt_slot = SLOT(SQL_AGENT_DOUBT),
    .lead_slot = SLOT(SQL_AGENT_LEAD),
    .tries_slot = SLOT(SQL_AGENT_CORRECTION_ATTEMPTS),
    .tries_budget = CORRECTION,
    .tables_slot = SLOT(SQL_AGENT_TABLES_READ),
    .question_slot = SLOT(SQL_AGENT_QUESTION),
    .messages_slot = SLOT(SQL_AGENT_MESSAGES),
};

static const struct run_sql_config run = {
    .sql_slot = SLOT(SQL_AGENT_VALIDATED_SQL),
    .guard = &sql_agent_check,
    .generate = &generate_ask,
    .result_slot = SLOT(SQL_AGENT_STRUCTURED_RESULT),
    .shown_slot = SLOT(SQL_AGENT_RESULT),
    .error_slot = SLOT(SQL_AGENT_LAST_SQL_ERROR),
    .clear_error = true,
    .columns_slot = SLOT(SQL_AGENT_COLUMN_NAMES),
    .warnings_slot = SLOT(SQL_AGENT_WARNINGS),
    .timeout_slot = SLOT(SQL_AGENT_TIMED_OUT),
    .rivals_slot = SLOT(SQL_AGENT_RIVALS),
    .settle_rivals = settle_rivals,
    .after = look_at_rows,
};

static const char *route_validation(const struct state *state, const struct graph *graph)
{
    if (state_has(state, SQL_AGENT_REFUSAL))
        return "max_attempts";
    if (state_has(state, SQL_AGENT_VALIDATED_SQL))
        return "valid";
    return graph_budget_left(graph, state, CORRECTION) ? "invalid" : "max_attempts";
}

static const char *route_execution(const struct state *state, const struct graph *graph)
{
    if (state_has(state, SQL_AGENT_REFUSAL)) /* it has to be asked back */
        return "max_attempts";
    if (state_has(state, SQL_AGENT_TIMED_OUT)) /* the database has had enough of it */
        return "max_attempts";
    if (state_has(state, SQL_AGENT_LAST_SQL_ERROR))
        return graph_budget_left(graph, state, CORRECTION) ? "error" : "max_attempts";
    if (state_has(state, SQL_AGENT_EMPTY_REASON) && graph_budget_left(graph, state, EMPTY))
        return "empty";
    return "success";
}

static const struct graph_node nodes[] = {
    [SELECT] = {"table_selector", &sql_agent_select_node, &table_ask},
    [FILTER] = {"filter_relationships", &sql_agent_plan_filter_node},
    [PATHS] = {"path_finder", &sql_agent_plan_paths_node},
    [JOINS] = {"join_planner", &sql_agent_sample_node},
    [GENERATE] = {"sql_generator", &ask_node, &generate_ask},
    [REWRITE] = {"secure_rewriter", &check_sql_rewrite_node, &sql_agent_check},
    [VALIDATE] = {"pre_validation", &check_sql_node, &sql_agent_check, .route = route_validation,
                  .labels = {"valid", "invalid", "max_attempts"}},
    [EXECUTE] = {"executor", &run_sql_node, &run, .route = route_execution,
                 .labels = {"success", "error", "empty", "max_attempts"}},
    [CORRECT] = {"correction_agent", &ask_node, &correct_ask},
    [RESULT] = {"result", &ask_node, &answer_ask},
};

static const struct graph_edge edges[] = {
    {GRAPH_START, SELECT},
    {SELECT, FILTER},
    {FILTER, PATHS},
    {PATHS, JOINS},
    {JOINS, GENERATE},
    {GENERATE, REWRITE},
    {REWRITE, VALIDATE},
    {VALIDATE, EXECUTE, "valid"},
    {VALIDATE, CORRECT, "invalid", 1 + CORRECTION},
    {VALIDATE, RESULT, "max_attempts"},
    {CORRECT, REWRITE},
    {EXECUTE, RESULT, "success"},
    {EXECUTE, CORRECT, "error", 1 + CORRECTION},
    {EXECUTE, GENERATE, "empty", 1 + EMPTY},
    {EXECUTE, RESULT, "max_attempts"},
    {RESULT, GRAPH_END},
};

static const struct graph_budget budgets[] = {
    [CORRECTION] = {"correction", SLOT(SQL_AGENT_CORRECTION_ATTEMPTS),
                    SLOT(SQL_AGENT_LAST_SQL_ERROR), CORRECTION_MAX_ATTEMPTS},
    [EMPTY] = {"empty_result", SLOT(SQL_AGENT_RETRIES), SLOT(SQL_AGENT_EMPTY_REASON),
               EMPTY_MAX_RETRIES},
};

static void report(const struct state *state, struct buf *out)
{
    members_str(out, "sql", state_str(state, SQL_AGENT_VALIDATED_SQL));
    members_raw(out, "data", state_str(state, SQL_AGENT_STRUCTURED_RESULT));
    members_raw(out, "chart", state_str(state, SQL_AGENT_CHART));
    members_raw(out, "tables", state_str(state, SQL_AGENT_TABLES_READ));
    members_raw(out, "warnings", state_str(state, SQL_AGENT_WARNINGS));
    members_raw(out, "notes", state_str(state, SQL_AGENT_NOTES));
    members_str(out, "abstained", state_str(state, SQL_AGENT_REFUSAL));
    members_raw(out, "clarify", state_str(state, SQL_AGENT_CLARIFY));
}

const struct graph_def sql_agent_graph = {
    .name = "sql_agent",
    .purpose = "Answers questions from the database, with joins found by path and SQL repaired.",
    .schema = {slots, SQL_AGENT_SLOT_COUNT},
    .nodes = nodes,
    .node_count = countof(nodes),
    .edges = edges,
    .edge_count = countof(edges),
    .budgets = budgets,
    .budget_count = countof(budgets),
    .recursion_limit = FIRST_PASS + MAX_ITERATIONS,
    .report = report,
};

static const struct prompt_spec prompts[] = {
    {"sql_agent/table_selection", {"question", "schema"}},
    {"sql_agent/sql_generation",
     {"question", "schema", "relationships", "join_plan", "samples", "values", "examples", "error",
      "dialect", "naming", "scope", "queries", "today"}},
    {"sql_agent/sql_correction",
     {"question", "sql", "error", "schema", "relationships", "join_plan", "values", "examples",
      "history", "dialect", "naming", "scope", "today"}},
    {"nodes/sql_decision", {"question", "statements", "own", "today"}},
    {"sql_agent/sql_answer",
     {"question", "sql", "columns", "result", "row_count", "truncated", "warnings", "language",
      "units"}},
};

const struct registry_entry sql_agent_entry = {
    .def = &sql_agent_graph,
    .question = SQL_AGENT_QUESTION,
    .prompts = prompts,
    .prompt_count = countof(prompts),
    .first_pass = FIRST_PASS,
};
