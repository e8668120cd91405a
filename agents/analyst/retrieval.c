/* SPDX-License-Identifier: MIT */
/* agents/analyst/retrieval.c - tables of the retrieval sub-graph, and its small nodes.
 *
 * Happy path: memory_and_query, retrieval, validation. Failure: where the passages are not
 * sufficient refinement adds the words of the gaps and retrieval runs again, three times at most
 * and only as long as that finds something new; then the analyst goes on with what was found. A
 * model or stores that cannot be reached end the sub-graph. */
#include "agents/analyst/retrieval.h"

#include "agents/analyst/look_up.h"
#include "agents/analyst/put.h"
#include "agents/analyst/query.h"
#include "agents/analyst/state.h"
#include "agents/common/extract.h"
#include "agents/nodes/ask.h"
#include "proto/json_value.h"
#include "proto/json_write.h"

enum { UNDERSTAND, RETRIEVE, VALIDATE, REFINE };
enum { REFINEMENT };
enum { MAX_REFINEMENTS = 3, MAX_KEYWORD_BYTES = 4096 };

#define FROM_INPUT                                                                                 \
    (ANALYST_BIT(CURRENT_QUERY) | ANALYST_BIT(USER_ID) | ANALYST_BIT(SESSION_ID) |                 \
     ANALYST_BIT(RETRIEVAL_ATTEMPTS))
#define FROM_UNDERSTAND (ANALYST_BIT(MESSAGES) | ANALYST_BIT(PROCESSED_QUERY) | ANALYST_BIT(MEMORY))
#define FROM_RETRIEVE                                                                              \
    (ANALYST_BIT(RETRIEVED_CONTEXT) | ANALYST_BIT(CONTEXT) | ANALYST_BIT(IS_NEWS) |                \
     ANALYST_BIT(WARNINGS))
#define FROM_VALIDATE (ANALYST_BIT(RETRIEVAL_SUFFICIENT) | ANALYST_BIT(GAPS))
#define FROM_REFINE   ANALYST_BIT(KEYWORDS)
#define BY(slot)                                                                                   \
    (ANALYST_WRITES(slot, FROM_INPUT, SLOT_WRITER_INPUT) |                                         \
     ANALYST_WRITES(slot, FROM_UNDERSTAND, SLOT_WRITER(UNDERSTAND)) |                              \
     ANALYST_WRITES(slot, FROM_RETRIEVE, SLOT_WRITER(RETRIEVE)) |                                  \
     ANALYST_WRITES(slot, FROM_VALIDATE, SLOT_WRITER(VALIDATE)) |                                  \
     ANALYST_WRITES(slot, FROM_REFINE, SLOT_WRITER(REFINE)))

static const struct slot slots[ANALYST_SLOT_COUNT] = ANALYST_SLOTS(BY);

/* ---- validation ---- */

/* Without a passage there is nothing to judge: what is asked is the gap. Where a refinement found
 * nothing new, what was lacking is lacking still. */
static enum step validate_first(struct node *node)
{
    const struct search_hit *hits;
    struct analyst_put put;
    struct json_write json;
    if (analyst_put_hits(node, &hits) > 0)
        return state_bool(node_state(node), ANALYST_IS_NEWS) ? STEP_WAIT : STEP_DONE;
    analyst_put_begin(&put, &json);
    json_write_array(&json);
    json_write_str(&json, STR("no passage was found"));
    json_write_array_end(&json);
    node_put_bool(node, ANALYST_RETRIEVAL_SUFFICIENT, false);
    return analyst_put_end(&put, node, ANALYST_GAPS) ? STEP_DONE : analyst_put_fail(node, "a gap");
}

