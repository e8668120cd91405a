/* SPDX-License-Identifier: MIT */
/* agents/data_agent/graph.c - tables of the data agent.
 *
 * Happy path: a turn asks for tables and values, the next for a statement, another for a second one
 * that checks the first; the last turn answers and cites its statements.
 * Failure: a model that fails ends the run; a spent budget ends in an answer with what there is. */
#include "agents/data_agent/graph.h"

#include "agents/agent/calls.h"
#include "agents/agent/turn.h"
#include "agents/common/members.h"
#include "agents/data_agent/state.h"
#include "agents/nodes/check_sql.h"
#include "agents/nodes/facts.h"
#include "agents/nodes/remember.h"
#include "agents/nodes/schema_text.h"

enum { TURN, CALLS, ASK };
enum { TURNS, LAST_TURNS };
enum { MAX_TURNS = 14, RECURSION = 2 * (MAX_TURNS + 2) + 2 };

static const struct slot slots[DATA_AGENT_SLOT_COUNT] = {
    [DATA_AGENT_QUESTION] = {"question", SLOT_TEXT, .writers = SLOT_WRITER_INPUT},
    [DATA_AGENT_ANSWER] = {"final_answer", SLOT_TEXT,
                           .writers = SLOT_WRITER(TURN) | SLOT_WRITER(CALLS)},
    [DATA_AGENT_STRUCTURED_RESULT] = {"structured_result", SLOT_JSON,
                                      .writers = SLOT_WRITER(CALLS)},
    [DATA_AGENT_SQL] = {"sql", SLOT_TEXT, .writers = SLOT_WRITER(CALLS)},
    [DATA_AGENT_TABLES] = {"tables", SLOT_JSON, .writers = SLOT_WRITER(CALLS)},
    [DATA_AGENT_CHART] = {"chart", SLOT_JSON, .writers = SLOT_WRITER(CALLS)},
    [DATA_AGENT_CLARIFY] = {"clarify", SLOT_JSON, .writers = SLOT_WRITER(CALLS)},
    [DATA_AGENT_PASSAGES] = {"passages", SLOT_LIST, REDUCE_APPEND, SLOT_WRITER(CALLS)},
    [DATA_AGENT_CITATIONS] = {"citations", SLOT_JSON, .writers = SLOT_WRITER(TURN)},
    [DATA_AGENT_STATEMENTS] = {"statements", SLOT_LIST, REDUCE_APPEND, SLOT_WRITER(CALLS)},
    [DATA_AGENT_TRANSCRIPT] = {"transcript", SLOT_LIST, REDUCE_APPEND,
                               SLOT_WRITER(TURN) | SLOT_WRITER(CALLS)},
    [DATA_AGENT_MESSAGES] = {"messages", SLOT_LIST, REDUCE_APPEND, SLOT_WRITER_INPUT,
                             .passing = true},
    [DATA_AGENT_PENDING] = {"pending_calls", SLOT_INT, .writers = SLOT_WRITER(TURN)},
    [DATA_AGENT_CALLED] = {"calls", SLOT_INT, REDUCE_ADD, SLOT_WRITER(CALLS)},
    [DATA_AGENT_TOKENS] = {"tokens", SLOT_INT, REDUCE_ADD, SLOT_WRITER(TURN)},
    [DATA_AGENT_MS] = {"ms", SLOT_INT, REDUCE_ADD, SLOT_WRITER(TURN) | SLOT_WRITER(CALLS)},
    [DATA_AGENT_REASON] = {"spent", SLOT_TEXT, .writers = SLOT_WRITER(CALLS)},
    [DATA_AGENT_TURNS] = {"turns", SLOT_INT, .writers = SLOT_WRITER_INPUT},
    [DATA_AGENT_LAST_TURNS] = {"last_turns", SLOT_INT, .writers = SLOT_WRITER_INPUT},
};

static const struct check_sql_config guard = {.banking = false};

static const char *const tools[] = {"list_tables", "describe_tables", "find_values", "join_path",
                                    "explain_sql", "run_sql",         "calculate",   "search_docs",
                                    "draw_chart",  "ask_user",        NULL};

