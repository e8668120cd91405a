/* SPDX-License-Identifier: MIT */
/* agents/analyst/remember.c - stores one passage a turn, and for every KEPT_TURNS turns one summary
 * of them.
 *
 * Happy path: when enough turns are stored singly a model sums them up; the summary replaces their
 * passages; the new turn is written. The id of a passage is made of its text, so that earlier turns
 * are found by the messages of the conversation. Failure: without a summary the turns stay; a write
 * that fails is logged. The answer stands. */
#include "agents/analyst/remember.h"

#include "agents/analyst/state.h"
#include "agents/docs/ingest.h"
#include "agents/memory/history.h"
#include "agents/search/hybrid.h"

enum { KEPT_TURNS = 10, TURN_BYTES = 2048, TALK_BYTES = 24 * 1024, FIELDS = 4 };

struct remembering {
    struct ask_call call;
    struct docs_ingest ingest;
    struct docs_ingest_request request;
    struct docs_item items[2];
    struct passage_field fields[FIELDS];
    struct str stale[KEPT_TURNS];
    size_t stale_count;
    struct str talk; /* of the stale turns */
};

static node_fn summed_up, stored;

/* ---- what is remembered ---- */

static struct str id_of(struct node *node, const char *what, uint64_t hash)
{
    const struct session *session = node_session(node);
    uint64_t owner = str_hash(session->caller.company_id) * 31 + str_hash(session->caller.user_id);
    return arena_printf(node_arena(node), "%016llx-%016llx-%s-%016llx", (unsigned long long)owner,
                        (unsigned long long)str_hash(session->caller.conversation_id), what,
                        (unsigned long long)hash);
}

static struct str turn_id(struct node *node, struct str question, struct str answer)
{
    return id_of(node, "turn", str_hash(question) * 31 + str_hash(answer));
}

static void add_item(struct node *node, struct remembering *f, struct str id, struct str text)
{
    const struct session *session = node_session(node);
    f->fields[0] = (struct passage_field){STR("company_id"), session->caller.company_id};
    f->fields[1] = (struct passage_field){STR("user_id"), session->caller.user_id};
    f->fields[2] = (struct passage_field){STR("conversation_id"), session->caller.conversation_id};
    f->fields[3] = (struct passage_field){STR("document"), STR("conversation")};
    f->items[f->request.count++] = (struct docs_item){{id, text, f->fields, FIELDS}, text};
}

/* The turns before this one, which a summary is to replace: their ids and their text. */
static void look_back(struct node *node, struct remembering *f)
{
    enum { KEPT_MESSAGES = 2 * KEPT_TURNS };
    struct history_message messages[KEPT_MESSAGES + 2];
    const struct identity *key = &node_session(node)->caller;
    size_t count = history_last(services(node)->history, key, messages, countof(messages));
    struct buf talk;
    buf_init(&talk, TALK_BYTES);
    for (size_t i = 0; i + 2 < count; i++) {
        struct str text = str_utf8_prefix(messages[i].text, TALK_BYTES / KEPT_MESSAGES - 16);
        bool asks = messages[i].role == LLM_USER;
        buf_printf(&talk, "%s: %.*s\n", asks ? "user" : "assistant", STR_ARG(text));
        if (asks && messages[i + 1].role == LLM_ASSISTANT && f->stale_count < KEPT_TURNS)
            f->stale[f->stale_count++] = turn_id(node, messages[i].text, messages[i + 1].text);
    }
    f->talk = arena_str(node_arena(node), buf_str(&talk));
    buf_fini(&talk);
}

static struct str get_talk(struct node *node)
{
    const struct remembering *f = node_frame(node);
    return f->talk;
}

const struct ask_config analyst_remember_ask = {
    .task = "memory_compression",
    .prompt = "analyst/memory_compression",
    .fields = {{"conversation", .make = get_talk}},
};

/* ---- the node ---- */

static enum step store(struct node *node)
{
    struct remembering *f = node_frame(node);
    struct str question = node_str(node, ANALYST_CURRENT_QUERY);
    struct str answer = node_str(node, ANALYST_RESPONSE);
    struct str text = arena_printf(node_arena(node), "Question: %.*s\nAnswer: %.*s",
                                   STR_ARG(str_utf8_prefix(question, TURN_BYTES)),
                                   STR_ARG(str_utf8_prefix(answer, TURN_BYTES)));
    add_item(node, f, turn_id(node, question, answer), text);
    f->request.collection = HYBRID_MEMORY;
    f->request.items = f->items;
    f->request.stale_ids = f->stale;
    docs_ingest_start(&f->ingest, services(node), &f->request, node_waiter(node));
    return node_settle(node, stored);
}

/* Each time that KEPT_TURNS have come together before this one. */
static bool is_long(struct node *node)
{
    const struct services *has = services(node);
    const struct identity *key = &node_session(node)->caller;
    size_t turns = has->history == NULL ? 0 : history_count(has->history, key) / 2;
    return turns > KEPT_TURNS && turns % KEPT_TURNS == 1;
}

static enum step enter(struct node *node)
{
    struct remembering *f = node_frame(node);
    const struct services *has = services(node);
    const struct session *session = node_session(node);
    bool can = !str_is_empty(session->caller.user_id) &&
               !str_is_empty(session->caller.conversation_id) &&
               (has->text != NULL || (has->vec != NULL && has->embed != NULL));
    if (!can || str_is_empty(node_str(node, ANALYST_RESPONSE)) || node_has(node, ANALYST_REFUSAL))
        return STEP_DONE;
    if (!is_long(node))
        return store(node);
    look_back(node, f);
    return ask_begin(node, node_config(node), &f->call) ? node_settle(node, summed_up)
                                                        : store(node);
}

static enum step summed_up(struct node *node)
{
    struct remembering *f = node_frame(node);
    struct str summary = str_trim(f->call.chat.text);
    if (f->call.chat.op.err.code != ERR_OK || str_is_empty(summary)) {
        LOG(node_log(node), WARN, "analyst.not_compressed", "code=%s",
            err_name(f->call.chat.op.err.code));
        return store(node);
    }
    ask_count(node, node_config(node), &f->call);
    add_item(node, f, id_of(node, "summary", str_hash(f->talk)),
             arena_printf(node_arena(node), "Earlier in the conversation: %.*s",
                          STR_ARG(str_utf8_prefix(summary, TURN_BYTES))));
    f->request.stale_count = f->stale_count;
    return store(node);
}

static enum step stored(struct node *node)
{
    struct remembering *f = node_frame(node);
    if (f->ingest.op.err.code != ERR_OK)
        LOG(node_log(node), WARN, "analyst.not_remembered", "code=%s text=\"%s\"",
            err_name(f->ingest.op.err.code), f->ingest.op.err.text);
    return STEP_DONE;
}

const struct graph_node_type analyst_remember_node = {.enter = enter,
                                                      .frame_bytes = sizeof(struct remembering)};
