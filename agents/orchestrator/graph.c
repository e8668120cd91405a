/* SPDX-License-Identifier: MIT */
/* agents/orchestrator/graph.c - tables and small nodes of the orchestrator.
 *
 * Happy path: load_checkpoint merges what was said before with the new message, classify picks a
 * route, its sub-graph answers (and streams), finalize keeps the answer, save_checkpoint stores
 * both messages.
 * Then, behind the answer and with tiered memory only, turns that are no longer shown in full are
 * summed up.
 * Failure: a sub-graph's failure ends the run with its code; a conversation that cannot be stored
 * is logged and the answer stands (R226). */
#include "agents/common/extract.h"
#include "agents/agent/calls.h"
#include "agents/data_agent/graph.h"
#include "agents/data_agent/state.h"
#include "agents/general_agent/graph.h"
#include "agents/general_agent/state.h"
#include "agents/common/members.h"
#include "agents/nodes/ask.h"
#include "agents/nodes/asked.h"
#include "agents/nodes/remember.h"
#include "agents/nodes/summarise.h"
#include "agents/orchestrator/state.h"
#include "agents/rag_agent/graph.h"
#include "agents/rag_agent/state.h"
#include "agents/services/registry_entry.h"
#include "agents/sql_agent/graph.h"
#include "agents/sql_agent/select.h"
#include "agents/sql_agent/state.h"

enum { LOAD, CLASSIFY, SQL, RAG, GENERAL, FINALIZE, SAVE, SUMMARISE };

static const struct slot slots[ORCHESTRATOR_SLOT_COUNT] = {
    [ORCHESTRATOR_MESSAGES] = {"messages", SLOT_LIST, REDUCE_APPEND,
                               SLOT_WRITER(LOAD) | SLOT_WRITER(FINALIZE), .passing = true},
    [ORCHESTRATOR_QUESTION] = {"question", SLOT_TEXT, .writers = SLOT_WRITER_INPUT},
    [ORCHESTRATOR_NEXT_STEP] = {"next_step", SLOT_TEXT, .writers = SLOT_WRITER(CLASSIFY)},
    [ORCHESTRATOR_SQL_RESULT] = {"sql_result", SLOT_TEXT, .writers = SLOT_WRITER(SQL)},
    [ORCHESTRATOR_SQL_STRUCTURED_RESULT] = {"sql_structured_result", SLOT_JSON,
                                            .writers = SLOT_WRITER(SQL)},
    [ORCHESTRATOR_RAG_RESULT] = {"rag_result", SLOT_TEXT, .writers = SLOT_WRITER(RAG)},
    [ORCHESTRATOR_GENERAL_RESULT] = {"general_result", SLOT_TEXT, .writers = SLOT_WRITER(GENERAL)},
    [ORCHESTRATOR_FINAL_ANSWER] = {"final_answer", SLOT_TEXT, .writers = SLOT_WRITER(FINALIZE)},
    [ORCHESTRATOR_FINAL_STRUCTURED_DATA] = {"final_structured_data", SLOT_JSON,
                                            .writers = SLOT_WRITER(FINALIZE)},
    [ORCHESTRATOR_SQL] = {"sql", SLOT_TEXT, .writers = SLOT_WRITER(SQL)},
    [ORCHESTRATOR_TABLES] = {"tables", SLOT_JSON, .writers = SLOT_WRITER(SQL)},
    [ORCHESTRATOR_WARNINGS] = {"warnings", SLOT_JSON,
                               .writers = SLOT_WRITER(SQL) | SLOT_WRITER(RAG)},
    [ORCHESTRATOR_NOTES] = {"notes", SLOT_JSON, .writers = SLOT_WRITER(SQL)},
    [ORCHESTRATOR_REFUSAL] = {"refusal", SLOT_TEXT, .writers = SLOT_WRITER(SQL) | SLOT_WRITER(RAG)},
    [ORCHESTRATOR_CITATIONS] = {"citations", SLOT_JSON, .writers = SLOT_WRITER(RAG)},
    [ORCHESTRATOR_UNSUPPORTED] = {"unsupported", SLOT_JSON, .writers = SLOT_WRITER(RAG)},
    [ORCHESTRATOR_CLARIFY] = {"clarify", SLOT_JSON, .writers = SLOT_WRITER(SQL)},
    [ORCHESTRATOR_CHART] = {"chart", SLOT_JSON, .writers = SLOT_WRITER(SQL)},
    [ORCHESTRATOR_LOGICAL_SQL] = {"logical_sql", SLOT_TEXT, .writers = SLOT_WRITER(SQL)},
    [ORCHESTRATOR_SUMMARY_DUE] = {"summary_due", SLOT_BOOL, .writers = SLOT_WRITER(SAVE)},
    [ORCHESTRATOR_STATEMENTS] = {"statements", SLOT_LIST, REDUCE_APPEND, SLOT_WRITER(SQL)},
    [ORCHESTRATOR_NO_DATA] = {"no_data", SLOT_TEXT, .writers = SLOT_WRITER(CLASSIFY)},
};

