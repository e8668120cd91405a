/* SPDX-License-Identifier: MIT */
/* agents/analyst/graph.c - tables of the analyst: retrieval, analysis, generation, each a graph.
 *
 * Happy path: the three in order.
 * Failure: a sub-graph that fails leaves its reason in error and the graph ends (R92); the run then
 * ends with the code of what failed. */
#include "agents/analyst/analysis.h"
#include "agents/analyst/generation.h"
#include "agents/analyst/retrieval.h"
#include "agents/analyst/state.h"
#include "agents/common/members.h"
#include "agents/services/registry_entry.h"

enum { RETRIEVE, ANALYSE, GENERATE };

#define FROM_INPUT                                                                                 \
    (ANALYST_BIT(CURRENT_QUERY) | ANALYST_BIT(USER_ID) | ANALYST_BIT(SESSION_ID) |                 \
     ANALYST_BIT(RETRIEVAL_ATTEMPTS) | ANALYST_BIT(SELF_HEAL_ATTEMPTS))
#define FROM_RETRIEVE                                                                              \
    (ANALYST_BIT(MESSAGES) | ANALYST_BIT(PROCESSED_QUERY) | ANALYST_BIT(RETRIEVED_CONTEXT) |       \
     ANALYST_BIT(CONTEXT) | ANALYST_BIT(MEMORY) | ANALYST_BIT(RETRIEVAL_ATTEMPTS) |                \
     ANALYST_BIT(RETRIEVAL_SUFFICIENT) | ANALYST_BIT(GAPS) | ANALYST_BIT(WARNINGS))
#define FROM_ANALYSE                                                                               \
    (ANALYST_BIT(ANALYSIS_RESULTS) | ANALYST_BIT(ANALYSIS_VALID) | ANALYST_BIT(ANALYSIS_ERRORS))
#define FROM_GENERATE                                                                              \
    (ANALYST_BIT(EXPLANATION) | ANALYST_BIT(RESPONSE) | ANALYST_BIT(CHARTS) |                      \
     ANALYST_BIT(CITATIONS) | ANALYST_BIT(QUALITY_ERRORS) | ANALYST_BIT(RESPONSE_VALID) |          \
     ANALYST_BIT(SELF_HEAL_ATTEMPTS) | ANALYST_BIT(REFUSAL))
#define FROM_ANY (ANALYST_BIT(ERROR) | ANALYST_BIT(ERROR_CODE))
#define BY(slot)                                                                                   \
    (ANALYST_WRITES(slot, FROM_INPUT, SLOT_WRITER_INPUT) |                                         \
     ANALYST_WRITES(slot, FROM_RETRIEVE | FROM_ANY, SLOT_WRITER(RETRIEVE)) |                       \
     ANALYST_WRITES(slot, FROM_ANALYSE | FROM_ANY, SLOT_WRITER(ANALYSE)) |                         \
     ANALYST_WRITES(slot, FROM_GENERATE | FROM_ANY, SLOT_WRITER(GENERATE)))

static const struct slot slots[ANALYST_SLOT_COUNT] = ANALYST_SLOTS(BY);

static const struct graph_pass retrieve_in[] = {ANALYST_PASS(CURRENT_QUERY), ANALYST_PASS(USER_ID),
                                                ANALYST_PASS(SESSION_ID),
                                                ANALYST_PASS(RETRIEVAL_ATTEMPTS)};
static const struct graph_pass retrieve_out[] = {ANALYST_PASS(MESSAGES),
                                                 ANALYST_PASS(PROCESSED_QUERY),
                                                 ANALYST_PASS(RETRIEVED_CONTEXT),
                                                 ANALYST_PASS(CONTEXT),
                                                 ANALYST_PASS(MEMORY),
                                                 ANALYST_PASS(RETRIEVAL_ATTEMPTS),
                                                 ANALYST_PASS(RETRIEVAL_SUFFICIENT),
                                                 ANALYST_PASS(GAPS),
                                                 ANALYST_PASS(WARNINGS)};
static const struct graph_pass analyse_in[] = {
    ANALYST_PASS(CURRENT_QUERY), ANALYST_PASS(PROCESSED_QUERY), ANALYST_PASS(RETRIEVED_CONTEXT),
    ANALYST_PASS(CONTEXT)};
static const struct graph_pass analyse_out[] = {
    ANALYST_PASS(ANALYSIS_RESULTS), ANALYST_PASS(ANALYSIS_VALID), ANALYST_PASS(ANALYSIS_ERRORS)};
static const struct graph_pass generate_in[] = {
    ANALYST_PASS(CURRENT_QUERY), ANALYST_PASS(MESSAGES),           ANALYST_PASS(RETRIEVED_CONTEXT),
    ANALYST_PASS(CONTEXT),       ANALYST_PASS(ANALYSIS_RESULTS),   ANALYST_PASS(ANALYSIS_ERRORS),
    ANALYST_PASS(MEMORY),        ANALYST_PASS(SELF_HEAL_ATTEMPTS), ANALYST_PASS(PROCESSED_QUERY)};
