/* SPDX-License-Identifier: MIT */
/* agents/text_to_sql/graph.c - tables of the text-to-SQL graph.
 *
 * Happy path: retrieval, sql_generator, validator, executor, responder.
 * Failure: a statement the guard refuses goes through increment_retry back to sql_generator, twice;
 * then, as after an error of the database (C5), the responder explains what went wrong and the run
 * completes. A model or database that cannot be reached ends it. A table nobody knows is a warning
 * (R84): the database has the last word. */
#include "agents/common/extract.h"
#include "agents/common/members.h"
#include "agents/gather/gather.h"
#include "agents/nodes/ask.h"
#include "agents/nodes/check_sql.h"
#include "agents/nodes/facts.h"
#include "agents/nodes/hold.h"
#include "agents/nodes/mend.h"
#include "agents/nodes/run_sql.h"
#include "agents/nodes/schema_text.h"
#include "agents/nodes/take_sql.h"
#include "agents/semantic_query/statement.h"
#include "agents/services/registry_entry.h"
#include "agents/text_to_sql/respond.h"
#include "agents/text_to_sql/state.h"

enum { RETRIEVE, GENERATE, VALIDATE, EXECUTE, INCREMENT, RESPOND };
enum { RETRY };
enum { MAX_RETRIES = 2 };

static const struct slot slots[TEXT_TO_SQL_SLOT_COUNT] = {
    [TEXT_TO_SQL_MESSAGES] = {"messages", SLOT_LIST, REDUCE_APPEND,
                              SLOT_WRITER(RETRIEVE) | SLOT_WRITER(RESPOND), .passing = true},
    [TEXT_TO_SQL_QUESTION] = {"question", SLOT_TEXT, .writers = SLOT_WRITER_INPUT},
    [TEXT_TO_SQL_SQL_PAIRS] = {"sql_pairs", SLOT_JSON, .writers = SLOT_WRITER(RETRIEVE)},
    [TEXT_TO_SQL_METADATA] = {"metadata", SLOT_JSON, .writers = SLOT_WRITER(RETRIEVE)},
    [TEXT_TO_SQL_DATABASE_INFO] = {"database_info", SLOT_TEXT, .writers = SLOT_WRITER(RETRIEVE)},
    [TEXT_TO_SQL_GENERATED_SQL] = {"generated_sql", SLOT_TEXT,
                                   .writers = SLOT_WRITER(GENERATE) | SLOT_WRITER(VALIDATE) |
                                              SLOT_WRITER(EXECUTE)},
    [TEXT_TO_SQL_SQL_EXPLANATION] = {"sql_explanation", SLOT_TEXT,
                                     .writers = SLOT_WRITER(GENERATE) | SLOT_WRITER(EXECUTE)},
    [TEXT_TO_SQL_IS_VALID] = {"is_valid", SLOT_BOOL, .writers = SLOT_WRITER(VALIDATE)},
    [TEXT_TO_SQL_VALIDATION_ERRORS] = {"validation_errors", SLOT_JSON,
                                       .writers = SLOT_WRITER(VALIDATE)},
    [TEXT_TO_SQL_VALIDATION_WARNINGS] = {"validation_warnings", SLOT_JSON,
                                         .writers = SLOT_WRITER(VALIDATE) | SLOT_WRITER(EXECUTE) |
                                                    SLOT_WRITER(RESPOND)},
    [TEXT_TO_SQL_EXECUTED] = {"executed", SLOT_BOOL, .writers = SLOT_WRITER(EXECUTE)},
    [TEXT_TO_SQL_RESULTS] = {"results", SLOT_JSON, .writers = SLOT_WRITER(EXECUTE)},
    [TEXT_TO_SQL_ROW_COUNT] = {"row_count", SLOT_INT, .writers = SLOT_WRITER(EXECUTE)},
    [TEXT_TO_SQL_COLUMNS] = {"columns", SLOT_JSON, .writers = SLOT_WRITER(EXECUTE)},
    [TEXT_TO_SQL_EXECUTION_ERROR] = {"execution_error", SLOT_TEXT, .writers = SLOT_WRITER(EXECUTE)},
    [TEXT_TO_SQL_NATURAL_LANGUAGE_RESPONSE] = {"natural_language_response", SLOT_TEXT,
                                               .writers = SLOT_WRITER(RESPOND)},
    [TEXT_TO_SQL_SESSION_ID] = {"session_id", SLOT_TEXT, .writers = SLOT_WRITER_INPUT},
    [TEXT_TO_SQL_RETRY_COUNT] = {"retry_count", SLOT_INT,
                                 .writers = SLOT_WRITER_INPUT | SLOT_WRITER(INCREMENT)},
    [TEXT_TO_SQL_VALIDATED_SQL] = {"validated_sql", SLOT_TEXT,
                                   .writers = SLOT_WRITER(VALIDATE) | SLOT_WRITER(EXECUTE)},
    [TEXT_TO_SQL_REASON] = {"reason", SLOT_TEXT, .writers = SLOT_WRITER(VALIDATE)},
    [TEXT_TO_SQL_TABLES] = {"tables", SLOT_JSON,
                            .writers = SLOT_WRITER(VALIDATE) | SLOT_WRITER(EXECUTE)},
    [TEXT_TO_SQL_REFUSAL] = {"refusal", SLOT_TEXT, .writers = SLOT_WRITER(GENERATE)},
    [TEXT_TO_SQL_RETRIEVAL_WARNING] = {"retrieval_warning", SLOT_TEXT,
                                       .writers = SLOT_WRITER(RETRIEVE)},
    [TEXT_TO_SQL_VALUES] = {"values", SLOT_TEXT, .writers = SLOT_WRITER(RETRIEVE)},
    [TEXT_TO_SQL_EXAMPLES] = {"examples", SLOT_TEXT, .writers = SLOT_WRITER(RETRIEVE)},
    [TEXT_TO_SQL_REPAIRS] = {"repairs", SLOT_LIST, REDUCE_APPEND,
                             SLOT_WRITER(GENERATE) | SLOT_WRITER(VALIDATE)},
    [TEXT_TO_SQL_DOUBT] = {"doubt", SLOT_TEXT, .writers = SLOT_WRITER(VALIDATE)},
    [TEXT_TO_SQL_LEAD] = {"lead", SLOT_TEXT,
                          .writers = SLOT_WRITER(VALIDATE) | SLOT_WRITER(EXECUTE)},
    [TEXT_TO_SQL_NOTES] = {"notes", SLOT_JSON,
                           .writers = SLOT_WRITER(VALIDATE) | SLOT_WRITER(EXECUTE)},
    [TEXT_TO_SQL_SHOWN] = {"shown", SLOT_JSON, .writers = SLOT_WRITER(EXECUTE)},
};