static enum step load_checkpoint(struct node *node)
{
    remember_load(node, ORCHESTRATOR_MESSAGES, node_str(node, ORCHESTRATOR_QUESTION));
    return STEP_DONE;
}

static const struct {
    const char *step, *wire; /* as the state and the label say it; as the event does */
} routes[] = {{"GENERAL", "general"}, {"SQL", "sql"}, {"RAG", "rag"}};

/* The first word of the answer that is a route's; GENERAL when there is none. */
static enum step keep_route(struct node *node, struct str answer)
{
    size_t route = countof(routes);
    for (struct str rest = answer; rest.len > 0 && route == countof(routes);) {
        struct str word = extract_word(rest);
        if (word.len == 0)
            break;
        rest = str_from(rest, (size_t)(word.at - rest.at) + word.len);
        for (size_t i = 0; i < countof(routes) && route == countof(routes); i++)
            if (str_equal_nocase(word, str_of(routes[i].step)))
                route = i;
    }
    if (route == countof(routes))
        route = 0;
    node_put_str(node, ORCHESTRATOR_NEXT_STEP, str_of(routes[route].step));
    struct str no_data = extract_label(answer, "NO_DATA", NULL);
    if (!str_is_absent(no_data))
        node_put_str(node, ORCHESTRATOR_NO_DATA, no_data);
    node_emit(node, EVENT_ROUTE_DECISION, str_of(routes[route].wire), STR(""), 0);
    return STEP_DONE;
}

static const char *route(const struct state *state, const struct graph *graph)
{
    (void)graph;
    for (size_t i = 1; i < countof(routes); i++)
        if (str_equal(state_str(state, ORCHESTRATOR_NEXT_STEP), str_of(routes[i].step)))
            return routes[i].step;
    return routes[0].step;
}

static enum step finalize(struct node *node)
{
    struct str answer =
        node_str(node, node_has(node, ORCHESTRATOR_SQL_RESULT)   ? ORCHESTRATOR_SQL_RESULT
                       : node_has(node, ORCHESTRATOR_RAG_RESULT) ? ORCHESTRATOR_RAG_RESULT
                                                                 : ORCHESTRATOR_GENERAL_RESULT);
    node_put_str(node, ORCHESTRATOR_FINAL_ANSWER, answer);
    if (node_has(node, ORCHESTRATOR_SQL_STRUCTURED_RESULT))
        node_put_str(node, ORCHESTRATOR_FINAL_STRUCTURED_DATA,
                     node_str(node, ORCHESTRATOR_SQL_STRUCTURED_RESULT));
    remember_push(node, ORCHESTRATOR_MESSAGES, LLM_ASSISTANT, answer);
    return STEP_DONE;
}

static enum step save_checkpoint(struct node *node)
{
    remember_save(node, node_str(node, ORCHESTRATOR_QUESTION),
                  node_str(node, ORCHESTRATOR_FINAL_ANSWER));
    remember_notice(node, ORCHESTRATOR_MESSAGES,
                    node_has(node, ORCHESTRATOR_SQL) ? node_str(node, ORCHESTRATOR_LOGICAL_SQL)
                                                     : STR(""),
                    node_str(node, ORCHESTRATOR_FINAL_STRUCTURED_DATA));
    if (summarise_is_due(node))
        node_put_bool(node, ORCHESTRATOR_SUMMARY_DUE, true);
    return STEP_DONE;
}

static const char *route_save(const struct state *state, const struct graph *graph)
{
    (void)graph;
    return state_has(state, ORCHESTRATOR_SUMMARY_DUE) ? "summary" : "done";
}

static const struct graph_node_type load_node = {.enter = load_checkpoint};
static const struct graph_node_type finalize_node = {.enter = finalize};
static const struct graph_node_type save_node = {.enter = save_checkpoint};

/* The tables a question may be about; nothing when the database could not be read. */
static struct str make_tables(struct node *node)
{
    return sql_agent_select_list(node, node_str(node, ORCHESTRATOR_QUESTION));
}

