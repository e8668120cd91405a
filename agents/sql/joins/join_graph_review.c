/* SPDX-License-Identifier: MIT */
/* agents/sql/joins/join_graph_review.c - batches of doubtful relationships, one question each.
 *
 * Happy path: number the next batch, ask, read [{"n","verdict","confidence"}], put the verdicts in
 * the edges, tell, go on.
 * Failure paths: the model's error ends the review; an answer without a single verdict is passed
 * over, the third in a row ends it with ERR_PROTOCOL; no memory. All that was judged stays. */
#include "agents/sql/joins/join_graph_review.h"

#include "agents/common/extract.h"
#include "agents/common/prompt.h"
#include "agents/sql/joins/join_graph_internal.h"
#include "core/base/mem.h"
#include "proto/json_value.h"

enum {
    DEFAULT_BATCH = 20,
    MAX_BATCH = 50,
    MAX_USELESS = 3,
    ARENA_BYTES = 4 << 20,
    QUESTION_BYTES = 256 << 10,
    MAX_COLUMNS = 30, /* of a table, in a question */
    OUTPUT_TOKENS = 4000,
};
static const double default_below = 0.7;

const struct prompt_spec join_graph_review_prompt = {"sql/join_review", {"relationships"}};

struct reviewing { /* what review.impl points at */
    struct join_graph_review *review;
    struct join_graph *graph;
    struct llm *llm;
    struct join_graph_review_options options;
    struct arena arena; /* of the batch */
    struct llm_chat chat;
    struct llm_prompt prompt;
    struct list calls;
    size_t batch[MAX_BATCH], batch_count; /* edges asked about */
    size_t next;                          /* edge to look at */
    unsigned useless;
};

static bool is_doubtful(const struct join_edge *edge, double below)
{
    return edge->verdict == JOIN_UNJUDGED && edge->confidence < below &&
           (edge->type == JOIN_INFERRED || edge->type == JOIN_ASSOCIATION);
}

size_t join_graph_doubtful(const struct join_graph *graph, double below)
{
    size_t count = 0;
    for (size_t i = 0; i < graph->edge_count; i++)
        count += is_doubtful(&graph->edges[i], below > 0.0 ? below : default_below);
    return count;
}

static void cancel_review(struct op *op)
{
    struct reviewing *r = container_of(op, struct join_graph_review, op)->impl;
    if (r != NULL)
        op_group_cancel(&r->calls);
}

static const struct op_kind kind = {.name = "joins.review", .cancel = cancel_review};

static void finish(struct reviewing *r, const struct err *err)
{
    struct join_graph_review *review = r->review;
    struct err result = *err;
    op_group_release(&r->calls);
    arena_fini(&r->arena);
    mem_free(r);
    review->impl = NULL;
    op_finish_err(&review->op, &result);
}

/* ---- the question */

static void push_table(const struct join_graph *graph, int table, struct buf *out)
{
    const struct join_table *at = &graph->tables[table];
    buf_printf(out, "\n   %.*s(", STR_ARG(at->name));
    for (size_t i = 0; i < at->column_count && i < MAX_COLUMNS; i++)
        buf_printf(out, "%s%.*s", i == 0 ? "" : ", ", STR_ARG(at->columns[i]));
    buf_push(out, at->column_count > MAX_COLUMNS ? STR(", ...)") : STR(")"));
}

static struct str question(struct reviewing *r)
{
    struct buf out;
    buf_init(&out, QUESTION_BYTES);
    for (size_t i = 0; i < r->batch_count; i++) {
        const struct join_edge *edge = &r->graph->edges[r->batch[i]];
        buf_printf(&out, "%zu. ", i + 1);
        join_graph_write_edge(r->graph, edge, &out);
        buf_printf(&out, ", %s, confidence %.2f", join_graph_type_name(edge->type),
                   edge->confidence);
        push_table(r->graph, edge->from_table, &out);
        push_table(r->graph, edge->to_table, &out);
        buf_push_char(&out, '\n');
    }
    struct str text = buf_ok(&out) ? arena_str(&r->arena, buf_str(&out)) : (struct str){NULL, 0};
    buf_fini(&out);
    return text;
}

/* ---- the answer */

