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
#include "agents/nodes/facts.h"
#include "agents/nodes/remember.h"
#include "agents/nodes/schema_text.h"
#include "agents/nodes/summarise.h"
#include "agents/orchestrator/lost.h"
#include "agents/orchestrator/state.h"
#include "agents/rag_agent/graph.h"
#include "agents/rag_agent/state.h"
#include "agents/semantic_query/statement.h"
#include "agents/services/registry_entry.h"
#include "agents/sql_agent/graph.h"
#include "agents/sql_agent/select.h"
#include "agents/sql_agent/state.h"
#include "agents/sql_agent/whole.h"
#include "proto/json_value.h"
#include "proto/json_write.h"

enum { LOAD, CLASSIFY, SQL, RAG, GENERAL, FINALIZE, SAVE, SUMMARISE };
enum { NAMES_BYTES = 16 << 10 };

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
                               .writers =
                                   SLOT_WRITER(SQL) | SLOT_WRITER(RAG) | SLOT_WRITER(FINALIZE)},
    [ORCHESTRATOR_NOTES] = {"notes", SLOT_JSON, .writers = SLOT_WRITER(SQL)},
    [ORCHESTRATOR_REFUSAL] = {"refusal", SLOT_TEXT, .writers = SLOT_WRITER(SQL) | SLOT_WRITER(RAG)},
    [ORCHESTRATOR_CITATIONS] = {"citations", SLOT_JSON, .writers = SLOT_WRITER(RAG)},
    [ORCHESTRATOR_UNSUPPORTED] = {"unsupported", SLOT_JSON, .writers = SLOT_WRITER(RAG)},
    [ORCHESTRATOR_CLARIFY] = {"clarify", SLOT_JSON, .writers = SLOT_WRITER(SQL)},
    [ORCHESTRATOR_CHART] = {"chart", SLOT_JSON, .writers = SLOT_WRITER(SQL)},
    [ORCHESTRATOR_LOGICAL_SQL] = {"logical_sql", SLOT_TEXT, .writers = SLOT_WRITER(SQL)},
    [ORCHESTRATOR_SUMMARY_DUE] = {"summary_due", SLOT_BOOL, .writers = SLOT_WRITER(SAVE)},
    [ORCHESTRATOR_STATEMENTS] = {"statements", SLOT_LIST, REDUCE_APPEND, SLOT_WRITER(SQL)},
    [ORCHESTRATOR_NAMED] = {"named", SLOT_JSON, .writers = SLOT_WRITER(CLASSIFY)},
    [ORCHESTRATOR_DRAFT] = {"draft", SLOT_TEXT, .writers = SLOT_WRITER(CLASSIFY)},
    [ORCHESTRATOR_SEARCH] = {"search", SLOT_TEXT, .writers = SLOT_WRITER(CLASSIFY)},
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

static size_t find_route(struct str word)
{
    for (size_t i = 0; i < countof(routes); i++)
        if (str_equal_nocase(word, str_of(routes[i].step)))
            return i;
    return countof(routes);
}

/* The word of the answer that is a route's: the first of all its words, else the last that is one,
 * since prose comes to its end; GENERAL when there is none. */
static size_t find_route_in(struct str answer)
{
    size_t found = find_route(extract_word(answer));
    if (found < countof(routes))
        return found;
    for (struct str rest = answer; rest.len > 0;) {
        struct str word = extract_word(rest);
        size_t route = find_route(word);
        if (route < countof(routes))
            found = route;
        if (word.len == 0)
            break;
        rest = str_from(rest, (size_t)(word.at - rest.at) + word.len);
    }
    return found < countof(routes) ? found : 0;
}

static struct str text_of(const struct json_value *object, struct str name)
{
    const struct json_value *value = json_value_member(object, name);
    return value != NULL && value->type == JSON_STRING ? str_trim(value->text) : STR("");
}

/* The statement, or the query over metrics, which may come as an object or as its text. */
static struct str statement_of(struct node *node, const struct json_value *object)
{
    const struct json_value *sql = json_value_member(object, STR("sql"));
    if (sql == NULL || sql->type != JSON_OBJECT)
        return text_of(object, STR("sql"));
    struct str text = json_value_text(sql, node_arena(node), NAMES_BYTES);
    return str_is_absent(text) ? STR("") : text;
}

