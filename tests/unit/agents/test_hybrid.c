/* SPDX-License-Identifier: MIT */
/* Fusion of two rankings; searches whose stores answer, fail, stall or are not there; whose
 * passages a caller sees. */
#include "tests/lib/loop_rig.h"

#include <math.h>
#include <stdio.h>

#include "agents/docs/ingest.h"
#include "agents/search/hybrid.h"
#include "tests/lib/fake_embed.h"
#include "tests/lib/fake_rerank.h"
#include "tests/lib/fake_text.h"
#include "tests/lib/fake_vec.h"

enum { BUDGET = 8 << 20, MAX_TURNS = 64 };

struct rig {
    struct loop_rig loop;
    struct fake_embed embed;
    struct fake_vec vec;
    struct fake_text text;
    struct fake_rerank rerank;
    struct services has;
    struct session session;
    struct arena arena;
    struct hybrid_query query;
    struct hybrid_search search;
};

static void add(struct rig *rig, const char *id, const char *text, const char *company,
                const char *user)
{
    const struct passage_field fields[] = {{STR("company_id"), str_of(company)},
                                           {STR("user_id"), str_of(user)}};
    const struct docs_item item = {{str_of(id), str_of(text), fields, 2}, str_of(text)};
    const struct docs_ingest_request request = {
        .collection = HYBRID_DOCUMENTS, .items = &item, .count = 1};
    struct docs_ingest *ingest = mem_zalloc(1, sizeof *ingest);
    docs_ingest_start(ingest, &rig->has, &request, loop_rig_waiter(&rig->loop));
    loop_rig_dry(&rig->loop);
    EXPECT_INT("stored", ingest->op.err.code, ERR_OK);
    op_release(&ingest->op);
    mem_free(ingest);
}

static struct rig *rig_make(void)
{
    struct rig *rig = mem_zalloc(1, sizeof *rig);
    loop_rig_init(&rig->loop);
    fake_embed_init(&rig->embed, rig->loop.loop);
    fake_vec_init(&rig->vec, rig->loop.loop);
    fake_text_init(&rig->text, rig->loop.loop);
    fake_rerank_init(&rig->rerank, rig->loop.loop);
    rig->has = (struct services){.loop = rig->loop.loop,
                                 .embed = &rig->embed.embed,
                                 .vec = &rig->vec.vec,
                                 .text = &rig->text.text};
    rig->session = (struct session){.has = &rig->has};
    arena_init(&rig->arena, BUDGET);
    add(rig, "overtime", "Overtime is paid at one and a half times the hourly rate", "", "");
    add(rig, "orders", "Work orders are closed by the dispatcher", "", "");
    add(rig, "acme", "Overtime of acme needs the approval of CANARY acme", "acme", "");
    add(rig, "globex", "Overtime of globex needs the approval of CANARY globex", "globex", "");
    add(rig, "ann", "Overtime notes of Ann, CANARY ann", "acme", "ann");
    rig->query = (struct hybrid_query){
        .collection = HYBRID_DOCUMENTS, .text = STR("who approves overtime"), .arena = &rig->arena};
    return rig;
}

static void rig_free(struct rig *rig)
{
    loop_rig_fini(&rig->loop);
    fake_vec_fini(&rig->vec);
    fake_text_fini(&rig->text);
    arena_fini(&rig->arena);
    mem_free(rig);
}

static enum err_code look(struct rig *rig)
{
    hybrid_search_start(&rig->search, &rig->session, &rig->query, loop_rig_waiter(&rig->loop));
    loop_rig_dry(&rig->loop);
    return rig->search.op.err.code;
}

static bool found(const struct rig *rig, const char *id)
{
    for (size_t i = 0; i < rig->search.hit_count; i++)
        if (str_equal(rig->search.hits[i].passage.id, str_of(id)))
            return true;
    return false;
}

