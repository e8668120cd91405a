/* SPDX-License-Identifier: MIT */
/* The contract of vec, part two: tenants, several at once, another process, big changes; cancel and
 * close at every turn, no memory. Each operation ends once, later, and the next finds the store as
 * ever. */
#include "tests/contract/vec_rig.h"

enum { SWEEP_TURNS = 24, MANY = 60, CROWD = 900, PATIENT_TRIES = 100000 };

static struct vec_rig_point crowd[CROWD];
static char crowd_ids[CROWD][16];

static void make_crowd(void)
{
    for (size_t i = 0; i < CROWD; i++) {
        snprintf(crowd_ids[i], sizeof crowd_ids[i], "p%03zu", i);
        crowd[i] = (struct vec_rig_point){crowd_ids[i],
                                          "one of many",
                                          {"company_id", "user_id"},
                                          {i % 2 == 0 ? "acme" : "other", i % 3 == 0 ? "u1" : ""},
                                          (double)i * 0.001};
    }
}

/* What one company wrote is never found on behalf of another, wherever the search points. */
VEC_TEST(tenants_stay_apart)
{
    make_crowd();
    VEC_CODE(f, "put", vec_rig_put_table(f, "docs", crowd, CROWD), ERR_OK);
    const struct str own[] = {STR("acme"), STR("")}, mine[] = {STR("u1")};
    const struct passage_filter filters[] = {{STR("company_id"), own, 2},
                                             {STR("user_id"), mine, 1}};
    for (double angle = 0; angle < 1; angle += 0.07) {
        VEC_CODE(f, "company", vec_rig_find(f, "docs", angle, 1000, filters, 1), ERR_OK);
        EXPECT_INT("half", f->search.hit_count, CROWD / 2);
        for (size_t i = 0; i < f->search.hit_count; i++)
            EXPECT_STR("own", passage_get(&f->search.hits[i].passage, STR("company_id")),
                       STR("acme"));
        VEC_CODE(f, "user", vec_rig_find(f, "docs", angle, 7, filters, 2), ERR_OK);
        EXPECT_INT("as many as asked for", f->search.hit_count, 7);
        for (size_t i = 0; i < 7; i++)
            EXPECT_STR("own", passage_get(&f->search.hits[i].passage, STR("user_id")), STR("u1"));
    }
}

/* Two at once in one store: other collections and other filters do not mix. */
VEC_TEST(many_at_once)
{
    static struct vec_search searches[MANY];
    static struct vec_query queries[MANY];
    static float vectors[MANY][VEC_RIG_DIMENSIONS];
    static const struct str acme[] = {STR("acme")};
    static const struct passage_filter company = {STR("company_id"), acme, 1};
    make_crowd();
    VEC_CODE(f, "put", vec_rig_put_table(f, "docs", crowd, CROWD), ERR_OK);
    VEC_CODE(f, "put", vec_rig_put_table(f, "few", crowd, 3), ERR_OK);
    unsigned before = f->rig.done_calls;
    for (size_t i = 0; i < MANY; i++) {
        double angle = (double)i * 0.01;
        vectors[i][0] = (float)cos(angle);
        vectors[i][1] = (float)sin(angle);
        queries[i] = (struct vec_query){.collection = i % 5 == 0 ? STR("few") : STR("docs"),
                                        .model = VEC_RIG_MODEL,
                                        .vector = vectors[i],
                                        .dimensions = VEC_RIG_DIMENSIONS,
                                        .top_k = 4,
                                        .filters = &company,
                                        .filter_count = i % 2,
                                        .timeout_ms = VEC_RIG_PATIENCE_MS};
        vec_search_start(&searches[i], f->vec, &queries[i], rig_waiter(&f->rig));
    }
    rig_wait(f->store->name, &f->rig, before + MANY);
    for (size_t i = 0; i < MANY; i++) {
        EXPECT_INT(searches[i].op.err.text, searches[i].op.err.code, ERR_OK);
        EXPECT_INT("hits", searches[i].hit_count, i % 5 != 0 ? 4 : i % 2 == 0 ? 3 : 2);
        size_t nearest = i % 5 != 0 ? 10 * i : size_min(i, 2);
        EXPECT_STR("nearest", searches[i].hits[0].passage.id, str_of(crowd_ids[nearest]));
        op_release(&searches[i].op);
    }
}

/* Readers that go on while a document comes and goes see all of it or nothing, where the store
 * promises that, and never an error. */
