/* SPDX-License-Identifier: MIT */
/* core/run/node.h - what a node function may do.
 *
 * A node is entered once per visit, starts operations with node_waiter(), and returns. Its
 * functions are a sequence: each ends in node_await, node_settle, STEP_DONE, node_fail or
 * node_interrupt. Reads see the state as on entry; puts are merged when the superstep ends. The
 * frame is zeroed memory of the visit and needs no destructor: the walk cancels and releases
 * operations and frees it. Loop thread only. */
#ifndef CORE_RUN_NODE_H
#define CORE_RUN_NODE_H

#include "core/base/log.h"
#include "core/store/event.h"
#include "core/run/graph.h"
#include "core/loop/op.h"

struct node;

/* This visit's frame, its table entry's config, its name, and the run's services (agents/
 * services.h casts it). */
void *node_frame(struct node *node);
const void *node_config(const struct node *node);
const char *node_name(const struct node *node);
void *node_services(const struct node *node);
const struct graph *node_graph(const struct node *node);
/* Memory that lives as long as the run. */
struct arena *node_arena(struct node *node);
/* Memory that lives as long as this visit, as its frame does: for what nobody needs behind it. It
 * counts against the run's. What is put, said or noted from it is copied. */
struct arena *node_scratch(struct node *node);
struct loop *node_loop(struct node *node);
const struct log *node_log(const struct node *node);
/* 1 on the first visit of this node in this run, counting up with retries of the node. */
unsigned node_visit(const struct node *node);
/* The attempt that the node's tokens carry: 1, and one more whenever the node starts again after it
 * had streamed. */
unsigned node_attempt(const struct node *node);

/* What the node has streamed is void: what it streams from now on is of the next attempt. */
void node_begin_attempt(struct node *node);

/* The state on entry. */
const struct state *node_state(const struct node *node);
static inline struct str node_str(const struct node *node, unsigned slot)
{
    return state_str(node_state(node), slot);
}
static inline int64_t node_int(const struct node *node, unsigned slot)
{
    return state_int(node_state(node), slot);
}
static inline bool node_has(const struct node *node, unsigned slot)
{
    return state_has(node_state(node), slot);
}

/* Stage a value; copied; merged at the end of the superstep if the node succeeds. */
void node_put_str(struct node *node, unsigned slot, struct str value);
void node_put_int(struct node *node, unsigned slot, int64_t value);
void node_put_real(struct node *node, unsigned slot, double value);
void node_put_bool(struct node *node, unsigned slot, bool value);
void node_push_item(struct node *node, unsigned slot, struct str item);
void node_clear(struct node *node, unsigned slot);

/* Whether an event of the kind would be made: for one that costs something to write. */
bool node_is_heard(struct node *node, enum event_kind kind);
/* Say something to the run's readers. Text is copied; the token path allocates nothing and logs
 * nothing. Text of other channels than "final" is said at detail debug only; long text becomes
 * several events, cut at characters. Other events the log has no room for (a quarter of its limit)
 * are dropped with a warning in the program's log. */
void node_emit_token(struct node *node, const char *channel, struct str text);
void node_emit(struct node *node, enum event_kind kind, struct str name, struct str text,
               int64_t number);
/* One model call that ended, to be counted into the run's stats; tokens of the final channel count
 * as answer. model is copied at first use. */
struct node_usage {
    uint64_t prompt_tokens, completion_tokens;
    uint64_t cached_tokens, reasoning_tokens; /* of these */
    double cost;                              /* 0: not known */
    bool estimated, final_channel;
    struct str model;
};
void node_count_llm(struct node *node, const struct node_usage *usage);
void node_count_sql(struct node *node);
/* So many statements for one question were compared by their rows; decided: they differed, and a
 * model decided. */
void node_count_candidates(struct node *node, uint64_t count, bool decided);

/* For start functions: done leads back into this node. */
struct op_waiter node_waiter(struct node *node);
/* The node an operation of node_waiter() belongs to, for on_text callbacks. */
struct node *node_of(const struct op *op);
/* Resume in next when all started operations succeeded; when one fails, cancel the others and fail
 * the node with the first error. With nothing started, next runs on the next turn. */
MUST_USE enum step node_await(struct node *node, node_fn *next);
/* Resume in next when all started operations ended, well or badly: look at their op.err. */
MUST_USE enum step node_settle(struct node *node, node_fn *next);
/* next runs at the end of this turn, though operations that the node awaits have not ended: it may
 * see that enough has come of them. Unless they all end before. For callbacks of operations. */
void node_hasten(struct node *node, node_fn *next);
/* What the node is there for is done, though operations go on, for a quarter of a second at most:
 * what it put is merged, and the graph goes on. last runs when they have ended, well or badly; it
 * may count what they took, and nothing else. From a next of node_hasten. */
MUST_USE enum step node_leave(struct node *node, node_fn *last);
/* End the node badly: err becomes the run's error, or the catch slot's text. */
MUST_USE enum step node_fail(struct node *node, const struct err *err);
/* node_fail with a wire code of the closed list ("sql_rejected") instead of the one derived from
 * err and the failing operation's kind. */
MUST_USE enum step node_fail_as(struct node *node, const char *code, const struct err *err);
/* Pause the run for a person; details: JSON members. What the superstep's nodes put is dropped:
 * when the run goes on, all of them are entered again. */
MUST_USE enum step node_interrupt(struct node *node, struct str details);
/* End the run well, here: what this superstep put is kept, nothing follows it. */
static inline MUST_USE enum step node_end_run(struct node *node UNUSED)
{
    return STEP_LAST;
}
/* Memos are what a visit has done so far and must not be done again: when the run pauses or is
 * taken over, the node is entered again and finds them. They are dropped when the superstep is
 * merged. node_put_memo: copied; the last of a key counts. node_find_memo: absent: there is none.
 */
void node_put_memo(struct node *node, struct str key, struct str text);
struct str node_find_memo(const struct node *node, struct str key);
/* A person's answer to this node, one JSON value; absent: nobody was asked yet. Borrowed. */
struct str node_resume(const struct node *node);

#endif