static const struct {
    const char *name, *company, *user, *sees, *never;
    bool own_only;
} owners[] = {
    {"nobody", "", "", "overtime", "acme globex ann", false},
    {"a company", "acme", "", "acme overtime", "globex ann", false},
    {"a user", "acme", "ann", "acme overtime ann", "globex", false},
    {"the user of another company", "globex", "ann", "globex overtime", "acme ann", false},
    {"own only", "acme", "ann", "ann", "overtime acme globex", true},
    {"own only, no user", "acme", "", "", "overtime acme globex ann", true},
};

/* R96, C20: thirty of each search, eight of all that they found. */
TEST(thirty_of_each_and_eight_in_the_end)
{
    struct rig *rig = rig_make();
    for (unsigned i = 0; i < 40; i++) {
        char id[16];
        snprintf(id, sizeof id, "more-%u", i);
        add(rig, id, "Overtime needs the approval of somebody", "", "");
    }
    EXPECT_INT("searched", look(rig), ERR_OK);
    EXPECT_INT("by meaning", rig->vec.last_top_k, 30);
    EXPECT_INT("by words", rig->text.last_top_k, 30);
    EXPECT_INT("kept", rig->search.hit_count, 8);
    rig_free(rig);
}

TEST(whose_passages)
{
    static const char *const ids[] = {"overtime", "acme", "globex", "ann"};
    TEST_EACH(c, owners) {
        for (unsigned ways = 1; ways <= 3; ways++) {
            struct rig *rig = rig_make();
            rig->has.vec = (ways & 1) != 0 ? rig->has.vec : NULL;
            rig->has.text = (ways & 2) != 0 ? rig->has.text : NULL;
            rig->session.caller.company_id = str_of(c->company);
            rig->session.caller.user_id = str_of(c->user);
            rig->query.own_only = c->own_only;
            EXPECT_INT(c->name, look(rig), ERR_OK);
            for (size_t i = 0; i < countof(ids); i++) {
                EXPECT_TRUE(c->name, found(rig, ids[i]) || strstr(c->sees, ids[i]) == NULL);
                EXPECT_TRUE(c->name, !found(rig, ids[i]) || strstr(c->never, ids[i]) == NULL);
            }
            rig_free(rig);
        }
    }
}

TEST(filters_narrow)
{
    struct rig *rig = rig_make();
    const struct str acme = STR("acme");
    const struct passage_filter filter = {STR("company_id"), &acme, 1};
    rig->session.caller.company_id = acme;
    rig->query.filters = &filter;
    rig->query.filter_count = 1;
    EXPECT_INT("found", look(rig), ERR_OK);
    EXPECT_INT("one", rig->search.hit_count, 1);
    EXPECT_STR("it", rig->search.hits[0].passage.id, STR("acme"));
    EXPECT_TRUE("score", fabs(rig->search.hits[0].score - 1.0) < 1e-9);
    rig_free(rig);
}

static const struct {
    const char *name;
    enum err_code embed, vec, text, want, degraded;
    bool no_embed, no_vec, no_text;
} failures[] = {
    {"all answer", ERR_OK, ERR_OK, ERR_OK, ERR_OK, ERR_OK},
    {"no embedding", ERR_TIMEOUT, ERR_OK, ERR_OK, ERR_OK, ERR_TIMEOUT},
    {"no vectors", ERR_OK, ERR_UNAVAILABLE, ERR_OK, ERR_OK, ERR_UNAVAILABLE},
    {"no words", ERR_OK, ERR_OK, ERR_UNAVAILABLE, ERR_OK, ERR_UNAVAILABLE},
    {"neither", ERR_OK, ERR_PROTOCOL, ERR_UNAVAILABLE, ERR_PROTOCOL, ERR_OK},
    {"only vectors, down", ERR_OK, ERR_UNAVAILABLE, ERR_OK, ERR_UNAVAILABLE, ERR_OK, false, false,
     true},
    {"only words", ERR_OK, ERR_OK, ERR_OK, ERR_OK, ERR_OK, false, true, false},
    {"vectors without embeddings", ERR_OK, ERR_OK, ERR_OK, ERR_OK, ERR_OK, true, false, false},
    {"nothing configured", ERR_OK, ERR_OK, ERR_OK, ERR_UNAVAILABLE, ERR_OK, false, true, true},
};