/* Keep what came with route SQL: the statement, why there is none, or the tables. */
static void keep_plan(struct node *node, const struct json_value *object)
{
    struct str sql = statement_of(node, object), cannot = text_of(object, STR("cannot"));
    const struct json_value *tables = json_value_member(object, STR("tables"));
    if (sql.len > 0)
        node_put_str(node, ORCHESTRATOR_DRAFT, sql);
    else if (cannot.len > 0)
        node_put_str(node, ORCHESTRATOR_DRAFT,
                     arena_printf(node_arena(node), "CANNOT: %.*s", STR_ARG(cannot)));
    if (tables == NULL || tables->type != JSON_ARRAY || tables->first == NULL)
        return;
    struct str names = json_value_text(tables, node_scratch(node), NAMES_BYTES);
    if (!str_is_absent(names))
        node_put_str(node, ORCHESTRATOR_NAMED, names);
}

/* Keep what documents are searched for; a question that needs no other words stands by itself. */
static void keep_search(struct node *node, struct str search)
{
    node_put_str(node, ORCHESTRATOR_SEARCH,
                 search.len > 0 ? search : node_str(node, ORCHESTRATOR_QUESTION));
}

/* An object with a route, or a text with a route's name in it. */
static enum step keep_route(struct node *node, struct str answer)
{
    struct str json = extract_json(answer, '{');
    const struct json_value *object =
        str_is_absent(json) ? NULL : json_value_parse(node_arena(node), json, NULL, NULL);
    size_t route = find_route(text_of(object, STR("route")));
    if (route == countof(routes))
        route = find_route_in(answer);
    else if (str_equal(str_of(routes[route].wire), STR("sql")))
        keep_plan(node, object);
    else if (json_value_member(object, STR("search")) != NULL)
        keep_search(node, text_of(object, STR("search")));
    node_put_str(node, ORCHESTRATOR_NEXT_STEP, str_of(routes[route].step));
    struct str no_data = extract_label(answer, "NO_DATA", NULL);
    if (str_is_absent(no_data))
        no_data = orchestrator_lost_reason(node);
    if (!str_is_absent(no_data))
        node_put_str(node, ORCHESTRATOR_NO_DATA, no_data);
    node_emit(node, EVENT_ROUTE_DECISION, str_of(routes[route].wire), STR(""), 0);
    struct err lost;
    if (str_equal(str_of(routes[route].wire), STR("sql")) &&
        orchestrator_lost_is_unread(node, &lost))
        return node_fail_as(node, "database_unavailable", &lost);
    return STEP_DONE;
}

/* Whether a general question is what the answer begins with: a word by itself, or the first member
 * of the object. The other routes need what comes behind theirs. */
