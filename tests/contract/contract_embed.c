/* SPDX-License-Identifier: MIT */
/* What every embed promises, by the same tests over each implementation. */
#include <math.h>

#include "backends/models/embed_cache.h"
#include "backends/models/embed_hash.h"
#include "backends/models/embed_openai.h"
#include "tests/unit/backends/mock_process.h"
#include "tests/unit/backends/rig.h"

enum { TEXTS = 300, SWEEP = 400, PATIENCE_MS = 600000 };

struct contract {
    struct rig rig;
    struct embed *embed;
    struct embed_texts texts;
    struct embed_request request;
    struct http_client *client;
    char folder[64];
};

struct maker { /* one implementation */
    const char *name;
    struct embed *(*open)(struct contract *f); /* NULL: no memory */
    void (*close)(struct contract *f);         /* what open made besides the embed; or NULL */
};

static struct embed *open_hash(struct contract *f)
{
    return embed_hash_create(f->rig.loop);
}

static struct mock_process mock; /* of the whole program */

static struct embed *open_openai(struct contract *f)
{
    f->client =
        http_client_create(f->rig.loop, &(struct http_client_options){.spread = 2, .kept_ms = 1});
    if (f->client == NULL)
        return NULL;
    return embed_openai_create(f->rig.loop, f->client,
                               &(struct embed_openai_options){.base_url = mock.base_url,
                                                              .api_key = "k",
                                                              .model = "mock",
                                                              .batch_texts = 50,
                                                              .in_flight = 3,
                                                              .max_attempts = 1});
}

static void close_openai(struct contract *f)
{
    if (f->client != NULL)
        http_client_close(f->client, NULL, NULL);
}