/* A field of a prompt: the documents that there are to answer from; nothing when no store is
 * configured. */
static struct str make_documents(struct node *node)
{
    const struct services *has = services(node);
    return has->vec == NULL && has->text == NULL ? STR("") : STR("the application's documents");
}

static struct str make_asked(struct node *node)
{
    return asked_before(node, ORCHESTRATOR_MESSAGES);
}

static struct str make_meant(struct node *node)
{
    return remember_meant(node, ORCHESTRATOR_MESSAGES);
}

static const struct ask_config classify_ask = {
    .task = "classify",
    .prompt = "orchestrator/classify",
    .fields = {{"question", SLOT(ORCHESTRATOR_QUESTION)},
               {"asked", .make = make_asked},
               {"meant", .make = make_meant},
               {"schema", .make = make_tables},
               {"documents", .make = make_documents}},
    .messages_slot = SLOT(ORCHESTRATOR_MESSAGES),
    .keep = keep_route,
};

static const struct graph_pass sql_in[] = {
    {ORCHESTRATOR_QUESTION, SQL_AGENT_QUESTION},
    {ORCHESTRATOR_MESSAGES, SQL_AGENT_MESSAGES},
};
static const struct graph_pass sql_out[] = {
    {ORCHESTRATOR_SQL_RESULT, SQL_AGENT_FINAL_ANSWER},
    {ORCHESTRATOR_SQL_STRUCTURED_RESULT, SQL_AGENT_STRUCTURED_RESULT},
    {ORCHESTRATOR_SQL, SQL_AGENT_VALIDATED_SQL},
    {ORCHESTRATOR_LOGICAL_SQL, SQL_AGENT_SQL},
    {ORCHESTRATOR_TABLES, SQL_AGENT_TABLES_READ},
    {ORCHESTRATOR_WARNINGS, SQL_AGENT_WARNINGS},
    {ORCHESTRATOR_NOTES, SQL_AGENT_NOTES},
    {ORCHESTRATOR_REFUSAL, SQL_AGENT_REFUSAL},
    {ORCHESTRATOR_CLARIFY, SQL_AGENT_CLARIFY},
    {ORCHESTRATOR_CHART, SQL_AGENT_CHART},
};
static const struct graph_pass data_in[] = {
    {ORCHESTRATOR_QUESTION, DATA_AGENT_QUESTION},
    {ORCHESTRATOR_MESSAGES, DATA_AGENT_MESSAGES},
};
static const struct graph_pass data_out[] = {
    {ORCHESTRATOR_SQL_RESULT, DATA_AGENT_ANSWER},
    {ORCHESTRATOR_SQL_STRUCTURED_RESULT, DATA_AGENT_STRUCTURED_RESULT},
    {ORCHESTRATOR_SQL, DATA_AGENT_SQL},
    {ORCHESTRATOR_LOGICAL_SQL, DATA_AGENT_SQL},
    {ORCHESTRATOR_TABLES, DATA_AGENT_TABLES},
    {ORCHESTRATOR_CLARIFY, DATA_AGENT_CLARIFY},
    {ORCHESTRATOR_CHART, DATA_AGENT_CHART},
    {ORCHESTRATOR_STATEMENTS, DATA_AGENT_STATEMENTS},
};
static const struct graph_pass rag_in[] = {
    {ORCHESTRATOR_QUESTION, RAG_AGENT_QUESTION},
    {ORCHESTRATOR_MESSAGES, RAG_AGENT_MESSAGES},
    {ORCHESTRATOR_NO_DATA, RAG_AGENT_NO_DATA},
};
static const struct graph_pass rag_out[] = {
    {ORCHESTRATOR_RAG_RESULT, RAG_AGENT_RESULT},
    {ORCHESTRATOR_CITATIONS, RAG_AGENT_CITATIONS},
    {ORCHESTRATOR_UNSUPPORTED, RAG_AGENT_UNSUPPORTED},
    {ORCHESTRATOR_WARNINGS, RAG_AGENT_WARNINGS},
    {ORCHESTRATOR_REFUSAL, RAG_AGENT_REFUSAL},
};
static const struct graph_pass general_in[] = {
    {ORCHESTRATOR_QUESTION, GENERAL_QUESTION},
    {ORCHESTRATOR_MESSAGES, GENERAL_MESSAGES},
};
static const struct graph_pass general_out[] = {
    {ORCHESTRATOR_GENERAL_RESULT, GENERAL_RESULT},
};