static const struct agent_config agent = {
    .ask =
        {
            .task = "data_agent",
            .prompt = "data_agent/data_agent",
            .fields = {{"question", SLOT(DATA_AGENT_QUESTION)},
                       {"dialect", .make = facts_dialect},
                       {"naming", .make = facts_naming},
                       {"scope", .make = schema_text_scope},
                       {"today", .make = facts_today}},
            .final_channel = true,
            .messages_slot = SLOT(DATA_AGENT_MESSAGES),
        },
    .tools = tools,
    .with_client_tools = true,
    .guard = &guard,
    .turns_budget = TURNS,
    .most_tokens = 400000,
    .most_ms = 180000,
    .question_slot = SLOT(DATA_AGENT_QUESTION),
    .transcript_slot = SLOT(DATA_AGENT_TRANSCRIPT),
    .pending_slot = SLOT(DATA_AGENT_PENDING),
    .called_slot = SLOT(DATA_AGENT_CALLED),
    .tokens_slot = SLOT(DATA_AGENT_TOKENS),
    .ms_slot = SLOT(DATA_AGENT_MS),
    .reason_slot = SLOT(DATA_AGENT_REASON),
    .answer_slot = SLOT(DATA_AGENT_ANSWER),
    .statements_slot = SLOT(DATA_AGENT_STATEMENTS),
    .sql_slot = SLOT(DATA_AGENT_SQL),
    .data_slot = SLOT(DATA_AGENT_STRUCTURED_RESULT),
    .tables_slot = SLOT(DATA_AGENT_TABLES),
    .chart_slot = SLOT(DATA_AGENT_CHART),
    .clarify_slot = SLOT(DATA_AGENT_CLARIFY),
    .passages_slot = SLOT(DATA_AGENT_PASSAGES),
    .citations_slot = SLOT(DATA_AGENT_CITATIONS),
};

static const char *route_turn(const struct state *state, const struct graph *graph UNUSED)
{
    return agent_turn_route(&agent, state);
}

static const char *route_calls(const struct state *state, const struct graph *graph UNUSED)
{
    return agent_calls_route(&agent, state);
}

/* The question back is the answer: nobody has said it yet. */
static enum step ask_enter_user(struct node *node)
{
    node_emit_token(node, EVENT_FINAL_CHANNEL, node_str(node, DATA_AGENT_ANSWER));
    return STEP_DONE;
}

static const struct graph_node_type ask_user_node = {.enter = ask_enter_user};

static const struct graph_node nodes[] = {
    [TURN] = {"agent", &agent_turn_node, &agent, .route = route_turn, .labels = {"tools", "done"}},
    [CALLS] = {"tools", &agent_calls_node, &agent, .route = route_calls,
               .labels = {"again", "spent", "asked"}},
    [ASK] = {"ask_user", &ask_user_node},
};

static const struct graph_edge edges[] = {
    {GRAPH_START, TURN},
    {TURN, CALLS, "tools"},
    {TURN, GRAPH_END, "done"},
    {CALLS, TURN, "again", 1 + TURNS},
    {CALLS, TURN, "spent", 1 + LAST_TURNS},
    {CALLS, ASK, "asked"},
    {ASK, GRAPH_END},
};

static const struct graph_budget budgets[] = {
    [TURNS] = {"turns", SLOT(DATA_AGENT_TURNS), .limit = MAX_TURNS, .is_turn = true},
    [LAST_TURNS] = {"last_turn", SLOT(DATA_AGENT_LAST_TURNS), SLOT(DATA_AGENT_REASON), 1},
};

static void report(const struct state *state, struct buf *out)
{
    members_str(out, "sql", state_str(state, DATA_AGENT_SQL));
    members_raw(out, "data", state_str(state, DATA_AGENT_STRUCTURED_RESULT));
    members_raw(out, "chart", state_str(state, DATA_AGENT_CHART));
    members_raw(out, "tables", state_str(state, DATA_AGENT_TABLES));
    members_raw(out, "citations", state_str(state, DATA_AGENT_CITATIONS));
    members_raw(out, "clarify", state_str(state, DATA_AGENT_CLARIFY));
    members_str(out, "spent", state_str(state, DATA_AGENT_REASON));
    agent_calls_report(state, DATA_AGENT_STATEMENTS, out);
}

const struct graph_def data_agent_graph = {
    .name = "data_agent",
    .purpose = "Explores the database with tools, runs several statements, checks itself, and "
               "answers with the statements it used.",
    .schema = {slots, DATA_AGENT_SLOT_COUNT},
    .nodes = nodes,
    .node_count = countof(nodes),
    .edges = edges,
    .edge_count = countof(edges),
    .budgets = budgets,
    .budget_count = countof(budgets),
    .recursion_limit = RECURSION,
    .report = report,
};

static const struct prompt_spec prompts[] = {
    {"data_agent/data_agent", {"question", "dialect", "naming", "scope", "today"}},
};

const struct registry_entry data_agent_entry = {
    .def = &data_agent_graph,
    .question = DATA_AGENT_QUESTION,
    .needs_model = true,
    .takes_client_tools = true,
    .prompts = prompts,
    .prompt_count = countof(prompts),
};
