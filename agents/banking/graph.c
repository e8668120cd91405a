/* SPDX-License-Identifier: MIT */
/* agents/banking/graph.c - tables of the banking assistant.
 *
 * Happy path: intent_agent, sql_agent, validation_agent, execution_tool, insight_agent.
 * Failure: a refused or failed statement goes back to sql_agent, two times in all; then the run
 * ends with error_message set. A model or database that cannot be reached ends it at once. */
#include "agents/banking/graph.h"

#include "agents/banking/state.h"
#include "agents/common/extract.h"
#include "agents/common/members.h"
#include "agents/nodes/ask.h"
#include "agents/nodes/chart.h"
#include "agents/nodes/check_sql.h"
#include "agents/nodes/facts.h"
#include "agents/nodes/hold.h"
#include "agents/nodes/mend.h"
#include "agents/nodes/run_sql.h"
#include "agents/nodes/schema_text.h"
#include "agents/nodes/take_sql.h"
#include "agents/nodes/values.h"
#include "agents/rows/shown.h"
#include "agents/semantic/prompt.h"
#include "agents/semantic_query/statement.h"

enum { INTENT, SQL, VALIDATE, EXECUTE, INSIGHT };
enum { RETRY };
enum { MAX_RETRY_COUNT = 2, SCHEMA_BYTES = 64 * 1024 };

static const struct slot slots[BANKING_SLOT_COUNT] = {
    [BANKING_USER_QUERY] = {"user_query", SLOT_TEXT, .writers = SLOT_WRITER_INPUT},
    [BANKING_INTERPRETED_INTENT] = {"interpreted_intent", SLOT_TEXT,
                                    .writers = SLOT_WRITER(INTENT)},
    [BANKING_GENERATED_SQL] = {"generated_sql", SLOT_TEXT,
                               .writers =
                                   SLOT_WRITER(SQL) | SLOT_WRITER(VALIDATE) | SLOT_WRITER(EXECUTE)},
    [BANKING_VALIDATED_SQL] = {"validated_sql", SLOT_TEXT,
                               .writers = SLOT_WRITER(VALIDATE) | SLOT_WRITER(EXECUTE)},
    [BANKING_EXECUTION_RESULT] = {"execution_result", SLOT_JSON, .writers = SLOT_WRITER(EXECUTE)},
    [BANKING_RETRY_COUNT] = {"retry_count", SLOT_INT, .writers = SLOT_WRITER_INPUT},
    [BANKING_ERROR_MESSAGE] = {"error_message", SLOT_TEXT,
                               .writers = SLOT_WRITER(VALIDATE) | SLOT_WRITER(EXECUTE)},
    [BANKING_SUMMARY] = {"summary", SLOT_TEXT, .writers = SLOT_WRITER(INSIGHT)},
    [BANKING_CHART_SUGGESTION] = {"chart_suggestion", SLOT_TEXT, .writers = SLOT_WRITER(INSIGHT)},
    [BANKING_CHART] = {"chart", SLOT_JSON, .writers = SLOT_WRITER(INSIGHT)},
    [BANKING_WARNINGS] = {"warnings", SLOT_JSON,
                          .writers =
                              SLOT_WRITER(VALIDATE) | SLOT_WRITER(EXECUTE) | SLOT_WRITER(INSIGHT)},
    [BANKING_REPAIRS] = {"repairs", SLOT_LIST, REDUCE_APPEND,
                         SLOT_WRITER(SQL) | SLOT_WRITER(VALIDATE)},
    [BANKING_DOUBT] = {"doubt", SLOT_TEXT, .writers = SLOT_WRITER(VALIDATE)},
    [BANKING_LEAD] = {"lead", SLOT_TEXT, .writers = SLOT_WRITER(VALIDATE) | SLOT_WRITER(EXECUTE)},
    [BANKING_TIMED_OUT] = {"timed_out", SLOT_BOOL, .writers = SLOT_WRITER(EXECUTE)},
    [BANKING_NOTES] = {"notes", SLOT_JSON, .writers = SLOT_WRITER(VALIDATE) | SLOT_WRITER(EXECUTE)},
    [BANKING_COLUMNS] = {"columns", SLOT_JSON, .writers = SLOT_WRITER(EXECUTE)},
    [BANKING_SHOWN] = {"shown", SLOT_JSON, .writers = SLOT_WRITER(EXECUTE)},
};

