/* SPDX-License-Identifier: MIT */
/* Tests of join_graph_review: what is asked, what verdicts do, and going on later. */
#include "agents/sql/joins/join_graph_review.h"

#include "agents/graphs.h"
#include "core/base/mem.h"
#include "tests/lib/fake_llm.h"
#include "tests/lib/loop_rig.h"
#include "tests/unit/joins/rig.h"

enum { TURNS = 4000 };

static const char doubted[] =
    "{\"version\":1,\"tables\":{\"a\":{\"columns\":[\"id\",\"bId\",\"day\",\"kind\"]},"
    "\"b\":{\"columns\":[\"id\",\"day\",\"kind\"]}},\"relationships\":["
    "{\"from_table\":\"a\",\"from_column\":\"bId\",\"to_table\":\"b\",\"to_column\":\"id\","
    "\"type\":\"inferred\",\"confidence\":0.6,\"cardinality\":\"N:1\"},"
    "{\"from_table\":\"a\",\"from_column\":\"day\",\"to_table\":\"b\",\"to_column\":\"day\","
    "\"type\":\"inferred\",\"confidence\":0.5,\"cardinality\":\"N:M\"},"
    "{\"from_table\":\"a\",\"from_column\":\"kind\",\"to_table\":\"b\",\"to_column\":\"kind\","
    "\"type\":\"association\",\"confidence\":0.4,\"cardinality\":\"N:M\"},"
    "{\"from_table\":\"a\",\"from_column\":\"id\",\"to_table\":\"b\",\"to_column\":\"id\","
    "\"type\":\"manual\",\"confidence\":0.2,\"cardinality\":\"N:1\"}]}";

struct review_rig {
    struct loop *loop;
    struct fake_llm llm;
    struct join_graph *graph;
    struct prompt_set *prompts;
    struct join_graph_review review;
    unsigned done_calls, batches;
    struct err err;
};

static void on_done(struct op *op)
{
    struct review_rig *rig = op_owner(op);
    rig->done_calls++;
    rig->err = op->err;
}

static void on_batch(void *owner, const struct join_graph_review *review)
{
    struct review_rig *rig = owner;
    (void)review;
    rig->batches++;
}

static void begin(struct review_rig *rig, const char *json, const struct fake_reply *script,
                  size_t count, size_t batch)
{
    *rig = (struct review_rig){.loop = loop_create()};
    assert_non_null(rig->loop);
    EXPECT_INT("graph", join_graph_from_json(str_of(json), &rig->graph, &rig->err), ERR_OK);
    EXPECT_INT("prompts", graphs_load_prompts(ASKD_PROMPTS, &rig->prompts, &rig->err), ERR_OK);
    fake_llm_init(&rig->llm, rig->loop, script, count);
    const struct join_graph_review_options options = {
        .prompts = rig->prompts, .batch = batch, .on_batch = on_batch, .owner = rig};
    join_graph_review_start(&rig->review, rig->graph, &rig->llm.llm, &options,
                            (struct op_waiter){.done = on_done, .owner = rig});
}

static void end(struct review_rig *rig)
{
    assert_true(loop_run_dry(rig->loop, TURNS));
    EXPECT_INT("done once", rig->done_calls, 1);
    op_release(&rig->review.op);
    join_graph_destroy(rig->graph);
    prompt_set_destroy(rig->prompts);
    loop_destroy(rig->loop);
}

static const struct join_edge *edge_on(const struct join_graph *graph, const char *column)
{
    for (size_t i = 0; i < join_graph_edge_count(graph); i++) {
        const struct join_edge *edge = join_graph_edge(graph, i);
        if (str_equal(edge->from_columns[0], str_of(column)))
            return edge;
    }
    fail_msg("no edge on %s", column);
    return NULL;
}

static const struct fake_reply answers[] = {
    {"join_review",
     "Here: [{\"n\":1,\"verdict\":\"yes\",\"confidence\":0.9},"
     "{\"n\":2,\"verdict\":\"no\",\"confidence\":0.8},{\"n\":3,\"verdict\":\"unsure\"},"
     "{\"n\":9,\"verdict\":\"yes\"},{\"n\":\"x\"}]",
     ERR_OK},
};

