/* SPDX-License-Identifier: MIT */
/* agents/nodes/summarise.c - sums a few turns up as a part; the oldest of too many parts joins the
 * summary of everything earlier.
 *
 * Happy path: the turns are in memory, or come from the store; a model sums them up; where there
 * are then too many parts it sums up the oldest with everything earlier; the note goes to memory
 * and to the store. Failure: an error of the model or the store is logged, nothing is changed, and
 * the next turn tries again. */
#include "agents/nodes/summarise.h"

#include "agents/memory/extracts.h"
#include "agents/memory/recall.h"
#include "agents/memory/tiers.h"
#include "core/store/store.h"

enum { NOTE_BYTES = 16 * 1024, TALK_BYTES = 64 * 1024, MEMORY_MOST = 128 };

struct summarising {
    struct ask_call call;
    struct tiers tiers;
    uint64_t first, last; /* turns */
    struct str talk;
    struct store_call store;
    struct store_load load;
    struct store_keep keep;
};

static node_fn loaded, summed_up, joined, kept; /* in running order */

static bool find_due(struct node *node, struct tiers *tiers, uint64_t *first, uint64_t *last)
{
    const struct services *has = services(node);
    const struct identity *key = &node_session(node)->caller;
    if (!has->limits->tiered_memory || has->history == NULL || str_is_empty(key->conversation_id))
        return false;
    if (!tiers_read(tiers, history_note(has->history, key, HISTORY_SUMMARY), node_arena(node)))
        LOG(node_log(node), WARN, "conversation.summary_unread", "strategy=anew");
    return tiers_due(tiers, history_said(has->history, key) / 2, first, last);
}

bool summarise_is_due(struct node *node)
{
    struct tiers tiers;
    uint64_t first, last;
    return find_due(node, &tiers, &first, &last);
}

static struct str get_talk(struct node *node)
{
    const struct summarising *f = node_frame(node);
    return f->talk;
}

const struct ask_config summarise_ask = {
    .task = "conversation_summary",
    .prompt = "orchestrator/conversation_summary",
    .fields = {{"conversation", .make = get_talk}},
    .zero_temperature = true,
};

static enum step give_up(struct node *node, const char *what, const struct err *err)
{
    LOG(node_log(node), WARN, "conversation.not_summarised", "%s code=%s text=\"%s\"", what,
        err_name(err->code), err->text);
    return STEP_DONE;
}

static enum step ask(struct node *node, struct buf *talk, node_fn *next)
{
    struct summarising *f = node_frame(node);
    const struct err no_memory = {.code = ERR_NO_MEMORY};
    f->talk = buf_ok(talk) ? arena_str(node_arena(node), buf_str(talk)) : (struct str){NULL, 0};
    buf_fini(talk);
    op_release(&f->call.chat.op); /* of the part, when all that was earlier follows */
    f->call = (struct ask_call){0};
    if (str_is_absent(f->talk) || !ask_begin(node, node_config(node), &f->call))
        return give_up(node, "step=ask", &no_memory);
    return node_settle(node, next);
}

/* The turns as memory has them; false: some are not there any more. */
static bool recall(struct node *node, struct buf *talk)
{
    const struct summarising *f = node_frame(node);
    const struct history *history = services(node)->history;
    const struct identity *key = &node_session(node)->caller;
    struct history_message messages[MEMORY_MOST];
    uint64_t back = history_said(history, key) - 2 * (f->first - 1);
    if (back > MEMORY_MOST || history_last(history, key, messages, (size_t)back) != back)
        return false;
    for (size_t i = 0; i < 2 * (f->last - f->first + 1); i += 2)
        extracts_push_turn(talk, messages[i].text, messages[i + 1].text);
    return true;
}

