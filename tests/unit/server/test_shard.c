/* SPDX-License-Identifier: MIT */
#include "core/base/mem.h"
#include "server/runs/shard.h"
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

RUN_TESTS(T(a_message_visits_every_shard_and_ends_once), T(what_belongs_where))