VEC_TEST(readers_while_writing)
{
    const struct str all[] = {STR("a"), STR("b"), STR("c")};
    const struct vec_rig_point table[] = {{"a", "", {NULL}, {NULL}, 0},
                                          {"b", "", {NULL}, {NULL}, 0.1},
                                          {"c", "", {NULL}, {NULL}, 0.2}};
    struct vec_rig_made made[3];
    struct vec_point points[3];
    static float vector[VEC_RIG_DIMENSIONS] = {1};
    const struct vec_query query = {.collection = STR("docs"),
                                    .model = VEC_RIG_MODEL,
                                    .vector = vector,
                                    .dimensions = VEC_RIG_DIMENSIONS,
                                    .top_k = 5,
                                    .timeout_ms = VEC_RIG_PATIENCE_MS};
    struct vec_change put = {.collection = STR("docs"),
                             .model = VEC_RIG_MODEL,
                             .dimensions = VEC_RIG_DIMENSIONS,
                             .upsert = points,
                             .upsert_count = 3,
                             .timeout_ms = VEC_RIG_PATIENCE_MS},
                      take = put;
    take.upsert_count = 0;
    take.remove_ids = all;
    take.remove_count = 3;
    for (size_t i = 0; i < 3; i++)
        vec_rig_make_point(&table[i], &made[i], &points[i]);
    for (int round = 0; round < 20; round++) {
        struct vec_search searches[3] = {0};
        unsigned before = f->rig.done_calls;
        op_release(&f->write.op);
        vec_search_start(&searches[0], f->vec, &query, rig_waiter(&f->rig));
        vec_write_start(&f->write, f->vec, round % 2 == 0 ? &put : &take, rig_waiter(&f->rig));
        vec_search_start(&searches[1], f->vec, &query, rig_waiter(&f->rig));
        vec_rig_wait(f, &f->write.op);
        vec_search_start(&searches[2], f->vec, &query, rig_waiter(&f->rig));
        rig_wait(f->store->name, &f->rig, before + 4);
        EXPECT_INT(f->write.op.err.text, f->write.op.err.code, ERR_OK);
        for (size_t i = 0; i < 3; i++) {
            EXPECT_INT(searches[i].op.err.text, searches[i].op.err.code, ERR_OK);
            if (f->store->keeps_whole)
                EXPECT_TRUE("all or nothing", searches[i].hit_count % 3 == 0);
        }
        EXPECT_INT("after done", searches[2].hit_count, round % 2 == 0 ? 3 : 0);
        for (size_t i = 0; i < 3; i++)
            op_release(&searches[i].op);
    }
}

/* Another vec on the same place, as of another process: noticed soon. */
VEC_TEST(changes_of_others_are_noticed)
{
    const struct vec_rig_point table[] = {{"a", "", {NULL}, {NULL}, 0},
                                          {"b", "", {NULL}, {NULL}, 1}};
    const struct str a[] = {STR("a")};
    VEC_CODE(f, "empty", vec_rig_find(f, "docs", 0, 5, NULL, 0), ERR_OK);
    struct vec *own = f->vec, *other = f->store->open(f->rig.loop, f->place);
    assert_non_null(other);
    f->vec = other;
    VEC_CODE(f, "put", vec_rig_put_table(f, "docs", table, 2), ERR_OK);
    f->vec = own;
    for (unsigned try = 0; try < 100000 && f->search.hit_count != 2; try++)
        VEC_CODE(f, "find", vec_rig_find(f, "docs", 0, 5, NULL, 0), ERR_OK);
    EXPECT_STR("both", vec_rig_ids(f), STR("a b"));
    const struct vec_change take = {.collection = STR("docs"),
                                    .model = VEC_RIG_MODEL,
                                    .dimensions = VEC_RIG_DIMENSIONS,
                                    .remove_ids = a,
                                    .remove_count = 1};
    VEC_CODE(f, "take", vec_rig_change(f, other, &take), ERR_OK);
    for (unsigned try = 0; try < 100000 && f->search.hit_count != 1; try++)
        VEC_CODE(f, "find", vec_rig_find(f, "docs", 0, 5, NULL, 0), ERR_OK);
    EXPECT_STR("one left", vec_rig_ids(f), STR("b"));
    vec_close(other, NULL, NULL);
}

VEC_TEST(big_changes)
{
    static char text[60000];
    static struct vec_rig_point table[VEC_MAX_POINTS];
    static char ids[VEC_MAX_POINTS][16];
    memset(text, 'x', sizeof text - 1);
    for (size_t i = 0; i < VEC_MAX_POINTS; i++) {
        snprintf(ids[i], sizeof ids[i], "%04zu", i);
        table[i] = (struct vec_rig_point){
            ids[i], i % 64 == 0 ? text : "short", {"n"}, {ids[i]}, (double)i * 0.003};
    }
    VEC_CODE(f, "put", vec_rig_put_table(f, "docs", table, VEC_MAX_POINTS), ERR_OK);
    VEC_CODE(f, "put again", vec_rig_put_table(f, "docs", table, VEC_MAX_POINTS), ERR_OK);
    VEC_CODE(f, "find", vec_rig_find(f, "docs", 0, 1000, NULL, 0), ERR_OK);
    EXPECT_INT("a thousand", f->search.hit_count, 1000);
    EXPECT_INT("whole texts", f->search.hits[64].passage.text.len, sizeof text - 1);
    for (size_t i = 0; i < 1000; i++)
        EXPECT_STR("in order", f->search.hits[i].passage.id, str_of(ids[i]));
    static struct vec_point one_more[VEC_MAX_POINTS + 1];
    VEC_CODE(f, "too many", vec_rig_put(f, "docs", one_more, countof(one_more)), ERR_INVALID);
}