/* An answer of another shape judges nothing: then the passages there are must do. */
static enum step keep_verdict(struct node *node, struct str answer)
{
    struct arena *arena = node_arena(node);
    struct str object = extract_json(answer, '{');
    const struct json_value *root =
        str_is_absent(object) ? NULL : json_value_parse(arena, object, NULL, NULL);
    const struct json_value *flag = json_value_member(root, STR("sufficient"));
    const struct json_value *gaps = json_value_member(root, STR("gaps"));
    bool sufficient = flag == NULL || flag->type != JSON_BOOL || flag->boolean;
    struct analyst_put put;
    struct json_write json;
    analyst_put_begin(&put, &json);
    json_write_array(&json);
    if (gaps != NULL && gaps->type == JSON_ARRAY && !sufficient)
        JSON_EACH(gap, gaps) {
            if (gap->type == JSON_STRING)
                json_write_str(&json, gap->text);
        }
    json_write_array_end(&json);
    node_put_bool(node, ANALYST_RETRIEVAL_SUFFICIENT, sufficient);
    return analyst_put_end(&put, node, ANALYST_GAPS) ? STEP_DONE : analyst_put_fail(node, "a gap");
}

static const struct ask_config validate_ask = {
    .task = "context_validation",
    .prompt = "analyst/context_validation",
    .fields = {{"question", .make = analyst_query_asked}, {"context", SLOT(ANALYST_CONTEXT)}},
    .answer = "{\"type\":\"object\",\"properties\":{\"sufficient\":{\"type\":\"boolean\"},"
              "\"gaps\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}},"
              "\"required\":[\"sufficient\",\"gaps\"],\"additionalProperties\":false}",
    .first = validate_first,
    .keep = keep_verdict,
};

static const char *should_refine(const struct state *state, const struct graph *graph)
{
    const bool may_find =
        state_int(state, ANALYST_RETRIEVAL_ATTEMPTS) == 0 || state_bool(state, ANALYST_IS_NEWS);
    return !state_bool(state, ANALYST_RETRIEVAL_SUFFICIENT) && may_find &&
                   graph_budget_left(graph, state, REFINEMENT)
               ? "insufficient"
               : "sufficient";
}

/* ---- refinement ---- */

/* The gaps' words; earlier ones were found or are gaps still. */
static enum step refine(struct node *node)
{
    struct analyst_texts gaps;
    struct buf words;
    buf_init(&words, MAX_KEYWORD_BYTES);
    analyst_query_texts(node_arena(node), node_str(node, ANALYST_GAPS), &gaps);
    for (size_t i = 0; i < gaps.count; i++) {
        if (buf_len(&words) + gaps.at[i].len + 1 > MAX_KEYWORD_BYTES)
            break;
        buf_printf(&words, "%s%.*s", i > 0 ? " " : "", STR_ARG(gaps.at[i]));
    }
    node_put_str(node, ANALYST_KEYWORDS, buf_str(&words));
    buf_fini(&words);
    return STEP_DONE;
}

static const struct graph_node_type refine_node = {.enter = refine};

/* ---- tables ---- */

static const struct graph_node nodes[] = {
    [UNDERSTAND] = {"memory_and_query", &analyst_look_up_question, &analyst_look_up_ask},
    [RETRIEVE] = {"retrieval", &analyst_look_up_passages},
    [VALIDATE] = {"validation", &ask_node, &validate_ask, .route = should_refine,
                  .labels = {"insufficient", "sufficient"}},
    [REFINE] = {"refinement", &refine_node},
};

static const struct graph_edge edges[] = {
    {GRAPH_START, UNDERSTAND},
    {UNDERSTAND, RETRIEVE},
    {RETRIEVE, VALIDATE},
    {VALIDATE, REFINE, "insufficient", 1 + REFINEMENT},
    {VALIDATE, GRAPH_END, "sufficient"},
    {REFINE, RETRIEVE},
};

static const struct graph_budget budgets[] = {
    [REFINEMENT] = {"refinement", SLOT(ANALYST_RETRIEVAL_ATTEMPTS), SLOT(ANALYST_GAPS),
                    MAX_REFINEMENTS},
};

const struct graph_def analyst_retrieval_graph = {
    .name = "analyst_retrieval",
    .purpose = "Finds passages for a question and looks again for what they lack.",
    .schema = {slots, ANALYST_SLOT_COUNT},
    .nodes = nodes,
    .node_count = countof(nodes),
    .edges = edges,
    .edge_count = countof(edges),
    .budgets = budgets,
    .budget_count = countof(budgets),
};