TEST(verdicts_move_confidence)
{
    struct review_rig rig;
    struct buf out;
    begin(&rig, doubted, answers, countof(answers), 0);
    assert_true(loop_run_dry(rig.loop, TURNS));
    EXPECT_STR("err", str_of(rig.err.text), STR(""));
    EXPECT_INT("doubtful", rig.review.doubtful, 3);
    EXPECT_INT("one question", rig.llm.calls, 1);
    EXPECT_INT("told once", rig.batches, 1);
    EXPECT_INT("confirmed", rig.review.confirmed, 1);
    EXPECT_INT("refused", rig.review.refused, 1);
    EXPECT_INT("unclear", rig.review.unclear, 1);
    EXPECT_TRUE("asked with columns", strstr(rig.llm.last_user, "a(id, bId, day, kind)") != NULL);
    EXPECT_TRUE("asked", strstr(rig.llm.last_user, "1. a.bId = b.id (N:1), inferred") != NULL);
    EXPECT_TRUE("rises", edge_on(rig.graph, "bId")->confidence > 0.89);
    EXPECT_TRUE("falls", edge_on(rig.graph, "day")->confidence < 0.21);
    EXPECT_INT("stays", (int)(edge_on(rig.graph, "kind")->confidence * 10), 4);
    EXPECT_INT("by hand: not asked", edge_on(rig.graph, "id")->verdict, JOIN_UNJUDGED);
    /* Written and read again nothing is doubtful, also when merged with what was there before. */
    struct join_graph *again, *before, *merged;
    struct err err = {0};
    buf_init(&out, RIG_TEXT);
    join_graph_write(rig.graph, &out);
    EXPECT_INT("read", join_graph_from_json(buf_str(&out), &again, &err), ERR_OK);
    EXPECT_INT("settled", join_graph_doubtful(again, 0.0), 0);
    EXPECT_INT("read", join_graph_from_json(str_of(doubted), &before, &err), ERR_OK);
    EXPECT_INT("merged", join_graph_merge(before, again, &merged, &err), ERR_OK);
    EXPECT_INT("still settled", join_graph_doubtful(merged, 0.0), 0);
    EXPECT_TRUE("still refused", edge_on(merged, "day")->confidence < 0.21);
    join_graph_destroy(merged);
    join_graph_destroy(before);
    join_graph_destroy(again);
    buf_fini(&out);
    end(&rig);
}

static const struct {
    const char *name;
    struct fake_reply reply;
    enum err_code want;
    unsigned calls;
} endings[] = {
    {"no JSON", {"join_review", "I think they are fine.", ERR_OK}, ERR_PROTOCOL, 3},
    {"broken JSON", {"join_review", "[{\"n\":1,", ERR_OK}, ERR_PROTOCOL, 3},
    {"of no number asked",
     {"join_review", "[{\"n\":7,\"verdict\":\"yes\"}]", ERR_OK},
     ERR_PROTOCOL,
     3},
    {"the model is gone", {"join_review", "", ERR_UNAVAILABLE}, ERR_UNAVAILABLE, 1},
};

TEST(useless_answers_end_it)
{
    TEST_EACH(c, endings) {
        struct review_rig rig;
        begin(&rig, doubted, &c->reply, 1, 1);
        assert_true(loop_run_dry(rig.loop, TURNS));
        EXPECT_INT(c->name, rig.err.code, c->want);
        EXPECT_INT(c->name, rig.llm.calls, c->calls);
        EXPECT_INT(c->name, join_graph_doubtful(rig.graph, 0.0), 3);
        end(&rig);
    }
}

TEST(nothing_doubtful_asks_nobody)
{
    struct review_rig rig;
    begin(&rig, "{\"relationships\":[]}", answers, countof(answers), 0);
    EXPECT_INT("not inside the start", rig.done_calls, 0);
    assert_true(loop_run_dry(rig.loop, TURNS));
    EXPECT_INT("fine", rig.err.code, ERR_OK);
    EXPECT_INT("nobody", rig.llm.calls, 0);
    end(&rig);
}

TEST(cancelled_at_every_turn)
{
    bool ended = false;
    for (unsigned turn = 0; !ended; turn++) {
        struct review_rig rig;
        begin(&rig, doubted, answers, countof(answers), 1);
        loop_turn(rig.loop, turn);
        ended = rig.done_calls == 1;
        op_cancel(&rig.review.op);
        op_cancel(&rig.review.op);
        assert_true(loop_run_dry(rig.loop, TURNS));
        EXPECT_TRUE("ends", rig.err.code == ERR_OK || (!ended && rig.err.code == ERR_CANCELLED));
        assert_true(turn < TURNS);
        end(&rig);
    }
}

TEST(every_allocation_may_fail)
{
    for (uint64_t n = 1;; n++) {
        struct review_rig rig = {.loop = loop_create()};
        EXPECT_INT("prompts", graphs_load_prompts(ASKD_PROMPTS, &rig.prompts, &rig.err), ERR_OK);
        const struct join_graph_review_options options = {.prompts = rig.prompts, .batch = 1};
        EXPECT_INT("graph", join_graph_from_json(str_of(doubted), &rig.graph, &rig.err), ERR_OK);
        fake_llm_init(&rig.llm, rig.loop, answers, countof(answers));
        mem_fail_nth(n);
        join_graph_review_start(&rig.review, rig.graph, &rig.llm.llm, &options,
                                (struct op_waiter){.done = on_done, .owner = &rig});
        assert_true(loop_run_dry(rig.loop, TURNS));
        mem_fail_nth(0);
        bool whole = rig.err.code == ERR_OK && join_graph_doubtful(rig.graph, 0.0) == 0;
        end(&rig);
        if (whole)
            break;
        EXPECT_TRUE("ends", n < 200);
    }
}

RUN_TESTS(T(verdicts_move_confidence), T(useless_answers_end_it), T(nothing_doubtful_asks_nobody),
          T(cancelled_at_every_turn), T(every_allocation_may_fail))