/* R60: the schema is fixed, not introspected when SQL is written; R61: Markdown. */
static const char schema[] =
    "## customers\n- id\n- name (text)\n- email (text)\n- created_at (date)\n\n"
    "## accounts\n- id\n- customer_id (references customers.id)\n- account_number (text)\n"
    "- balance (number)\n- created_at (date)\n\n"
    "## transactions\n- id\n- account_id (references accounts.id)\n"
    "- type (credit or debit)\n- amount (number)\n- created_at (date)\n";

enum { TABLES = 3 };

/* The tables of the schema that the database has. */
static size_t find_tables(struct node *node, int tables[TABLES])
{
    static const char *const names[TABLES] = {"customers", "accounts", "transactions"};
    const struct catalog *catalog = knowledge(node)->catalog;
    size_t count = 0;
    for (size_t i = 0; catalog != NULL && i < TABLES; i++) {
        tables[count] = catalog_find_dotted(catalog, str_of(names[i]));
        count += tables[count] != CATALOG_NONE;
    }
    return count;
}

/* The schema, and what semantic.json says of its tables. */
static struct str make_schema(struct node *node)
{
    const struct knowledge *knows = knowledge(node);
    int tables[TABLES];
    struct buf out;
    if (knows->semantic == NULL || knows->catalog == NULL)
        return str_of(schema);
    size_t count = find_tables(node, tables);
    buf_init(&out, SCHEMA_BYTES);
    buf_push(&out, str_of(schema));
    semantic_prompt_write_all(knows->semantic, knows->catalog, tables, count, facts_today(node),
                              &out);
    struct str text = buf_ok(&out) ? arena_str(node_arena(node), buf_str(&out)) : str_of(schema);
    buf_fini(&out);
    return text;
}

static struct str make_values(struct node *node)
{
    int tables[TABLES];
    return values_write(node, tables, find_tables(node, tables),
                        node_str(node, BANKING_USER_QUERY));
}

static struct str make_examples(struct node *node)
{
    int tables[TABLES];
    return schema_text_examples(node, node_str(node, BANKING_USER_QUERY), tables,
                                find_tables(node, tables));
}

static struct str make_rows(struct node *node)
{
    return rows_shown(node, BANKING_SHOWN, STR("rows"));
}

static struct str make_row_count(struct node *node)
{
    return rows_shown(node, BANKING_SHOWN, STR("row_count"));
}

static struct str make_truncated(struct node *node)
{
    return rows_shown(node, BANKING_SHOWN, STR("truncated"));
}

static enum step keep_sql(struct node *node, struct str answer)
{
    node_put_str(
        node, BANKING_GENERATED_SQL,
        take_sql(node, answer, node_str(node, BANKING_GENERATED_SQL), node_has(node, BANKING_DOUBT))
            .sql);
    return STEP_DONE;
}

/* The model's word where the rows allow it, else what they are best shown as. */
static void put_chart(struct node *node, struct str suggested)
{
    const char *name;
    struct str chart = chart_of_word(node, BANKING_EXECUTION_RESULT,
                                     node_str(node, BANKING_USER_QUERY), suggested, &name);
    node_put_str(node, BANKING_CHART_SUGGESTION, str_of(name));
    if (!str_is_absent(chart))
        node_put_str(node, BANKING_CHART, chart);
}

/* R69, R70: the two labelled lines, or all of it as the summary. */
static enum step keep_insight(struct node *node, struct str answer)
{
    struct str summary = extract_label(answer, "summary", "chart");
    struct str chart = extract_word(extract_label(answer, "chart", NULL));
    if (str_is_absent(summary)) {
        summary = str_trim(answer);
        chart = STR("table");
    }
    if (node_has(node, BANKING_LEAD))
        summary = arena_printf(node_arena(node), "%.*s %.*s", STR_ARG(node_str(node, BANKING_LEAD)),
                               STR_ARG(summary));
    node_put_str(node, BANKING_SUMMARY, summary);
    put_chart(node, chart);
    node_emit_token(node, EVENT_FINAL_CHANNEL, summary);
    return STEP_DONE;
}

static const struct ask_config intent_ask = {
    .task = "intent",
    .prompt = "banking/intent_prompt",
    .fields = {{"user_query", SLOT(BANKING_USER_QUERY)}},
    .zero_temperature = true,
    .output_slot = SLOT(BANKING_INTERPRETED_INTENT),
};

