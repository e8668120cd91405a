/* SPDX-License-Identifier: MIT */
/* agents/analyst/generation.c - tables of the generation sub-graph, and its small nodes.
 *
 * Happy path: text_explanation (figures and formulas, by code), synthesis (whose text is the
 * answer), quality_check, which keeps the turn in the conversation, memory_update. Failure: an
 * answer that does not hold goes through self_heal back to synthesis, which is told its errors,
 * twice at most; then it stands with its errors beside it. Without a passage the answer says so,
 * and no model is asked. */
#include "agents/analyst/generation.h"

#include "agents/analyst/draw.h"
#include "agents/analyst/put.h"
#include "agents/analyst/quality.h"
#include "agents/analyst/query.h"
#include "agents/analyst/remember.h"
#include "agents/analyst/state.h"
#include "agents/english/language.h"
#include "agents/figures/explain.h"
#include "agents/nodes/ask.h"
#include "agents/nodes/facts.h"
#include "agents/nodes/remember.h"
#include "proto/json_value.h"
#include "proto/json_write.h"

enum { EXPLAIN, SYNTHESISE, CHECK, HEAL, REMEMBER };
enum { SELF_HEAL };
enum { MAX_HEALS = 2, EXPLANATION_BYTES = 64 * 1024 };

#define FROM_INPUT                                                                                 \
    (ANALYST_BIT(CURRENT_QUERY) | ANALYST_BIT(MESSAGES) | ANALYST_BIT(PROCESSED_QUERY) |           \
     ANALYST_BIT(RETRIEVED_CONTEXT) | ANALYST_BIT(CONTEXT) | ANALYST_BIT(ANALYSIS_RESULTS) |       \
     ANALYST_BIT(ANALYSIS_ERRORS) | ANALYST_BIT(MEMORY) | ANALYST_BIT(SELF_HEAL_ATTEMPTS))
#define FROM_EXPLAIN    ANALYST_BIT(EXPLANATION)
#define FROM_SYNTHESISE (ANALYST_BIT(RESPONSE) | ANALYST_BIT(CHARTS) | ANALYST_BIT(REFUSAL))
#define FROM_CHECK                                                                                 \
    (ANALYST_BIT(RESPONSE_VALID) | ANALYST_BIT(QUALITY_ERRORS) | ANALYST_BIT(CITATIONS))
#define BY(slot)                                                                                   \
    (ANALYST_WRITES(slot, FROM_INPUT, SLOT_WRITER_INPUT) |                                         \
     ANALYST_WRITES(slot, FROM_EXPLAIN, SLOT_WRITER(EXPLAIN) | SLOT_WRITER(HEAL)) |                \
     ANALYST_WRITES(slot, FROM_SYNTHESISE, SLOT_WRITER(SYNTHESISE)) |                              \
     ANALYST_WRITES(slot, FROM_CHECK, SLOT_WRITER(CHECK)))

static const struct slot slots[ANALYST_SLOT_COUNT] = ANALYST_SLOTS(BY);

static bool read_results(struct node *node, struct figures_results *results)
{
    struct err err;
    return node_has(node, ANALYST_ANALYSIS_RESULTS) &&
           figures_results_read(node_arena(node), node_str(node, ANALYST_ANALYSIS_RESULTS), NULL, 0,
                                results, &err) == ERR_OK;
}

/* ---- text_explanation, self_heal ---- */

/* What the answer may rest on: code writes it, so that a model writes once. After an answer that
 * did not pass, too, which synthesis then writes anew from its errors. */
static enum step explain(struct node *node)
{
    struct figures_results results;
    struct buf out;
    buf_init(&out, EXPLANATION_BYTES);
    if (read_results(node, &results) && figures_explain(&results, node_arena(node), &out) &&
        buf_ok(&out))
        node_put_str(node, ANALYST_EXPLANATION, buf_str(&out));
    buf_fini(&out);
    return STEP_DONE;
}

static const struct graph_node_type explain_node = {.enter = explain};

/* ---- synthesis ---- */

static enum step synthesise_first(struct node *node)
{
    const struct search_hit *hits;
    struct str none = STR("There are no documents that I could answer this from.");
    if (analyst_put_hits(node, &hits) > 0)
        return STEP_WAIT;
    node_emit_token(node, EVENT_FINAL_CHANNEL, none);
    node_put_str(node, ANALYST_RESPONSE, none);
    node_put_str(node, ANALYST_REFUSAL, none);
    return STEP_DONE;
}

/* A chart of the figures, where they make one. */
static void write_charts(struct node *node, struct json_write *json)
{
    struct figures_results results;
    json_write_array(json);
    if (read_results(node, &results)) {
        struct str chart =
            analyst_draw_chart(node_arena(node), &results, analyst_query_asked(node));
        if (!str_is_absent(chart))
            json_write_raw(json, chart);
    }
    json_write_array_end(json);
}