static enum step enter(struct node *node)
{
    struct summarising *f = node_frame(node);
    struct buf talk;
    if (!find_due(node, &f->tiers, &f->first, &f->last))
        return STEP_DONE;
    buf_init(&talk, TALK_BYTES);
    if (recall(node, &talk))
        return ask(node, &talk, summed_up);
    buf_fini(&talk);
    if (services(node)->store == NULL)
        return STEP_DONE; /* they are nowhere */
    f->load = (struct store_load){.key = node_session(node)->caller,
                                  .before_turn = f->last + 1,
                                  .turn_limit = f->last - f->first + 1};
    store_load_start(&f->store, services(node)->store, &f->load, node_waiter(node));
    return node_settle(node, loaded);
}

static enum step loaded(struct node *node)
{
    struct summarising *f = node_frame(node);
    struct buf talk;
    if (f->store.op.err.code != ERR_OK)
        return give_up(node, "step=load", &f->store.op.err);
    buf_init(&talk, TALK_BYTES);
    for (size_t i = 0; i < f->store.turn_count; i++)
        extracts_push_turn(&talk, f->store.turns[i].question, f->store.turns[i].answer);
    op_release(&f->store.op);
    return ask(node, &talk, summed_up);
}

/* The summary that the model made of the turns; absent: the call failed, and that is logged. */
static struct str take_summary(struct node *node)
{
    struct summarising *f = node_frame(node);
    struct err err = f->call.chat.op.err;
    struct str summary = str_trim(f->call.chat.text);
    if (err.code == ERR_OK && !str_is_empty(summary)) {
        ask_count(node, node_config(node), &f->call);
        return summary;
    }
    if (err.code == ERR_OK)
        err_set(&err, ERR_PROTOCOL, "the summary is empty");
    (void)give_up(node, "step=ask", &err);
    return (struct str){NULL, 0};
}

/* To memory and to the store. */
static enum step keep_note(struct node *node)
{
    struct summarising *f = node_frame(node);
    const struct identity *key = &node_session(node)->caller;
    const struct err no_memory = {.code = ERR_NO_MEMORY};
    struct tiers now;
    struct buf note;
    if (tiers_read(&now, history_note(services(node)->history, key, HISTORY_SUMMARY),
                   node_arena(node)) &&
        tiers_covered(&now) >= f->last)
        return STEP_DONE; /* a later turn was faster */
    buf_init(&note, NOTE_BYTES);
    tiers_write(&f->tiers, &note);
    struct str bytes =
        buf_ok(&note) ? arena_str(node_arena(node), buf_str(&note)) : (struct str){NULL, 0};
    buf_fini(&note);
    if (str_is_absent(bytes))
        return give_up(node, "step=keep", &no_memory);
    history_set_note(services(node)->history, key, HISTORY_SUMMARY, bytes);
    if (services(node)->store == NULL)
        return STEP_DONE;
    f->keep = (struct store_keep){node_session(node)->caller, {STR(RECALL_SUMMARY), bytes}};
    store_keep_start(&f->store, services(node)->store, &f->keep, node_waiter(node));
    return node_settle(node, kept);
}

static enum step summed_up(struct node *node)
{
    struct summarising *f = node_frame(node);
    struct str summary = take_summary(node);
    struct buf talk;
    if (str_is_absent(summary))
        return STEP_DONE;
    tiers_add(&f->tiers, f->last, summary);
    if (!tiers_overflows(&f->tiers))
        return keep_note(node);
    buf_init(&talk, TALK_BYTES);
    if (f->tiers.earlier.last > 0)
        buf_printf(&talk, "%.*s\n", STR_ARG(f->tiers.earlier.text));
    buf_printf(&talk, "%.*s\n", STR_ARG(f->tiers.parts[0].text));
    return ask(node, &talk, joined);
}

static enum step joined(struct node *node)
{
    struct summarising *f = node_frame(node);
    struct str summary = take_summary(node);
    if (str_is_absent(summary))
        return STEP_DONE;
    tiers_join(&f->tiers, summary);
    return keep_note(node);
}

static enum step kept(struct node *node)
{
    const struct summarising *f = node_frame(node);
    if (f->store.op.err.code != ERR_OK)
        return give_up(node, "step=keep", &f->store.op.err);
    return STEP_DONE;
}

const struct graph_node_type summarise_node = {.enter = enter,
                                               .frame_bytes = sizeof(struct summarising)};