static const struct gather_config retrieval = {
    .question_slot = SLOT(TEXT_TO_SQL_QUESTION),
    .messages_slot = SLOT(TEXT_TO_SQL_MESSAGES),
    .pairs_slot = SLOT(TEXT_TO_SQL_SQL_PAIRS),
    .metadata_slot = SLOT(TEXT_TO_SQL_METADATA),
    .schema_slot = SLOT(TEXT_TO_SQL_DATABASE_INFO),
    .values_slot = SLOT(TEXT_TO_SQL_VALUES),
    .examples_slot = SLOT(TEXT_TO_SQL_EXAMPLES),
    .warning_slot = SLOT(TEXT_TO_SQL_RETRIEVAL_WARNING),
};

/* R83: the statement of the block, and what is said around it. */
static enum step keep_sql(struct node *node, struct str answer)
{
    const struct taken_sql taken = take_sql(node, answer, node_str(node, TEXT_TO_SQL_GENERATED_SQL),
                                            node_has(node, TEXT_TO_SQL_DOUBT));
    node_put_str(node, TEXT_TO_SQL_GENERATED_SQL, taken.sql);
    if (!str_is_absent(taken.refusal)) {
        node_put_str(node, TEXT_TO_SQL_REFUSAL, taken.refusal);
        return STEP_DONE;
    }
    struct str explanation = extract_explanation(answer);
    if (explanation.len > 0)
        node_put_str(node, TEXT_TO_SQL_SQL_EXPLANATION, explanation);
    else
        node_clear(node, TEXT_TO_SQL_SQL_EXPLANATION);
    return STEP_DONE;
}

/* R86. */
static enum step increment_retry(struct node *node)
{
    node_put_int(node, TEXT_TO_SQL_RETRY_COUNT, node_int(node, TEXT_TO_SQL_RETRY_COUNT) + 1);
    return STEP_DONE;
}

static const struct graph_node_type increment_node = {.enter = increment_retry};

static const struct check_sql_config check = {
    .sql_slot = SLOT(TEXT_TO_SQL_GENERATED_SQL),
    .valid_slot = SLOT(TEXT_TO_SQL_VALIDATED_SQL),
    .error_slot = SLOT(TEXT_TO_SQL_REASON),
    .list_slot = SLOT(TEXT_TO_SQL_VALIDATION_ERRORS),
    .warnings_slot = SLOT(TEXT_TO_SQL_VALIDATION_WARNINGS),
    .flag_slot = SLOT(TEXT_TO_SQL_IS_VALID),
    .tables_slot = SLOT(TEXT_TO_SQL_TABLES),
    .question_slot = SLOT(TEXT_TO_SQL_QUESTION),
    .messages_slot = SLOT(TEXT_TO_SQL_MESSAGES),
    .repairs_slot = SLOT(TEXT_TO_SQL_REPAIRS),
    .notes_slot = SLOT(TEXT_TO_SQL_NOTES),
    .doubt_slot = SLOT(TEXT_TO_SQL_DOUBT),
    .lead_slot = SLOT(TEXT_TO_SQL_LEAD),
    .tries_slot = SLOT(TEXT_TO_SQL_RETRY_COUNT),
    .tries_budget = RETRY,
    .warn_unknown_table = true,
};