TEST(stores_that_fail)
{
    TEST_EACH(c, failures) {
        struct rig *rig = rig_make();
        rig->embed.failure = c->embed;
        rig->vec.failure = c->vec;
        rig->text.failure = c->text;
        rig->has.embed = c->no_embed ? NULL : rig->has.embed;
        rig->has.vec = c->no_vec ? NULL : rig->has.vec;
        rig->has.text = c->no_text ? NULL : rig->has.text;
        EXPECT_INT(c->name, look(rig), c->want);
        EXPECT_INT(c->name, rig->search.degraded.code, c->degraded);
        EXPECT_TRUE(c->name, (c->want == ERR_OK) == found(rig, "overtime"));
        rig_free(rig);
    }
}

/* The reranker turns what was found around; without it, or when it fails, nothing changes. */
TEST(reranked)
{
    static const struct {
        const char *name;
        bool may, is_there, turns;
        enum err_code failure;
        unsigned calls;
    } cases[] = {
        {"none there", true, false, false, ERR_OK, 0},
        {"not wanted", false, true, false, ERR_OK, 0},
        {"turned around", true, true, true, ERR_OK, 1},
        {"down", true, true, false, ERR_UNAVAILABLE, 1},
        {"late", true, true, false, ERR_TIMEOUT, 1},
    };
    TEST_EACH(c, cases) {
        struct rig *rig = rig_make();
        rig->query.top_final = 2;
        EXPECT_INT(c->name, look(rig), ERR_OK);
        EXPECT_INT(c->name, rig->search.hit_count, 2);
        struct str best = arena_str(&rig->arena, rig->search.hits[0].passage.id);
        op_release(&rig->search.op);
        rig->query.may_rerank = c->may;
        rig->has.rerank = c->is_there ? &rig->rerank.rerank : NULL;
        rig->rerank.failure = c->failure;
        EXPECT_INT(c->name, look(rig), ERR_OK);
        EXPECT_INT(c->name, rig->search.hit_count, 2);
        EXPECT_INT(c->name, rig->search.unranked.code, c->failure);
        EXPECT_INT(c->name, rig->search.degraded.code, ERR_OK);
        EXPECT_INT(c->name, rig->rerank.calls, c->calls);
        /* All that was found is judged, and the last of it comes first. */
        EXPECT_TRUE(c->name, c->calls == 0 || rig->rerank.text_count > 0);
        EXPECT_TRUE(c->name, str_equal(rig->search.hits[0].passage.id, best) != c->turns);
        const double last = 0.125 * (double)(rig->rerank.text_count - 1);
        EXPECT_TRUE(c->name, !c->turns || rig->search.hits[0].score == last);
        rig_free(rig);
    }
}

TEST(cancelled_at_every_turn)
{
    for (unsigned stall = 0; stall < 5; stall++) {
        for (unsigned turn = 0; turn < MAX_TURNS; turn++) {
            struct rig *rig = rig_make();
            unsigned before = rig->loop.done_count;
            rig->embed.stall = stall == 1;
            rig->vec.stall = stall == 2;
            rig->text.stall = stall == 3;
            rig->rerank.stall = stall == 4;
            rig->query.may_rerank = true;
            rig->has.rerank = &rig->rerank.rerank;
            hybrid_search_start(&rig->search, &rig->session, &rig->query,
                                loop_rig_waiter(&rig->loop));
            loop_turn(rig->loop.loop, turn);
            bool ended = rig->loop.done_count > before;
            op_cancel(&rig->search.op);
            op_cancel(&rig->search.op);
            loop_rig_dry(&rig->loop);
            EXPECT_INT("done once", rig->loop.done_count, before + 1);
            EXPECT_TRUE("cancelled or found", rig->search.op.err.code == ERR_CANCELLED ||
                                                  (stall == 0 && found(rig, "overtime")));
            EXPECT_INT(
                "nothing left",
                rig->embed.pending + rig->vec.pending + rig->text.pending + rig->rerank.pending, 0);
            rig_free(rig);
            if (ended)
                break;
            EXPECT_TRUE("it ends", stall != 0 || turn + 1 < MAX_TURNS);
        }
    }
}