/* ---- ends ---- */

static void expect_works(struct vec_rig *f, const char *name)
{
    VEC_CODE(f, name, vec_rig_find(f, "docs", 0, 3, NULL, 0), ERR_OK);
    EXPECT_INT(name, f->search.hit_count, 3);
}

static const struct str acme_only[] = {STR("acme")};
static const struct passage_filter of_acme = {STR("company_id"), acme_only, 1};

/* A search and a write, started together; index: which is cancelled. */
static void cancel_after(struct vec_rig *f, unsigned turns, bool the_write)
{
    static float vector[VEC_RIG_DIMENSIONS] = {1};
    struct vec_search search = {0};
    struct vec_write write = {0};
    struct vec_rig_made made;
    struct vec_point point;
    const struct vec_query query = {.collection = STR("docs"),
                                    .model = VEC_RIG_MODEL,
                                    .vector = vector,
                                    .dimensions = VEC_RIG_DIMENSIONS,
                                    .top_k = 50,
                                    .filters = &of_acme,
                                    .filter_count = 1,
                                    .timeout_ms = VEC_RIG_PATIENCE_MS};
    vec_rig_make_point(&crowd[turns], &made, &point);
    const struct vec_change change = {.collection = STR("docs"),
                                      .model = VEC_RIG_MODEL,
                                      .dimensions = VEC_RIG_DIMENSIONS,
                                      .upsert = &point,
                                      .upsert_count = 1,
                                      .timeout_ms = VEC_RIG_PATIENCE_MS};
    unsigned before = f->rig.done_calls;
    vec_write_start(&write, f->vec, &change, rig_waiter(&f->rig));
    vec_search_start(&search, f->vec, &query, rig_waiter(&f->rig));
    struct op *victim = the_write ? &write.op : &search.op;
    for (unsigned turn = 0; turn < turns && op_is_pending(victim); turn++)
        if (loop_run_dry(f->rig.loop, 1))
            break;
    unsigned done = f->rig.done_calls;
    op_cancel(victim);
    op_cancel(victim);
    EXPECT_INT("done inside cancel", f->rig.done_calls, done);
    rig_wait(f->store->name, &f->rig, before + 2);
    if (victim->err.code != ERR_CANCELLED)
        EXPECT_INT(victim->err.text, victim->err.code, ERR_OK);
    EXPECT_INT("the other", the_write ? search.op.err.code : write.op.err.code, ERR_OK);
    op_release(&search.op);
    op_release(&write.op);
    expect_works(f, "after a cancel");
}

VEC_TEST(cancelled_at_every_turn)
{
    make_crowd();
    VEC_CODE(f, "put", vec_rig_put_table(f, "docs", crowd, CROWD), ERR_OK);
    for (unsigned turns = 0; turns < SWEEP_TURNS; turns++) {
        cancel_after(f, turns, false);
        cancel_after(f, turns, true);
    }
}

static void close_after(const struct vec_rig_store *store, const char *place, unsigned turns)
{
    static struct vec_rig f;
    static float vector[VEC_RIG_DIMENSIONS] = {1};
    struct vec_search searches[3] = {0};
    struct vec_write write = {0};
    struct vec_rig_made made;
    struct vec_point point;
    f = (struct vec_rig){.store = store};
    rig_begin(&f.rig);
    struct vec *vec = store->open(f.rig.loop, place);
    assert_non_null(vec);
    vec_rig_make_point(&crowd[turns], &made, &point);
    const struct vec_query query = {.collection = STR("docs"),
                                    .model = VEC_RIG_MODEL,
                                    .vector = vector,
                                    .dimensions = VEC_RIG_DIMENSIONS,
                                    .top_k = 5};
    const struct vec_change change = {.collection = STR("docs"),
                                      .model = VEC_RIG_MODEL,
                                      .dimensions = VEC_RIG_DIMENSIONS,
                                      .upsert = &point,
                                      .upsert_count = 1};
    for (size_t i = 0; i < 3; i++)
        vec_search_start(&searches[i], vec, &query, rig_waiter(&f.rig));
    vec_write_start(&write, vec, &change, rig_waiter(&f.rig));
    for (unsigned turn = 0; turn < turns && f.rig.done_calls < 4; turn++)
        if (loop_run_dry(f.rig.loop, 1))
            break;
    unsigned done = f.rig.done_calls;
    vec_close(vec, rig_on_closed, &f.rig);
    EXPECT_INT("done inside close", f.rig.done_calls, done);
    rig_wait(store->name, &f.rig, 4);
    for (size_t i = 0; i < 3; i++)
        op_release(&searches[i].op);
    op_release(&write.op);
    rig_end(&f.rig);
    EXPECT_INT("closed once", f.rig.closed_calls, 1);
    EXPECT_INT("done once each", f.rig.done_calls, 4);
}