/* A statement that was refused is mended without the model where it can be. */
static enum step mend_first(struct node *node)
{
    struct sql_repair repair;
    return mend_sql(node, &check, 0, &repair) ? STEP_DONE : STEP_WAIT;
}

static const struct ask_config generate_ask = {
    .task = "sql_generation",
    .prompt = "text_to_sql/sql_generator",
    .fields = {{"question", SLOT(TEXT_TO_SQL_QUESTION)},
               {"sql_pairs", SLOT(TEXT_TO_SQL_SQL_PAIRS)},
               {"metadata", SLOT(TEXT_TO_SQL_METADATA)},
               {"schema", SLOT(TEXT_TO_SQL_DATABASE_INFO)},
               {"values", SLOT(TEXT_TO_SQL_VALUES)},
               {"examples", SLOT(TEXT_TO_SQL_EXAMPLES)},
               {"last_sql", SLOT(TEXT_TO_SQL_GENERATED_SQL)},
               {"error_message", SLOT(TEXT_TO_SQL_REASON)},
               {"dialect", .make = facts_dialect},
               {"naming", .make = facts_naming},
               {"scope", .make = schema_text_scope},
               {"queries", .make = semantic_query_rule},
               {"today", .make = facts_today}},
    .messages_slot = SLOT(TEXT_TO_SQL_MESSAGES),
    .first = mend_first,
    .is_statement = true,
    .keep = keep_sql,
};

static const struct hold_config hold = {
    .question_slot = SLOT(TEXT_TO_SQL_QUESTION),
    .sql_slot = SLOT(TEXT_TO_SQL_GENERATED_SQL),
    .shown_slot = SLOT(TEXT_TO_SQL_SHOWN),
    .columns_slot = SLOT(TEXT_TO_SQL_COLUMNS),
    .warnings_slot = SLOT(TEXT_TO_SQL_VALIDATION_WARNINGS),
};

static const struct ask_config respond_ask = {
    .task = "sql_response",
    .prompt = "text_to_sql/responder",
    .fields = {{"question", SLOT(TEXT_TO_SQL_QUESTION)},
               {"sql", SLOT(TEXT_TO_SQL_GENERATED_SQL)},
               {"status", .make = text_to_sql_respond_status},
               {"error", .make = text_to_sql_respond_error},
               {"columns", SLOT(TEXT_TO_SQL_COLUMNS)},
               {"result", .make = text_to_sql_respond_rows},
               {"row_count", .make = text_to_sql_respond_row_count},
               {"truncated", .make = text_to_sql_respond_truncated},
               {"warnings", SLOT(TEXT_TO_SQL_VALIDATION_WARNINGS)},
               {"language", .make = facts_language},
               {"units", .make = facts_units}},
    .final_channel = true,
    .messages_slot = SLOT(TEXT_TO_SQL_MESSAGES),
    .warnings_slot = SLOT(TEXT_TO_SQL_VALIDATION_WARNINGS),
    .lead_slot = SLOT(TEXT_TO_SQL_LEAD),
    .hold = &hold,
    .first = text_to_sql_respond_first,
    .keep = text_to_sql_respond_keep,
};

/* The model explained its own statement. */
static void drop_explanation(struct node *node, const struct run_sql_done *done)
{
    if (done->is_replaced)
        node_clear(node, TEXT_TO_SQL_SQL_EXPLANATION);
}

static const struct run_sql_config run = {
    .sql_slot = SLOT(TEXT_TO_SQL_VALIDATED_SQL),
    .guard = &check,
    .generate = &generate_ask,
    .result_slot = SLOT(TEXT_TO_SQL_RESULTS),
    .shown_slot = SLOT(TEXT_TO_SQL_SHOWN),
    .error_slot = SLOT(TEXT_TO_SQL_EXECUTION_ERROR),
    .clear_error = true,
    .columns_slot = SLOT(TEXT_TO_SQL_COLUMNS),
    .done_slot = SLOT(TEXT_TO_SQL_EXECUTED),
    .count_slot = SLOT(TEXT_TO_SQL_ROW_COUNT),
    .after = drop_explanation,
    .warnings_slot = SLOT(TEXT_TO_SQL_VALIDATION_WARNINGS),
};