static void judge(struct reviewing *r, const struct json_value *item)
{
    const struct json_value *number = json_value_member(item, STR("n"));
    const struct json_value *verdict = json_value_member(item, STR("verdict"));
    const struct json_value *sure = json_value_member(item, STR("confidence"));
    if (number == NULL || number->type != JSON_INT || number->integer < 1 ||
        number->integer > (int64_t)r->batch_count || verdict == NULL ||
        verdict->type != JSON_STRING)
        return;
    struct join_edge *edge = &r->graph->edges[r->batch[number->integer - 1]];
    double confidence = 0.5;
    if (sure != NULL && (sure->type == JSON_INT || sure->type == JSON_DOUBLE))
        confidence = sure->number < 0.0 ? 0.0 : sure->number > 1.0 ? 1.0 : sure->number;
    if (edge->verdict != JOIN_UNJUDGED)
        return;
    if (str_equal_nocase(verdict->text, STR("yes"))) {
        edge->verdict = JOIN_CONFIRMED;
        edge->confidence = confidence > edge->confidence ? confidence : edge->confidence;
        r->review->confirmed++;
    } else if (str_equal_nocase(verdict->text, STR("no"))) {
        edge->verdict = JOIN_REFUSED;
        edge->confidence =
            1.0 - confidence < edge->confidence ? 1.0 - confidence : edge->confidence;
        r->review->refused++;
    } else if (str_equal_nocase(verdict->text, STR("unsure"))) {
        edge->verdict = JOIN_UNCLEAR;
        r->review->unclear++;
    }
}

static size_t judged(const struct join_graph_review *review)
{
    return review->confirmed + review->refused + review->unclear;
}

static op_fn on_answer;

static void ask(struct reviewing *r)
{
    struct err err = {0};
    r->batch_count = 0;
    for (; r->next < r->graph->edge_count && r->batch_count < r->options.batch; r->next++) {
        if (is_doubtful(&r->graph->edges[r->next], r->options.below))
            r->batch[r->batch_count++] = r->next;
    }
    if (r->batch_count == 0) {
        finish(r, &err);
        return;
    }
    arena_fini(&r->arena);
    arena_init(&r->arena, ARENA_BYTES);
    const struct llm_field field = {STR("relationships"), question(r)};
    size_t count = 0, extra_at;
    const struct llm_message *messages = NULL;
    if (!str_is_absent(field.value))
        messages = prompt_render(r->options.prompts, join_graph_review_prompt.name, &field, 1, 0,
                                 &r->arena, &count, &extra_at);
    if (messages == NULL) {
        err_set(&err, ERR_NO_MEMORY, "no memory to ask about %zu relationships", r->batch_count);
        finish(r, &err);
        return;
    }
    r->prompt = (struct llm_prompt){.task = "join_review",
                                    .messages = messages,
                                    .message_count = count,
                                    .max_output_tokens = OUTPUT_TOKENS,
                                    .arena = &r->arena};
    llm_chat_start(&r->chat, r->llm, &r->prompt, NULL, (struct op_waiter){on_answer, r, &r->calls});
}

static void on_answer(struct op *op)
{
    struct reviewing *r = op_owner(op);
    struct err err = op->err;
    size_t before = judged(r->review);
    if (err.code != ERR_OK) {
        finish(r, &err);
        return;
    }
    const struct json_value *answer =
        json_value_parse(&r->arena, extract_json(r->chat.text, '['), NULL, &err);
    err = (struct err){0};
    if (answer != NULL && answer->type == JSON_ARRAY) {
        JSON_EACH(item, answer)
            judge(r, item);
    }
    r->review->unanswered += r->batch_count - (judged(r->review) - before);
    r->useless = judged(r->review) > before ? 0 : r->useless + 1;
    op_release(op);
    if (r->options.on_batch != NULL)
        r->options.on_batch(r->options.owner, r->review);
    if (r->useless < MAX_USELESS) {
        ask(r);
        return;
    }
    err_set(&err, ERR_PROTOCOL, "the model's last %d answers held no verdict", MAX_USELESS);
    finish(r, &err);
}

void join_graph_review_start(struct join_graph_review *review, struct join_graph *graph,
                             struct llm *llm, const struct join_graph_review_options *options,
                             struct op_waiter waiter)
{
    struct reviewing *r = mem_zalloc(1, sizeof *r);
    *review = (struct join_graph_review){.impl = r};
    op_begin(&review->op, &kind, llm->loop, waiter);
    if (r == NULL) {
        op_finish(&review->op, ERR_NO_MEMORY, "no memory to review the join graph");
        return;
    }
    r->review = review;
    r->graph = graph;
    r->llm = llm;
    r->options = *options;
    if (r->options.below <= 0.0)
        r->options.below = default_below;
    if (r->options.batch == 0)
        r->options.batch = DEFAULT_BATCH;
    r->options.batch = size_min(r->options.batch, MAX_BATCH);
    list_init(&r->calls);
    arena_init(&r->arena, ARENA_BYTES);
    review->doubtful = join_graph_doubtful(graph, r->options.below);
    ask(r);
}