VEC_TEST(closed_at_every_turn)
{
    make_crowd();
    VEC_CODE(f, "put", vec_rig_put_table(f, "docs", crowd, CROWD), ERR_OK);
    for (unsigned turns = 0; turns < SWEEP_TURNS; turns++)
        close_after(f->store, f->place, turns);
}

static void close_at_done(struct rig *rig)
{
    struct vec_rig *f = container_of(rig, struct vec_rig, rig);
    vec_close(f->vec, rig_on_closed, rig);
    f->vec = NULL;
    EXPECT_INT("not from inside", rig->closed_calls, 0);
}

VEC_TEST(closed_from_inside_a_done)
{
    static float vector[VEC_RIG_DIMENSIONS] = {1};
    struct vec_search searches[3] = {0};
    const struct vec_query query = {.collection = STR("docs"),
                                    .model = VEC_RIG_MODEL,
                                    .vector = vector,
                                    .dimensions = VEC_RIG_DIMENSIONS,
                                    .top_k = 5};
    make_crowd();
    VEC_CODE(f, "put", vec_rig_put_table(f, "docs", crowd, CROWD), ERR_OK);
    unsigned before = f->rig.done_calls;
    f->rig.at_done = close_at_done;
    for (size_t i = 0; i < 3; i++)
        vec_search_start(&searches[i], f->vec, &query, rig_waiter(&f->rig));
    rig_wait(f->store->name, &f->rig, before + 3);
    assert_true(loop_run_dry(f->rig.loop, RIG_TURNS));
    EXPECT_INT("closed once", f->rig.closed_calls, 1);
    f->rig.closed_calls = 0;
    for (size_t i = 0; i < 3; i++)
        op_release(&searches[i].op);
}

/* At once, or as soon as the store has rested. */
static void expect_works_again(struct vec_rig *f)
{
    unsigned tries = f->store->rests ? PATIENT_TRIES : 1;
    enum err_code code = ERR_NO_MEMORY;
    for (; tries > 0 && (code == ERR_NO_MEMORY || code == ERR_UNAVAILABLE); tries--)
        code = vec_rig_find(f, "docs", 0, 3, NULL, 0);
    VEC_CODE(f, "afterwards", code, ERR_OK);
    EXPECT_INT("afterwards", f->search.hit_count, 3);
}

/* False: the n-th allocation was not reached, so there are no more. */
static bool play_without_memory(struct vec_rig *f, uint64_t n)
{
    uint64_t before = mem_alloc_count();
    mem_fail_nth(n);
    struct vec *vec = f->store->open(f->rig.loop, f->place), *own = f->vec;
    if (vec != NULL) {
        f->vec = vec;
        enum err_code code = vec_rig_find(f, "docs", 0, 3, &of_acme, 1);
        if (code == ERR_OK)
            code = vec_rig_put_table(f, "docs", crowd, 3);
        uint64_t made = mem_alloc_count() - before;
        mem_fail_nth(0);
        if (made >= n && code != ERR_OK && code != ERR_UNAVAILABLE)
            VEC_CODE(f, "without memory", code, ERR_NO_MEMORY);
        if (made < n)
            VEC_CODE(f, "all the memory it wants", code, ERR_OK);
        n = made < n ? 0 : n;
        expect_works_again(f);
        vec_close(vec, NULL, NULL);
    }
    mem_fail_nth(0);
    f->vec = own;
    return n != 0;
}

VEC_TEST(every_allocation_may_fail)
{
    make_crowd();
    VEC_CODE(f, "put", vec_rig_put_table(f, "docs", crowd, 20), ERR_OK);
    uint64_t n = 1;
    while (play_without_memory(f, n))
        n++;
    EXPECT_TRUE(f->store->name, n > 4);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        T(tenants_stay_apart),
        T(many_at_once),
        T(readers_while_writing),
        T(changes_of_others_are_noticed),
        T(big_changes),
        T(cancelled_at_every_turn),
        T(closed_at_every_turn),
        T(closed_from_inside_a_done),
        T(every_allocation_may_fail),
    };
    return vec_rig_main(all, countof(all));
}