/* Labels of the edges in a picture of the graph. */
#define VALID   "is_valid = True"
#define INVALID "is_valid = False"
#define AGAIN   "retry_count <= MAX_RETRIES"
#define ENOUGH  "retry_count > MAX_RETRIES"

static const char *should_execute(const struct state *state, const struct graph *graph)
{
    (void)graph;
    return state_bool(state, TEXT_TO_SQL_IS_VALID) ? VALID : INVALID;
}

/* C1: the node has counted already, so two retries are two when the limit itself still passes. What
 * the model says it cannot do is not asked again. */
static const char *should_retry(const struct state *state, const struct graph *graph)
{
    if (state_has(state, TEXT_TO_SQL_REFUSAL))
        return ENOUGH;
    return graph_budget_left(graph, state, RETRY) ? AGAIN : ENOUGH;
}

static const struct graph_node nodes[] = {
    [RETRIEVE] = {"retrieval", &gather_node, &retrieval},
    [GENERATE] = {"sql_generator", &ask_node, &generate_ask},
    [VALIDATE] = {"validator", &check_sql_node, &check, .route = should_execute,
                  .labels = {VALID, INVALID}},
    [EXECUTE] = {"executor", &run_sql_node, &run, .tool = true},
    [INCREMENT] = {"increment_retry", &increment_node, .route = should_retry,
                   .labels = {AGAIN, ENOUGH}},
    [RESPOND] = {"responder", &ask_node, &respond_ask},
};

static const struct graph_edge edges[] = {
    {GRAPH_START, RETRIEVE},
    {RETRIEVE, GENERATE},
    {GENERATE, VALIDATE},
    {VALIDATE, EXECUTE, VALID},
    {VALIDATE, INCREMENT, INVALID},
    {EXECUTE, RESPOND},
    {INCREMENT, GENERATE, AGAIN, 1 + RETRY},
    {INCREMENT, RESPOND, ENOUGH},
    {RESPOND, GRAPH_END},
};

static const struct graph_budget budgets[] = {
    [RETRY] = {"retry", SLOT(TEXT_TO_SQL_RETRY_COUNT), SLOT(TEXT_TO_SQL_REASON), MAX_RETRIES,
               .counted_by_node = true},
};

static void report(const struct state *state, struct buf *out)
{
    members_str(out, "sql", state_str(state, TEXT_TO_SQL_VALIDATED_SQL));
    if (state_bool(state, TEXT_TO_SQL_EXECUTED))
        members_raw(out, "data", state_str(state, TEXT_TO_SQL_RESULTS));
    members_raw(out, "tables", state_str(state, TEXT_TO_SQL_TABLES));
    members_raw(out, "warnings", state_str(state, TEXT_TO_SQL_VALIDATION_WARNINGS));
    members_raw(out, "notes", state_str(state, TEXT_TO_SQL_NOTES));
    members_str(out, "retrieval_warning", state_str(state, TEXT_TO_SQL_RETRIEVAL_WARNING));
    members_str(out, "explanation", state_str(state, TEXT_TO_SQL_SQL_EXPLANATION));
    members_str(out, "execution_error", state_str(state, TEXT_TO_SQL_EXECUTION_ERROR));
    if (!state_has(state, TEXT_TO_SQL_REFUSAL))
        members_raw(out, "validation_errors", state_str(state, TEXT_TO_SQL_VALIDATION_ERRORS));
    members_str(out, "abstained", state_str(state, TEXT_TO_SQL_REFUSAL));
}

static void begin(const struct registry_entry *entry UNUSED, struct update *input,
                  const struct session *session)
{
    update_put_int(input, TEXT_TO_SQL_RETRY_COUNT, 0);
    if (!str_is_absent(session->caller.conversation_id))
        update_put_str(input, TEXT_TO_SQL_SESSION_ID, session->caller.conversation_id);
}

static const struct graph_def graph = {
    .name = "text_to_sql",
    .purpose = "Writes SQL from a question and similar ones, runs it, and explains the rows.",
    .schema = {slots, TEXT_TO_SQL_SLOT_COUNT},
    .nodes = nodes,
    .node_count = countof(nodes),
    .edges = edges,
    .edge_count = countof(edges),
    .budgets = budgets,
    .budget_count = countof(budgets),
    .report = report,
};

static const struct prompt_spec prompts[] = {
    {"text_to_sql/sql_generator",
     {"question", "sql_pairs", "metadata", "schema", "values", "examples", "last_sql",
      "error_message", "dialect", "naming", "scope", "queries", "today"}},
    {"text_to_sql/responder",
     {"question", "sql", "status", "error", "columns", "result", "row_count", "truncated",
      "warnings", "language", "units"}},
};

const struct registry_entry text_to_sql_entry = {
    .def = &graph,
    .question = TEXT_TO_SQL_QUESTION,
    .begin = begin,
    .prompts = prompts,
    .prompt_count = countof(prompts),
};
