/* SPDX-License-Identifier: MIT */
/* agents/rag_agent/alone.c - one call of a model, where there is a conversation to go on.
 *
 * Happy path: the conversation's newest turns and the question become one question. Failure: a call
 * that fails, an answer without a word or one longer than any question is no rewriting: the bare
 * question is searched for, and the log says so; a cancelled call ends the node. */
#include "agents/rag_agent/alone.h"

#include "agents/common/content.h"
#include "agents/nodes/ask.h"
#include "agents/nodes/remember.h"
#include "agents/rag_agent/state.h"

enum { TURNS = 3, FEW_WORDS = 3, LONGEST = 2000 };

static node_fn keep;

static struct str make_recent(struct node *node)
{
    return remember_recent(node, TURNS);
}

const struct ask_config rag_agent_alone_ask = {
    .task = "question_rewriting",
    .prompt = "rag_agent/alone",
    .fields = {{"question", SLOT(RAG_AGENT_QUESTION)}, {"conversation", .make = make_recent}},
};

/* The question that was asked before this one; absent: none. */
static struct str asked_last(struct node *node)
{
    struct str rest = make_recent(node), last = {NULL, 0}, asker = STR("user: ");
    while (!str_is_absent(rest)) {
        struct str line = str_split(&rest, '\n');
        if (str_starts_with(line, asker))
            last = str_from(line, asker.len);
    }
    return last;
}

/* Without a model: few words of content are not enough to search for. */
static enum step follow(struct node *node)
{
    struct str words[CONTENT_MAX_WORDS], last = asked_last(node);
    struct str question = node_str(node, RAG_AGENT_QUESTION);
    if (!str_is_absent(last) &&
        content_words(node_arena(node), question, words, CONTENT_MAX_WORDS) < FEW_WORDS)
        node_put_str(node, RAG_AGENT_SEARCH,
                     arena_printf(node_arena(node), "%.*s %.*s", STR_ARG(last), STR_ARG(question)));
    return STEP_DONE;
}

bool rag_agent_alone_is_own(const struct node *node)
{
    return str_equal(node_session(node)->graph, STR(RAG_AGENT_NAME));
}

static enum step enter(struct node *node)
{
    struct ask_call *f = node_frame(node);
    if (rag_agent_alone_is_own(node))
        remember_load(node, RAG_AGENT_MESSAGES, node_str(node, RAG_AGENT_QUESTION));
    if (node_has(node, RAG_AGENT_SEARCH) || make_recent(node).len == 0)
        return STEP_DONE;
    if (services(node)->limits->no_model)
        return follow(node);
    if (ask_begin(node, &rag_agent_alone_ask, f))
        return node_settle(node, keep);
    LOG(node_log(node), WARN, "rag.not_rewritten", "code=%s", err_name(ERR_NO_MEMORY));
    return STEP_DONE;
}

static enum step keep(struct node *node)
{
    const struct ask_call *f = node_frame(node);
    const struct err *err = &f->chat.op.err;
    struct str text = str_trim(f->chat.text);
    if (err->code == ERR_CANCELLED)
        return node_fail_as(node, "cancelled", err);
    if (err->code == ERR_OK)
        ask_count(node, &rag_agent_alone_ask, f);
    if (err->code == ERR_OK && text.len > 0 && text.len <= LONGEST)
        node_put_str(node, RAG_AGENT_SEARCH, text);
    else
        LOG(node_log(node), WARN, "rag.not_rewritten", "code=%s", err_name(err->code));
    return STEP_DONE;
}

const struct graph_node_type rag_agent_alone_node = {.enter = enter,
                                                     .frame_bytes = sizeof(struct ask_call)};
