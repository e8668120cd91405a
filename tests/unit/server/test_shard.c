/* SPDX-License-Identifier: MIT */
#include "core/base/mem.h"
#include "backends/stores/store_memory.h"
#include "server/runs/shard.h"
#include "tests/lib/faulty_store.h"
#include "tests/lib/loop_rig.h"
#include "tests/lib/test.h"

enum { MOST = 3, TURNS = 20 };

struct rig {
    struct shard shards[MOST], *all[MOST];
    struct shard_group group;
};

static void open_rig(struct rig *rig, size_t count)
{
    *rig = (struct rig){.group = {.shards = rig->all, .count = count}};
    for (size_t i = 0; i < count; i++) {
        struct loop *loop = loop_create();
        rig->all[i] = &rig->shards[i];
        rig->shards[i] = (struct shard){.group = &rig->group,
                                        .index = (unsigned)i,
                                        .loop = loop,
                                        .inbox = inbox_create(loop, NULL)};
    }
}

static void close_rig(struct rig *rig)
{
    for (size_t i = 0; i < rig->group.count; i++)
        inbox_close(rig->shards[i].inbox);
    for (size_t i = 0; i < rig->group.count; i++) {
        loop_run(rig->shards[i].loop);
        inbox_destroy(rig->shards[i].inbox);
        loop_destroy(rig->shards[i].loop);
    }
}

/* Each shard writes its place; the end writes where it is, or that it is nowhere. */
struct postcard {
    struct shard_message message;
    struct buf *way;
};

static void visit(struct shard_message *message, struct shard *shard)
{
    buf_printf(container_of(message, struct postcard, message)->way, "%u ", shard->index);
}

static void end(struct shard_message *message, struct shard *home)
{
    struct postcard *postcard = container_of(message, struct postcard, message);
    if (home == NULL)
        buf_push(postcard->way, STR("lost"));
    else
        buf_printf(postcard->way, "home %u", home->index);
    mem_free(postcard);
}

static const struct {
    const char *name;
    size_t count, home;
    int stopping; /* -1: none */
    const char *way;
} cases[] = {
    {"alone, at once", 1, 0, -1, "0 home 0"},      {"all in turn", 3, 0, -1, "0 1 2 home 0"},
    {"from the middle", 3, 1, -1, "1 2 0 home 1"}, {"the next one stops", 3, 0, 1, "0 lost"},
    {"the last one stops", 3, 0, 2, "0 1 lost"},   {"home stops", 3, 0, 0, "0 1 2 lost"},
};

TEST(a_message_visits_every_shard_and_ends_once)
{
    TEST_EACH(c, cases) {
        struct rig rig;
        struct buf way;
        struct postcard *postcard = mem_zalloc(1, sizeof *postcard);
        open_rig(&rig, c->count);
        buf_init(&way, 100);
        *postcard = (struct postcard){.message = {.visit = visit, .end = end}, .way = &way};
        if (c->stopping >= 0)
            rig.shards[c->stopping].stopping = true;
        shard_send_around(&rig.shards[c->home], &postcard->message);
        for (size_t turn = 0; turn < TURNS; turn++)
            for (size_t i = 0; i < c->count; i++)
                loop_turn(rig.shards[i].loop, 1);
        EXPECT_STR(c->name, buf_str(&way), str_of(c->way));
        buf_fini(&way);
        close_rig(&rig);
    }
}

TEST(what_belongs_where)
{
    struct rig rig;
    open_rig(&rig, MOST);
    const struct id id = id_run(2);
    EXPECT_INT("a run's id", shard_of_run(&rig.shards[0], str_of(id.text)), 2);
    EXPECT_INT("no run's id", shard_of_run(&rig.shards[0], STR("x")), MOST);
    EXPECT_INT("no conversation", shard_of_conversation(&rig.shards[1], STR("")), 1);
    EXPECT_INT("a conversation, asked anywhere",
               shard_of_conversation(&rig.shards[0], STR("conversation")),
               shard_of_conversation(&rig.shards[2], STR("conversation")));
    close_rig(&rig);
}

static const struct {
    const char *name;
    enum err_code code; /* of the last call to the store; ERR_OK: none failed */
    uint64_t later_ms;
    int status;
} misses[] = {
    {"the store always answered", ERR_OK, 0, 410},
    {"it was lost", ERR_UNAVAILABLE, 0, 503},
    {"it did not answer in time", ERR_TIMEOUT, 0, 503},
    {"other servers may still wait for it", ERR_UNAVAILABLE, 9999, 503},
    {"all have asked it again", ERR_UNAVAILABLE, 10000, 410},
    {"it refused what it was asked", ERR_CONFLICT, 0, 410},
};

static void on_closed(void *owner)
{
    *(bool *)owner = true;
}

/* A run that begins while the store is lost has no record: another server must not tell its client
 * that there is no such run, since the client would ask anew. */
TEST(a_run_that_the_store_does_not_have)
{
    TEST_EACH(c, misses) {
        static const struct store_find ask = {.run_id = {"run_1", 5}};
        struct loop_rig base;
        struct faulty_store faulty;
        struct store_call call = {.verb = STORE_FIND};
        struct problem problem;
        bool is_closed = false;
        loop_rig_init(&base);
        struct store *inner = store_memory_create(base.loop);
        faulty_store_init(&faulty, inner);
        faulty.code = c->code;
        faulty.fail_at = c->code != ERR_OK;
        const struct wiring wiring = {.events = &faulty.store};
        const struct shard shard = {.wiring = &wiring};
        store_find_start(&call, &faulty.store, &ask, loop_rig_waiter(&base));
        loop_rig_dry(&base);
        loop_advance(base.loop, c->later_ms);
        shard_miss_run(&shard, &problem);
        EXPECT_INT(c->name, problem.status, c->status);
        EXPECT_INT(c->name, problem.retry_after > 0, c->status == 503);
        op_release(&call.op);
        store_close(inner, on_closed, &is_closed);
        loop_rig_fini(&base);
        EXPECT_TRUE(c->name, is_closed);
    }
}

RUN_TESTS(T(a_message_visits_every_shard_and_ends_once), T(what_belongs_where),
          T(a_run_that_the_store_does_not_have))
