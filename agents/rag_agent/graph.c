/* SPDX-License-Identifier: MIT */
/* agents/rag_agent/graph.c - tables of the RAG agent: alone, retrieve, answer.
 *
 * Happy path: a follow-up is written by itself; it is looked up by meaning and keyword, the five
 * best chunks become the model's context, its answer streams out; then come its citations and the
 * sentences that no chunk supports. Failure: without any document the answer says so and no model
 * is asked; where the model finds no answer in the documents its sentence is the answer, and cites
 * nothing; a search or model that fails ends the run with its code. */
#include "agents/rag_agent/graph.h"

#include "agents/common/members.h"
#include "agents/common/refusals.h"
#include "agents/english/language.h"
#include "agents/nodes/ask.h"
#include "agents/nodes/facts.h"
#include "agents/nodes/remember.h"
#include "agents/nodes/search.h"
#include "agents/rag_agent/alone.h"
#include "agents/rag_agent/cite.h"
#include "agents/rag_agent/state.h"

enum { ALONE, RETRIEVE, ANSWER };
enum { TOP_K = 5 /* R137 */, JSON_BYTES = 1 << 20 };

static const struct slot slots[RAG_AGENT_SLOT_COUNT] = {
    [RAG_AGENT_QUESTION] = {"question", SLOT_TEXT, .writers = SLOT_WRITER_INPUT},
    [RAG_AGENT_MESSAGES] = {"messages", SLOT_LIST, REDUCE_APPEND,
                            SLOT_WRITER_INPUT | SLOT_WRITER(ALONE), .passing = true},
    [RAG_AGENT_SEARCH] = {"search", SLOT_TEXT, .writers = SLOT_WRITER_INPUT | SLOT_WRITER(ALONE)},
    [RAG_AGENT_CHUNKS] = {"chunks", SLOT_JSON, .writers = SLOT_WRITER(RETRIEVE)},
    [RAG_AGENT_CONTEXT] = {"context", SLOT_TEXT, .writers = SLOT_WRITER(RETRIEVE)},
    [RAG_AGENT_RESULT] = {"rag_result", SLOT_TEXT, .writers = SLOT_WRITER(ANSWER)},
    [RAG_AGENT_CITATIONS] = {"citations", SLOT_JSON, .writers = SLOT_WRITER(ANSWER)},
    [RAG_AGENT_UNSUPPORTED] = {"unsupported", SLOT_JSON, .writers = SLOT_WRITER(ANSWER)},
    [RAG_AGENT_WARNINGS] = {"warnings", SLOT_JSON, .writers = SLOT_WRITER(RETRIEVE)},
    [RAG_AGENT_REFUSAL] = {"refusal", SLOT_TEXT, .writers = SLOT_WRITER(ANSWER)},
    [RAG_AGENT_NO_DATA] = {"no_data", SLOT_TEXT, .writers = SLOT_WRITER_INPUT},
};

static const struct search_config retrieve = {
    .collection = "documents",
    .question_slot = SLOT(RAG_AGENT_QUESTION),
    .meant_slot = SLOT(RAG_AGENT_SEARCH),
    .top = TOP_K,
    .hits_slot = SLOT(RAG_AGENT_CHUNKS),
    .context_slot = SLOT(RAG_AGENT_CONTEXT),
    .warnings_slot = SLOT(RAG_AGENT_WARNINGS),
};

/* In a run of its own nobody else keeps the turn. */
static void put_result(struct node *node, struct str text)
{
    node_put_str(node, RAG_AGENT_RESULT, text);
    if (rag_agent_alone_is_own(node))
        remember_save(node, node_str(node, RAG_AGENT_QUESTION), text);
}

static void put_refusal(struct node *node, struct str text)
{
    put_result(node, text);
    node_put_str(node, RAG_AGENT_REFUSAL, text);
    node_put_str(node, RAG_AGENT_CITATIONS, STR("[]"));
}