static bool is_decided(struct str head)
{
    static const struct str begins[] = {STR("{"), STR("\"route\""), STR(":"), STR("\"")};
    struct str rest = str_trim(head), word = STR("GENERAL");
    if (str_equal(rest, word))
        return true;
    for (size_t i = 0; i < countof(begins); i++) {
        if (!str_starts_with(rest, begins[i]))
            return false;
        rest = str_from(rest, begins[i].len);
        rest = i + 1 < countof(begins) ? str_trim(rest) : rest;
    }
    return str_starts_with(rest, STR("GENERAL\""));
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
    if (!node_has(node, ORCHESTRATOR_SQL_RESULT))
        orchestrator_lost_warn(node, ORCHESTRATOR_WARNINGS);
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

/* The form of a router's answer: a route, and members more (",..."), all of them required. */
#define ROUTE_FORM(members, names)                                                                 \
    "{\"type\":\"object\",\"properties\":{"                                                        \
    "\"route\":{\"type\":\"string\",\"enum\":[\"SQL\",\"RAG\",\"GENERAL\"]}" members               \
    "},\"required\":[\"route\"" names "],\"additionalProperties\":false}"

#define TEXT_OR_NULL "{\"type\":[\"string\",\"null\"]}"

/* What the router is asked for: on a small schema the statement, too, else the tables. */
static struct ask_form choose_form(struct node *node)
{
    static const struct ask_form whole = {
        "classify_whole", "orchestrator/classify_whole",
        ROUTE_FORM(",\"sql\":" TEXT_OR_NULL ",\"cannot\":" TEXT_OR_NULL ",\"search\":" TEXT_OR_NULL,
                   ",\"sql\",\"cannot\",\"search\"")};
    static const struct ask_form listed = {
        "classify", "orchestrator/classify",
        ROUTE_FORM(",\"tables\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"
                   ",\"search\":" TEXT_OR_NULL,
                   ",\"tables\",\"search\"")};
    return sql_agent_whole_fits(node, node_str(node, ORCHESTRATOR_QUESTION)) ? whole : listed;
}

static struct str make_whole(struct node *node)
{
    return sql_agent_whole_schema(node, node_str(node, ORCHESTRATOR_QUESTION));
}

static struct str make_relationships(struct node *node)
{
    return sql_agent_whole_relationships(node, node_str(node, ORCHESTRATOR_QUESTION));
}

static struct str make_values(struct node *node)
{
    struct str meant = remember_meant(node, ORCHESTRATOR_MESSAGES);
    struct str question = node_str(node, ORCHESTRATOR_QUESTION);
    return sql_agent_whole_fits(node, question)
               ? sql_agent_whole_values(node, str_is_empty(meant) ? question : meant)
               : STR("");
}

static struct str make_examples(struct node *node)
{
    struct str meant = remember_meant(node, ORCHESTRATOR_MESSAGES);
    struct str question = node_str(node, ORCHESTRATOR_QUESTION);
    return sql_agent_whole_fits(node, question)
               ? sql_agent_whole_examples(node, str_is_empty(meant) ? question : meant)
               : STR("");
}

/* The tables a question may be about; nothing when the database could not be read. */
static struct str make_tables(struct node *node)
{
    struct str lost = orchestrator_lost_tables(node);
    return lost.len > 0 ? lost : sql_agent_select_list(node, node_str(node, ORCHESTRATOR_QUESTION));
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
    .choose = choose_form,
    .fields = {{"question", SLOT(ORCHESTRATOR_QUESTION)},
               {"asked", .make = make_asked},
               {"meant", .make = make_meant},
               {"schema", .make = make_tables},
               {"documents", .make = make_documents},
               {"whole", .make = make_whole},
               {"relationships", .make = make_relationships},
               {"values", .make = make_values},
               {"examples", .make = make_examples},
               {"dialect", .make = facts_dialect},
               {"naming", .make = facts_naming},
               {"scope", .make = schema_text_scope},
               {"queries", .make = semantic_query_rule},
               {"today", .make = facts_today}},
    .messages_slot = SLOT(ORCHESTRATOR_MESSAGES),
    .keep = keep_route,
    .is_enough = is_decided,
};

/* For the data agent, which looks at the schema by itself. */
static const struct ask_config classify_route_ask = {
    .task = "classify",
    .prompt = "orchestrator/classify_route",
    .answer = ROUTE_FORM(",\"search\":" TEXT_OR_NULL, ",\"search\""),
    .fields = {{"question", SLOT(ORCHESTRATOR_QUESTION)},
               {"asked", .make = make_asked},
               {"meant", .make = make_meant},
               {"schema", .make = make_tables},
               {"documents", .make = make_documents}},
    .messages_slot = SLOT(ORCHESTRATOR_MESSAGES),
    .keep = keep_route,
    .is_enough = is_decided,
};

static const struct graph_pass sql_in[] = {
    {ORCHESTRATOR_QUESTION, SQL_AGENT_QUESTION},
    {ORCHESTRATOR_MESSAGES, SQL_AGENT_MESSAGES},
    {ORCHESTRATOR_NAMED, SQL_AGENT_NAMED},
    {ORCHESTRATOR_DRAFT, SQL_AGENT_DRAFT},
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
    {ORCHESTRATOR_SEARCH, RAG_AGENT_SEARCH},
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

/* The nodes; the first argument is what the router asks, the others are the
 * node that answers from the data. */
#define NODES(asks, ...)                                                                           \
    {                                                                                              \
        [LOAD] = {"load_checkpoint", &load_node},                                                  \
        [CLASSIFY] = {"classify", &ask_node, &asks, .route = route,                                \
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
    NODES(classify_ask, {"sql_agent", .sub = &sql_agent_graph, .in = sql_in, .out = sql_out,
                         .in_count = countof(sql_in), .out_count = countof(sql_out), .tool = true});
static const struct graph_node nodes_with_tools[] =
    NODES(classify_route_ask,
          {"data_agent", .sub = &data_agent_graph, .in = data_in, .out = data_out,
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
    {"orchestrator/classify_route", {"question", "schema", "documents"}},
    {"orchestrator/classify_whole",
     {"question", "documents", "whole", "relationships", "values", "examples", "dialect", "naming",
      "scope", "queries", "today"}},
    {"orchestrator/conversation_summary", {"conversation"}},
};

const struct registry_entry orchestrator_entry = {
    .def = &graph,
    .with_tools = &graph_with_tools,
    .question = ORCHESTRATOR_QUESTION,
    .works_blind = true,
    .prompts = prompts,
    .prompt_count = countof(prompts),
};