TEST(memory_that_ends)
{
    for (size_t budget = 0; budget <= 65536; budget += 1024) {
        struct rig *rig = rig_make();
        arena_fini(&rig->arena);
        arena_init(&rig->arena, budget);
        enum err_code code = look(rig);
        EXPECT_TRUE("told", code == ERR_OK || code == ERR_NO_MEMORY);
        EXPECT_TRUE("enough at last", code == ERR_OK || budget < 65536);
        rig_free(rig);
    }
}

TEST(fusion)
{
    static const struct passage_hit a[] = {{{STR("x"), STR("x"), NULL, 0}, 0.9},
                                           {{STR("y"), STR("y"), NULL, 0}, 0.8}};
    static const struct passage_hit b[] = {{{STR("y"), STR("y"), NULL, 0}, 7},
                                           {{STR("z"), STR("z"), NULL, 0}, 5}};
    const struct hybrid_ranking near = {a, 2, true}, words = {b, 2, true}, none = {NULL, 0, false};
    static const struct passage_hit c[] = {{{STR("x"), STR("x"), NULL, 0}, -0.1},
                                           {{STR("y"), STR("y"), NULL, 0}, -0.7}};
    const struct hybrid_ranking opposite = {c, 2, true};
    struct hybrid_hit *hits;
    struct arena arena;
    arena_init(&arena, BUDGET);
    EXPECT_INT("all", hybrid_fuse(&arena, &near, &words, 8, &hits), 3);
    EXPECT_STR("in both first", hits[0].passage.id, STR("y"));
    double ranks = (61.0 / 62 + 1) / 2, scores = 0.5 * (0.8 / 0.9) + 1;
    EXPECT_TRUE("its score", fabs(hits[0].score - (ranks + scores) / 2.5) < 1e-12);
    EXPECT_STR("words weigh more", hits[1].passage.id, STR("z"));
    EXPECT_TRUE("words alone", isnan(hits[1].similarity));
    EXPECT_STR("then the nearest", hits[2].passage.id, STR("x"));
    EXPECT_INT("top", hybrid_fuse(&arena, &near, &words, 1, &hits), 1);
    EXPECT_INT("one way", hybrid_fuse(&arena, &near, &none, 8, &hits), 2);
    EXPECT_TRUE("scale", fabs(hits[0].score - 1.0) < 1e-12);
    EXPECT_TRUE("less", hits[1].score < hits[0].score && hits[1].score > 0);
    EXPECT_INT("the same twice", hybrid_fuse(&arena, &near, &near, 8, &hits), 2);
    EXPECT_TRUE("scale", fabs(hits[0].score - 1.0) < 1e-12);
    EXPECT_INT("far off", hybrid_fuse(&arena, &opposite, &none, 8, &hits), 2);
    EXPECT_TRUE("by rank alone", hits[0].score > hits[1].score && hits[1].score > 0);
    EXPECT_INT("none", hybrid_fuse(&arena, &none, &none, 8, &hits), 0);
    EXPECT_TRUE("not for memory", hits != NULL);
    arena_fini(&arena);
}

RUN_TESTS(T(thirty_of_each_and_eight_in_the_end), T(whose_passages), T(filters_narrow),
          T(stores_that_fail), T(reranked), T(cancelled_at_every_turn), T(memory_that_ends),
          T(fusion))