static const struct check_sql_config rules = {
    .banking = true,
    .sql_slot = SLOT(BANKING_GENERATED_SQL),
    .valid_slot = SLOT(BANKING_VALIDATED_SQL),
    .error_slot = SLOT(BANKING_ERROR_MESSAGE),
    .warnings_slot = SLOT(BANKING_WARNINGS),
    .repairs_slot = SLOT(BANKING_REPAIRS),
    .notes_slot = SLOT(BANKING_NOTES),
    .doubt_slot = SLOT(BANKING_DOUBT),
    .lead_slot = SLOT(BANKING_LEAD),
    .tries_slot = SLOT(BANKING_RETRY_COUNT),
    .tries_budget = RETRY,
    .question_slot = SLOT(BANKING_USER_QUERY),
};

/* A statement that was refused or failed is mended without the model where it can be; but no table
 * is taken for another, which may be none of the schema's. */
static enum step mend_first(struct node *node)
{
    struct sql_repair repair;
    return mend_sql(node, &rules, sql_repair_bit("tables"), &repair) ? STEP_DONE : STEP_WAIT;
}

/* The statement that failed; empty: this is the first. */
static struct str make_last_sql(struct node *node)
{
    return node_has(node, BANKING_ERROR_MESSAGE) ? node_str(node, BANKING_GENERATED_SQL) : STR("");
}

static const struct ask_config sql_ask = {
    .task = "sql_generation",
    .prompt = "banking/sql_prompt",
    .fields = {{"schema", .make = make_schema},
               {"intent", SLOT(BANKING_INTERPRETED_INTENT)},
               {"values", .make = make_values},
               {"examples", .make = make_examples},
               {"last_sql", .make = make_last_sql},
               {"error_message", SLOT(BANKING_ERROR_MESSAGE)},
               {"dialect", .make = facts_dialect},
               {"naming", .make = facts_naming},
               {"scope", .make = schema_text_scope},
               {"queries", .make = semantic_query_rule},
               {"today", .make = facts_today},
               {"question", SLOT(BANKING_USER_QUERY)}},
    .zero_temperature = true,
    .first = mend_first,
    .is_statement = true,
    .keep = keep_sql,
};

static const struct hold_config hold = {
    .question_slot = SLOT(BANKING_USER_QUERY),
    .sql_slot = SLOT(BANKING_VALIDATED_SQL),
    .shown_slot = SLOT(BANKING_SHOWN),
    .columns_slot = SLOT(BANKING_COLUMNS),
    .warnings_slot = SLOT(BANKING_WARNINGS),
};

static const struct ask_config insight_ask = {
    .task = "insight",
    .prompt = "banking/insight_prompt",
    .fields = {{"sql", SLOT(BANKING_GENERATED_SQL)}, /* C27: as it was written, by logical names */
               {"columns", SLOT(BANKING_COLUMNS)},
               {"result", .make = make_rows},
               {"row_count", .make = make_row_count},
               {"truncated", .make = make_truncated},
               {"warnings", SLOT(BANKING_WARNINGS)},
               {"question", SLOT(BANKING_USER_QUERY)},
               {"language", .make = facts_language},
               {"units", .make = facts_units}},
    .zero_temperature = true,
    .warnings_slot = SLOT(BANKING_WARNINGS),
    .hold = &hold,
    .keep = keep_insight,
};

static const struct run_sql_config run_limits = {
    .sql_slot = SLOT(BANKING_VALIDATED_SQL),
    .guard = &rules,
    .generate = &sql_ask,
    .result_slot = SLOT(BANKING_EXECUTION_RESULT),
    .error_slot = SLOT(BANKING_ERROR_MESSAGE),
    .clear_sql = true,
    .warnings_slot = SLOT(BANKING_WARNINGS),
    .timeout_slot = SLOT(BANKING_TIMED_OUT),
    .error_in_result = true,
    .columns_slot = SLOT(BANKING_COLUMNS),
    .shown_slot = SLOT(BANKING_SHOWN),
};

/* R17, with C2's reading of the unclear case: neither SQL nor error ends the run; and what the
 * model says it cannot do is not asked again. */
static const char *should_retry(const struct state *state, const struct graph *graph)
{
    bool failed = state_has(state, BANKING_ERROR_MESSAGE);
    if (state_has(state, BANKING_VALIDATED_SQL) && !failed)
        return "execution_tool";
    const bool is_refused =
        !str_is_absent(extract_refusal(state_str(state, BANKING_GENERATED_SQL)));
    return failed && !is_refused && graph_budget_left(graph, state, RETRY) ? "sql_agent"
                                                                           : "end_failure";
}