static const struct graph_pass generate_out[] = {
    ANALYST_PASS(EXPLANATION),        ANALYST_PASS(RESPONSE),       ANALYST_PASS(CHARTS),
    ANALYST_PASS(CITATIONS),          ANALYST_PASS(QUALITY_ERRORS), ANALYST_PASS(RESPONSE_VALID),
    ANALYST_PASS(SELF_HEAL_ATTEMPTS), ANALYST_PASS(REFUSAL)};

static const char *is_error(const struct state *state, const struct graph *graph)
{
    (void)graph;
    return state_has(state, ANALYST_ERROR) ? "error" : "success";
}

#define SUB(graph, name)                                                                           \
    .sub = &(graph), .in = name##_in, .in_count = countof(name##_in), .out = name##_out,           \
    .out_count = countof(name##_out), .catch_slot = SLOT(ANALYST_ERROR),                           \
    .catch_code_slot = SLOT(ANALYST_ERROR_CODE), .tool = true

static const struct graph_node nodes[] = {
    [RETRIEVE] = {"retrieval", SUB(analyst_retrieval_graph, retrieve), .route = is_error,
                  .labels = {"success", "error"}},
    [ANALYSE] = {"analysis", SUB(analyst_analysis_graph, analyse), .route = is_error,
                 .labels = {"success", "error"}},
    [GENERATE] = {"generation", SUB(analyst_generation_graph, generate)},
};

static const struct graph_edge edges[] = {
    {GRAPH_START, RETRIEVE},        {RETRIEVE, ANALYSE, "success"}, {RETRIEVE, GRAPH_END, "error"},
    {ANALYSE, GENERATE, "success"}, {ANALYSE, GRAPH_END, "error"},  {GENERATE, GRAPH_END},
};

static void report(const struct state *state, struct buf *out)
{
    members_raw(out, "citations", state_str(state, ANALYST_CITATIONS));
    members_raw(out, "charts", state_str(state, ANALYST_CHARTS));
    members_raw(out, "analysis", state_str(state, ANALYST_ANALYSIS_RESULTS));
    members_raw(out, "analysis_errors", state_str(state, ANALYST_ANALYSIS_ERRORS));
    members_raw(out, "quality_errors", state_str(state, ANALYST_QUALITY_ERRORS));
    if (!state_bool(state, ANALYST_RETRIEVAL_SUFFICIENT))
        members_raw(out, "gaps", state_str(state, ANALYST_GAPS));
    members_raw(out, "warnings", state_str(state, ANALYST_WARNINGS));
    members_str(out, "abstained", state_str(state, ANALYST_REFUSAL));
}

/* What a sub-graph can fail of; static, as the wire needs it. */
static const char *failure(const struct state *state, struct str *message)
{
    static const char *const codes[] = {
        "retrieval_unavailable", "model_timeout",     "model_rejected",        "model_unavailable",
        "model_not_configured",  "deadline_exceeded", "graph_recursion_limit", "overloaded",
    };
    if (!state_has(state, ANALYST_ERROR))
        return NULL;
    *message = state_str(state, ANALYST_ERROR);
    for (size_t i = 0; i < countof(codes); i++)
        if (str_equal(state_str(state, ANALYST_ERROR_CODE), str_of(codes[i])))
            return codes[i];
    return "internal";
}

static void begin(const struct registry_entry *entry UNUSED, struct update *input,
                  const struct session *session)
{
    update_put_int(input, ANALYST_RETRIEVAL_ATTEMPTS, 0);
    update_put_int(input, ANALYST_SELF_HEAL_ATTEMPTS, 0);
    if (!str_is_absent(session->caller.user_id))
        update_put_str(input, ANALYST_USER_ID, session->caller.user_id);
    if (!str_is_absent(session->caller.conversation_id))
        update_put_str(input, ANALYST_SESSION_ID, session->caller.conversation_id);
}

static const struct graph_def graph = {
    .name = "analyst",
    .purpose = "Answers financial questions from reports, with calculations, charts and sources.",
    .schema = {slots, ANALYST_SLOT_COUNT},
    .nodes = nodes,
    .node_count = countof(nodes),
    .edges = edges,
    .edge_count = countof(edges),
    .report = report,
    .failure = failure,
};

static const struct prompt_spec prompts[] = {
    {"analyst/query_processing", {"question", "conversation"}},
    {"analyst/context_validation", {"question", "context"}},
    {"analyst/analysis", {"question", "context"}},
    {"analyst/synthesis",
     {"question", "explanation", "analysis", "doubts", "answer", "errors", "memory", "context",
      "language"}},
    {"analyst/memory_compression", {"conversation"}},
};

const struct registry_entry analyst_entry = {
    .def = &graph,
    .question = ANALYST_CURRENT_QUERY,
    .works_blind = true,
    .begin = begin,
    .prompts = prompts,
    .prompt_count = countof(prompts),
};