/* The nodes; the arguments are the one that answers from the data. */
#define NODES(...)                                                                                 \
    {                                                                                              \
        [LOAD] = {"load_checkpoint", &load_node},                                                  \
        [CLASSIFY] = {"classify", &ask_node, &classify_ask, .route = route,                        \
                      .labels = {"SQL", "RAG", "GENERAL"}},                                        \
        [SQL] = __VA_ARGS__, [RAG] = {"rag_agent",                                                 \
                                      .sub = &rag_agent_graph,                                     \
                                      .in = rag_in,                                                \
                                      .out = rag_out,                                              \
                                      .in_count = countof(rag_in),                                 \
                                      .out_count = countof(rag_out),                               \
                                      .tool = true},                                               \
        [GENERAL] = {"general_agent",                                                              \
                     .sub = &general_agent_graph,                                                  \
                     .in = general_in,                                                             \
                     .out = general_out,                                                           \
                     .in_count = countof(general_in),                                              \
                     .out_count = countof(general_out),                                            \
                     .tool = true},                                                                \
        [FINALIZE] = {"finalize", &finalize_node},                                                 \
        [SAVE] = {"save_checkpoint", &save_node, .route = route_save,                              \
                  .labels = {"summary", "done"}},                                                  \
        [SUMMARISE] = {"summarise", &summarise_node, &summarise_ask, .background = true},          \
    }

static const struct graph_node nodes[] =
    NODES({"sql_agent", .sub = &sql_agent_graph, .in = sql_in, .out = sql_out,
           .in_count = countof(sql_in), .out_count = countof(sql_out), .tool = true});
static const struct graph_node nodes_with_tools[] =
    NODES({"data_agent", .sub = &data_agent_graph, .in = data_in, .out = data_out,
           .in_count = countof(data_in), .out_count = countof(data_out), .tool = true});

static const struct graph_edge edges[] = {
    {GRAPH_START, LOAD},
    {LOAD, CLASSIFY},
    {CLASSIFY, SQL, "SQL"},
    {CLASSIFY, RAG, "RAG"},
    {CLASSIFY, GENERAL, "GENERAL"},
    {SQL, FINALIZE},
    {RAG, FINALIZE},
    {GENERAL, FINALIZE},
    {FINALIZE, SAVE},
    {SAVE, SUMMARISE, "summary"},
    {SAVE, GRAPH_END, "done"},
    {SUMMARISE, GRAPH_END},
};

static void report(const struct state *state, struct buf *out)
{
    members_str(out, "sql", state_str(state, ORCHESTRATOR_SQL));
    members_raw(out, "data", state_str(state, ORCHESTRATOR_FINAL_STRUCTURED_DATA));
    members_raw(out, "chart", state_str(state, ORCHESTRATOR_CHART));
    members_raw(out, "tables", state_str(state, ORCHESTRATOR_TABLES));
    members_raw(out, "citations", state_str(state, ORCHESTRATOR_CITATIONS));
    members_raw(out, "unsupported", state_str(state, ORCHESTRATOR_UNSUPPORTED));
    members_raw(out, "warnings", state_str(state, ORCHESTRATOR_WARNINGS));
    members_raw(out, "notes", state_str(state, ORCHESTRATOR_NOTES));
    members_str(out, "abstained", state_str(state, ORCHESTRATOR_REFUSAL));
    members_raw(out, "clarify", state_str(state, ORCHESTRATOR_CLARIFY));
    agent_calls_report(state, ORCHESTRATOR_STATEMENTS, out);
}

#define GRAPH_OF(its_nodes)                                                                        \
    {                                                                                              \
        .name = "orchestrator",                                                                    \
        .purpose = "Routes a question to the SQL agent, the RAG agent or the general agent and "   \
                   "keeps the "                                                                    \
                   "conversation.",                                                                \
        .schema = {slots, ORCHESTRATOR_SLOT_COUNT}, .nodes = its_nodes,                            \
        .node_count = countof(its_nodes), .edges = edges, .edge_count = countof(edges),            \
        .routes = true, .report = report,                                                          \
    }

static const struct graph_def graph = GRAPH_OF(nodes);
static const struct graph_def graph_with_tools = GRAPH_OF(nodes_with_tools);

static const struct prompt_spec prompts[] = {
    {"orchestrator/classify", {"question", "schema", "documents"}},
    {"orchestrator/conversation_summary", {"conversation"}},
};

const struct registry_entry orchestrator_entry = {
    .def = &graph,
    .with_tools = &graph_with_tools,
    .question = ORCHESTRATOR_QUESTION,
    .prompts = prompts,
    .prompt_count = countof(prompts),
};