/* R18; R45 lets a timeout end the run: the database has had enough of it. */
static const char *should_retry_after_execution(const struct state *state,
                                                const struct graph *graph)
{
    if (!state_has(state, BANKING_ERROR_MESSAGE))
        return "insight_agent";
    if (state_has(state, BANKING_TIMED_OUT))
        return "end_failure";
    return graph_budget_left(graph, state, RETRY) ? "sql_agent" : "end_failure";
}

static const struct graph_node nodes[] = {
    [INTENT] = {"intent_agent", &ask_node, &intent_ask},
    [SQL] = {"sql_agent", &ask_node, &sql_ask},
    [VALIDATE] = {"validation_agent", &check_sql_node, &rules, .route = should_retry,
                  .labels = {"sql_agent", "execution_tool", "end_failure"}},
    [EXECUTE] = {"execution_tool", &run_sql_node, &run_limits,
                 .route = should_retry_after_execution,
                 .labels = {"sql_agent", "insight_agent", "end_failure"}, .tool = true},
    [INSIGHT] = {"insight_agent", &ask_node, &insight_ask},
};

static const struct graph_edge edges[] = {
    {GRAPH_START, INTENT},
    {INTENT, SQL},
    {SQL, VALIDATE},
    {VALIDATE, EXECUTE, "execution_tool"},
    {VALIDATE, SQL, "sql_agent", 1 + RETRY},
    {VALIDATE, GRAPH_END, "end_failure"},
    {EXECUTE, INSIGHT, "insight_agent"},
    {EXECUTE, SQL, "sql_agent", 1 + RETRY},
    {EXECUTE, GRAPH_END, "end_failure"},
    {INSIGHT, GRAPH_END},
};

static const struct graph_budget budgets[] = {
    [RETRY] = {"retry", SLOT(BANKING_RETRY_COUNT), SLOT(BANKING_ERROR_MESSAGE), MAX_RETRY_COUNT},
};

static void report(const struct state *state, struct buf *out)
{
    members_str(out, "sql", state_str(state, BANKING_VALIDATED_SQL));
    if (!state_has(state, BANKING_ERROR_MESSAGE))
        members_raw(out, "data", state_str(state, BANKING_EXECUTION_RESULT));
    members_str(out, "summary", state_str(state, BANKING_SUMMARY));
    members_raw(out, "chart", state_str(state, BANKING_CHART));
    members_raw(out, "warnings", state_str(state, BANKING_WARNINGS));
    members_raw(out, "notes", state_str(state, BANKING_NOTES));
}

static const char *failure(const struct state *state, struct str *message)
{
    if (!state_has(state, BANKING_ERROR_MESSAGE))
        return NULL;
    *message = state_str(state, BANKING_ERROR_MESSAGE);
    return state_has(state, BANKING_EXECUTION_RESULT) ? "sql_failed" : "sql_rejected";
}

/* Put the fields that a run begins with besides its question (R19, R47, R53). */
static void begin(const struct registry_entry *entry UNUSED, struct update *input,
                  const struct session *session UNUSED)
{
    update_put_int(input, BANKING_RETRY_COUNT, 0);
}

static const struct graph_def graph = {
    .name = "banking",
    .purpose = "Answers questions about customers, accounts and transactions.",
    .schema = {slots, BANKING_SLOT_COUNT},
    .nodes = nodes,
    .node_count = countof(nodes),
    .edges = edges,
    .edge_count = countof(edges),
    .budgets = budgets,
    .budget_count = countof(budgets),
    .report = report,
    .failure = failure,
};

static const struct prompt_spec prompts[] = {
    {"banking/intent_prompt", {"user_query"}},
    {"banking/sql_prompt",
     {"schema", "intent", "values", "examples", "last_sql", "error_message", "dialect", "naming",
      "scope", "queries", "today", "question"}},
    {"banking/insight_prompt",
     {"sql", "columns", "result", "row_count", "truncated", "warnings", "question",
      "language", "units"}},
};

static const struct str tables[] = {STR("customers"), STR("accounts"), STR("transactions")};

const struct registry_entry banking_entry = {
    .def = &graph,
    .tables = tables,
    .table_count = countof(tables),
    .question = BANKING_USER_QUERY,
    .begin = begin,
    .answer = banking_write_answer,
    .prompts = prompts,
    .prompt_count = countof(prompts),
};