/* The figures' chart has no place beside an answer that says that there is none. */
static enum step keep_answer(struct node *node, struct str answer)
{
    struct analyst_put put;
    struct json_write json;
    node_put_str(node, ANALYST_RESPONSE, str_trim(answer));
    if (english_language_is_lacking(str_trim(answer))) {
        node_put_str(node, ANALYST_REFUSAL, str_trim(answer));
        node_put_str(node, ANALYST_CHARTS, STR("[]"));
        return STEP_DONE;
    }
    node_clear(node, ANALYST_REFUSAL);
    analyst_put_begin(&put, &json);
    write_charts(node, &json);
    return analyst_put_end(&put, node, ANALYST_CHARTS) ? STEP_DONE
                                                       : analyst_put_fail(node, "the charts");
}

static const struct ask_config synthesise_ask = {
    .task = "synthesis",
    .prompt = "analyst/synthesis",
    .fields = {{"question", .make = analyst_query_asked},
               {"explanation", SLOT(ANALYST_EXPLANATION)},
               {"analysis", SLOT(ANALYST_ANALYSIS_RESULTS)},
               {"doubts", SLOT(ANALYST_ANALYSIS_ERRORS)},
               {"answer", SLOT(ANALYST_RESPONSE)},
               {"errors", SLOT(ANALYST_QUALITY_ERRORS)},
               {"memory", SLOT(ANALYST_MEMORY)},
               {"context", SLOT(ANALYST_CONTEXT)},
               {"language", .make = facts_language}},
    .final_channel = true,
    .messages_slot = SLOT(ANALYST_MESSAGES),
    .first = synthesise_first,
    .keep = keep_answer,
};

/* ---- quality_check ---- */

static bool put_citations(struct node *node, const struct analyst_answer *answer)
{
    struct analyst_put put;
    struct json_write json;
    analyst_put_begin(&put, &json);
    json_write_array(&json);
    analyst_quality_cite(answer, &json);
    json_write_array_end(&json);
    return analyst_put_end(&put, node, ANALYST_CITATIONS);
}

static enum step check_quality(struct node *node)
{
    struct figures_results results;
    struct analyst_put put;
    struct json_write json;
    struct analyst_answer answer = {
        .text = node_str(node, ANALYST_RESPONSE),
        .question = analyst_query_asked(node),
        .charts = node_str(node, ANALYST_CHARTS),
        .results = read_results(node, &results) ? &results : NULL,
        .is_refusal = node_has(node, ANALYST_REFUSAL),
    };
    answer.hit_count = analyst_put_hits(node, &answer.hits);
    analyst_put_begin(&put, &json);
    json_write_array(&json);
    size_t count = analyst_quality_check(node_arena(node), &answer, &json);
    json_write_array_end(&json);
    if (count == 0 || !graph_budget_left(node_graph(node), node_state(node), SELF_HEAL))
        remember_save(node, node_str(node, ANALYST_CURRENT_QUERY),
                      answer.text); /* the next question may come at once */
    node_put_bool(node, ANALYST_RESPONSE_VALID, count == 0);
    return analyst_put_end(&put, node, ANALYST_QUALITY_ERRORS) && put_citations(node, &answer)
               ? STEP_DONE
               : analyst_put_fail(node, "what is wrong with the answer");
}

static const char *should_heal(const struct state *state, const struct graph *graph)
{
    return !state_bool(state, ANALYST_RESPONSE_VALID) && graph_budget_left(graph, state, SELF_HEAL)
               ? "invalid"
               : "valid";
}

static const struct graph_node_type check_node = {.enter = check_quality};

/* ---- tables ---- */

static const struct graph_node nodes[] = {
    [EXPLAIN] = {"text_explanation", &explain_node},
    [SYNTHESISE] = {"synthesis", &ask_node, &synthesise_ask},
    [CHECK] = {"quality_check", &check_node, .route = should_heal, .labels = {"invalid", "valid"}},
    [HEAL] = {"self_heal", &explain_node},
    [REMEMBER] = {"memory_update", &analyst_remember_node, &analyst_remember_ask,
                  .background = true},
};

static const struct graph_edge edges[] = {
    {GRAPH_START, EXPLAIN},     {EXPLAIN, SYNTHESISE},
    {SYNTHESISE, CHECK},        {CHECK, HEAL, "invalid", 1 + SELF_HEAL},
    {CHECK, REMEMBER, "valid"}, {HEAL, SYNTHESISE},
    {REMEMBER, GRAPH_END},
};

static const struct graph_budget budgets[] = {
    [SELF_HEAL] = {"self_heal", SLOT(ANALYST_SELF_HEAL_ATTEMPTS), SLOT(ANALYST_QUALITY_ERRORS),
                   MAX_HEALS},
};

const struct graph_def analyst_generation_graph = {
    .name = "analyst_generation",
    .purpose = "Writes an answer with charts and sources, and mends what does not hold.",
    .schema = {slots, ANALYST_SLOT_COUNT},
    .nodes = nodes,
    .node_count = countof(nodes),
    .edges = edges,
    .edge_count = countof(edges),
    .budgets = budgets,
    .budget_count = countof(budgets),
};