static struct embed *open_cache(struct contract *f)
{
    struct embed *inner = embed_hash_create(f->rig.loop);
    snprintf(f->folder, sizeof f->folder, "/tmp/askd-embed-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    if (inner == NULL)
        return NULL;
    struct embed *cache =
        embed_cache_create(f->rig.loop, inner, &(struct embed_cache_options){.folder = f->folder});
    if (cache == NULL)
        embed_close(inner, NULL, NULL);
    return cache;
}

static void close_cache(struct contract *f)
{
    static const char *const names[] = {"", "-wal", "-shm"};
    char path[128];
    TEST_EACH(name, names) {
        snprintf(path, sizeof path, "%s/embeddings.db%s", f->folder, *name);
        unlink(path);
    }
    rmdir(f->folder);
}

static const struct maker makers[] = {
    {"hash", open_hash, NULL},
    {"openai", open_openai, close_openai},
    {"cache", open_cache, close_cache},
};

static bool open_contract(struct contract *f, const struct maker *maker)
{
    *f = (struct contract){0};
    rig_begin(&f->rig);
    f->embed = maker->open(f);
    return f->embed != NULL;
}

static void close_contract(struct contract *f, const struct maker *maker)
{
    if (op_is_pending(&f->texts.op))
        op_cancel(&f->texts.op);
    if (f->embed != NULL) {
        embed_close(f->embed, rig_on_closed, &f->rig);
        assert_true(loop_run_dry(f->rig.loop, RIG_TURNS));
        EXPECT_INT(maker->name, f->rig.closed_calls, 1);
    }
    op_release(&f->texts.op);
    if (maker->close != NULL)
        maker->close(f);
    rig_end(&f->rig);
}

static void start(struct contract *f, const struct str *texts, size_t count)
{
    f->request = (struct embed_request){texts, count, PATIENCE_MS};
    embed_texts_start(&f->texts, f->embed, &f->request, rig_waiter(&f->rig));
}

static void ask(const char *name, struct contract *f, const struct str *texts, size_t count)
{
    start(f, texts, count);
    rig_wait(name, &f->rig, f->rig.done_calls + 1);
    if (f->rig.err.code != ERR_OK)
        fail_msg("%s: %s: %s", name, err_name(f->rig.err.code), f->rig.err.text);
}

static double dot(const float *a, const float *b, size_t dimensions)
{
    double sum = 0;
    for (size_t i = 0; i < dimensions; i++)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

/* Unit length or zero, finite, one row a text, and the same text the same row. */
TEST(vectors_are_rows_of_unit_length)
{
    static const struct str texts[] = {
        STR("overtime is paid at one and a half times the rate"),
        STR(""),
        STR("how is overtime paid"),
        STR("the warranty of installed equipment"),
        STR("how is overtime paid"),
    };
    TEST_EACH(maker, makers) {
        struct contract f;
        assert_true(open_contract(&f, maker));
        EXPECT_TRUE(maker->name, !str_is_empty(embed_model(f.embed)));
        ask(maker->name, &f, texts, countof(texts));
        size_t n = f.texts.dimensions;
        const float *v = f.texts.vectors;
        EXPECT_TRUE(maker->name, n > 0 && n <= EMBED_MAX_DIMENSIONS);
        for (size_t i = 0; i < countof(texts); i++) {
            double length = dot(v + i * n, v + i * n, n);
            EXPECT_TRUE(maker->name, fabs(length - (texts[i].len > 0 ? 1 : 0)) < 1e-3);
        }
        EXPECT_TRUE("same text", dot(v + 2 * n, v + 4 * n, n) > 0.9999);
        EXPECT_TRUE("near and far", dot(v, v + 2 * n, n) > dot(v + 3 * n, v + 2 * n, n));
        close_contract(&f, maker);
    }
}

static size_t make_texts(struct str texts[TEXTS], char (*room)[64])
{
    for (size_t i = 0; i < TEXTS; i++) {
        int len = snprintf(room[i], sizeof room[i], "section %zu about %s number %zu", i,
                           i % 2 == 0 ? "crews" : "invoices", i * 7919 % 1000);
        texts[i] = str_make(room[i], (size_t)len);
    }
    return TEXTS;
}

/* What is asked for together is what is asked for one by one, in order. */
TEST(many_are_as_one)
{
    struct str texts[TEXTS];
    char room[TEXTS][64];
    make_texts(texts, room);
    TEST_EACH(maker, makers) {
        struct contract all, one;
        assert_true(open_contract(&all, maker));
        assert_true(open_contract(&one, maker));
        ask(maker->name, &all, texts, TEXTS);
        size_t n = all.texts.dimensions;
        for (size_t i = 0; i < TEXTS; i += 37) {
            ask(maker->name, &one, &texts[i], 1);
            EXPECT_INT(maker->name, one.texts.dimensions, n);
            EXPECT_TRUE(maker->name, dot(all.texts.vectors + i * n, one.texts.vectors, n) > 0.9999);
        }
        close_contract(&one, maker);
        close_contract(&all, maker);
    }
}

TEST(cancelled_at_every_turn)
{
    struct str texts[TEXTS];
    char room[TEXTS][64];
    make_texts(texts, room);
    TEST_EACH(maker, makers) {
        bool over = false;
        for (unsigned turn = 0; !over; turn = turn * 3 / 2 + 1) {
            struct contract f;
            assert_true(open_contract(&f, maker));
            start(&f, texts, TEXTS);
            loop_turn(f.rig.loop, turn);
            over = f.rig.done_calls == 1 || turn > SWEEP;
            op_cancel(&f.texts.op);
            op_cancel(&f.texts.op);
            rig_wait(maker->name, &f.rig, 1);
            EXPECT_TRUE(maker->name, f.rig.err.code == ERR_CANCELLED || f.rig.err.code == ERR_OK);
            close_contract(&f, maker);
        }
    }
}

/* Closing finishes what is in flight, once, and tells once. */
TEST(closed_at_every_turn)
{
    struct str texts[TEXTS];
    char room[TEXTS][64];
    make_texts(texts, room);
    TEST_EACH(maker, makers) {
        bool over = false;
        for (unsigned turn = 0; !over; turn = turn * 3 / 2 + 1) {
            struct contract f;
            assert_true(open_contract(&f, maker));
            start(&f, texts, TEXTS);
            loop_turn(f.rig.loop, turn);
            over = f.rig.done_calls == 1 || turn > SWEEP;
            embed_close(f.embed, rig_on_closed, &f.rig);
            f.embed = NULL;
            assert_true(loop_run_dry(f.rig.loop, RIG_TURNS));
            EXPECT_INT(maker->name, f.rig.done_calls, 1);
            EXPECT_INT(maker->name, f.rig.closed_calls, 1);
            close_contract(&f, maker);
        }
    }
}

static void close_at_done(struct rig *rig)
{
    struct contract *f = container_of(rig, struct contract, rig);
    embed_close(f->embed, rig_on_closed, rig);
    f->embed = NULL;
    EXPECT_INT("not from inside", rig->closed_calls, 0);
}

TEST(closed_from_inside_a_done)
{
    struct str texts[TEXTS];
    char room[TEXTS][64];
    make_texts(texts, room);
    TEST_EACH(maker, makers) {
        struct contract f;
        struct embed_texts others[2] = {0};
        assert_true(open_contract(&f, maker));
        f.rig.at_done = close_at_done;
        start(&f, texts, TEXTS);
        for (size_t i = 0; i < countof(others); i++)
            embed_texts_start(&others[i], f.embed, &f.request, rig_waiter(&f.rig));
        assert_true(loop_run_dry(f.rig.loop, RIG_TURNS));
        EXPECT_INT(maker->name, f.rig.done_calls, 3);
        EXPECT_INT(maker->name, f.rig.closed_calls, 1);
        for (size_t i = 0; i < countof(others); i++)
            op_release(&others[i].op);
        close_contract(&f, maker);
    }
}

TEST(every_allocation_may_fail)
{
    struct str texts[TEXTS];
    char room[TEXTS][64];
    make_texts(texts, room);
    TEST_EACH(maker, makers) {
        enum err_code code = ERR_NO_MEMORY;
        for (unsigned n = 1; code != ERR_OK; n++) {
            struct contract f;
            assert_true(n < SWEEP);
            mem_fail_nth(0);
            rig_begin(&f.rig);
            struct loop *loop = f.rig.loop;
            f = (struct contract){.rig.loop = loop};
            mem_fail_nth(n);
            f.embed = maker->open(&f);
            if (f.embed != NULL) {
                start(&f, texts, TEXTS);
                rig_wait(maker->name, &f.rig, 1);
                code = f.rig.err.code;
                EXPECT_TRUE(maker->name, code == ERR_OK || f.texts.vectors == NULL);
            }
            mem_fail_nth(0);
            close_contract(&f, maker);
        }
    }
}

static int start_mock(void **state UNUSED)
{
    mock_process_start(&mock, "0");
    return 0;
}

static int stop_mock(void **state UNUSED)
{
    mock_process_stop(&mock);
    return 0;
}

int main(void)
{
    const struct CMUnitTest all[] = {
        T(vectors_are_rows_of_unit_length), T(many_are_as_one),
        T(cancelled_at_every_turn),         T(closed_at_every_turn),
        T(closed_from_inside_a_done),       T(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(all, start_mock, stop_mock);
}