/* Without a single chunk no model is asked: it could only make something up. */
static enum step first(struct node *node)
{
    struct str none = STR("There are no documents that I could answer this from.");
    if (!str_is_empty(node_str(node, RAG_AGENT_CONTEXT)))
        return STEP_WAIT;
    struct str no_data = node_str(node, RAG_AGENT_NO_DATA);
    if (!str_is_empty(no_data))
        none = refusals_sentence(node_arena(node), no_data);
    if (str_is_absent(none))
        return STEP_WAIT; /* the run ends for want of memory */
    node_emit_token(node, EVENT_FINAL_CHANNEL, none);
    put_refusal(node, none);
    return STEP_DONE;
}

static enum step keep(struct node *node, struct str answer)
{
    struct arena *arena = node_arena(node);
    const struct search_hit *hits;
    struct buf citations, unsupported;
    if (english_language_is_lacking(str_trim(answer))) {
        put_refusal(node, str_trim(answer));
        return STEP_DONE;
    }
    size_t count = search_read_hits(arena, node_str(node, RAG_AGENT_CHUNKS), &hits);
    buf_init(&citations, JSON_BYTES);
    buf_init(&unsupported, JSON_BYTES);
    size_t marked = rag_agent_cite(arena, answer, hits, count, &citations, &unsupported);
    put_result(node, str_trim(answer));
    if (buf_ok(&citations))
        node_put_str(node, RAG_AGENT_CITATIONS, buf_str(&citations));
    if (marked > 0 && buf_ok(&unsupported))
        node_put_str(node, RAG_AGENT_UNSUPPORTED, buf_str(&unsupported));
    buf_fini(&citations);
    buf_fini(&unsupported);
    return STEP_DONE;
}

static const struct ask_config answer_ask = {
    .task = "rag_answer",
    .prompt = "rag_agent/answer",
    .fields = {{"question", SLOT(RAG_AGENT_QUESTION)},
               {"search", SLOT(RAG_AGENT_SEARCH)},
               {"context", SLOT(RAG_AGENT_CONTEXT)},
               {"language", .make = facts_language}},
    .final_channel = true,
    .messages_slot = SLOT(RAG_AGENT_MESSAGES),
    .first = first,
    .keep = keep,
};

static const struct graph_node nodes[] = {
    [ALONE] = {"alone", &rag_agent_alone_node, &rag_agent_alone_ask},
    [RETRIEVE] = {"retrieve", &search_node, &retrieve},
    [ANSWER] = {"answer", &ask_node, &answer_ask},
};

static const struct graph_edge edges[] = {
    {GRAPH_START, ALONE},
    {ALONE, RETRIEVE},
    {RETRIEVE, ANSWER},
    {ANSWER, GRAPH_END},
};

static void report(const struct state *state, struct buf *out)
{
    members_raw(out, "citations", state_str(state, RAG_AGENT_CITATIONS));
    members_raw(out, "unsupported", state_str(state, RAG_AGENT_UNSUPPORTED));
    members_raw(out, "warnings", state_str(state, RAG_AGENT_WARNINGS));
    members_str(out, "abstained", state_str(state, RAG_AGENT_REFUSAL));
}

const struct graph_def rag_agent_graph = {
    .name = RAG_AGENT_NAME,
    .purpose = "Answers from documents and says which.",
    .schema = {slots, RAG_AGENT_SLOT_COUNT},
    .nodes = nodes,
    .node_count = countof(nodes),
    .edges = edges,
    .edge_count = countof(edges),
    .report = report,
};

static const struct prompt_spec prompts[] = {
    {"rag_agent/alone", {"question", "conversation"}},
    {"rag_agent/answer", {"question", "search", "context", "language"}},
};

const struct registry_entry rag_agent_entry = {
    .def = &rag_agent_graph,
    .question = RAG_AGENT_QUESTION,
    .works_blind = true,
    .prompts = prompts,
    .prompt_count = countof(prompts),
};
