/* SPDX-License-Identifier: MIT */
/* The schema's passages follow what is known: written once, again when it changed, given up for
 * newer knowledge and at the end; and whoever is read from is pinned meanwhile. */
#include "tests/lib/loop_rig.h"

#include <stdio.h>
#include <unistd.h>

#include "agents/search/hybrid.h"
#include "server/wiring/schema_indexing.h"
#include "tests/lib/fake_embed.h"
#include "tests/lib/fake_vec.h"

enum { SWEEP = 60, SETS = 3, LINE_BYTES = 512 };

static const char *const schemas[SETS] = {
    "{\"version\":1,\"tables\":{\"note\":{\"columns\":[\"id\"]}},\"relationships\":[]}",
    "{\"version\":1,\"tables\":{\"note\":{\"columns\":[\"id\"]},\"letter\":{\"columns\":[\"id\"]}},"
    "\"relationships\":[]}",
    "{\"version\":1,\"tables\":{\"a\":{\"columns\":[\"id\"]},\"b\":{\"columns\":[\"id\"]},"
    "\"c\":{\"columns\":[\"id\"]}},\"relationships\":[]}",
};

struct rig {
    struct loop_rig loop;
    struct fake_embed embed;
    struct fake_vec vec;
    struct log log;
    FILE *lines; /* of the log */
    struct services has;
    struct schema_indexing keeping;
    struct knowledge_set sets[SETS];
    struct knowledge_pin pins[SETS];
    unsigned unpinned[SETS];
};

static void on_unpinned(void *owner, struct knowledge_pin *pin)
{
    struct rig *rig = owner;
    rig->unpinned[pin - rig->pins]++;
    schema_passages_destroy(pin->set->schema); /* as when the set goes */
    pin->set->schema = NULL;
}

static struct rig *rig_make(void)
{
    struct rig *rig = mem_zalloc(1, sizeof *rig);
    assert_non_null(rig);
    loop_rig_init(&rig->loop);
    fake_embed_init(&rig->embed, rig->loop.loop);
    fake_vec_init(&rig->vec, rig->loop.loop);
    rig->lines = tmpfile();
    assert_non_null(rig->lines);
    rig->log = (struct log){.level = LOG_INFO, .fd = fileno(rig->lines)};
    rig->has = (struct services){
        .loop = rig->loop.loop, .embed = &rig->embed.embed, .vec = &rig->vec.vec, .log = &rig->log};
    rig->keeping = (struct schema_indexing){.has = &rig->has,
                                            .url = "postgresql://me:secret@db/x",
                                            .on_unpinned = on_unpinned,
                                            .owner = rig};
    for (size_t i = 0; i < SETS; i++) {
        struct err err = {0};
        struct catalog *catalog;
        EXPECT_INT("read", catalog_from_join_graph(str_of(schemas[i]), &catalog, &err), ERR_OK);
        const struct schema_passages_of of = {catalog, NULL, &sql_policy_default};
        rig->sets[i].schema = schema_passages_create(&of);
        assert_non_null(rig->sets[i].schema);
        catalog_destroy(catalog);
        rig->pins[i].set = &rig->sets[i];
    }
    return rig;
}

static void rig_free(struct rig *rig)
{
    op_release(&rig->keeping.run.op);
    loop_rig_fini(&rig->loop);
    fake_vec_fini(&rig->vec);
    fclose(rig->lines);
    for (size_t i = 0; i < SETS; i++)
        schema_passages_destroy(rig->sets[i].schema);
    mem_free(rig);
}

/* As a worker does: the one before it is old then. */
static void know(struct rig *rig, size_t set)
{
    schema_indexing_know(&rig->keeping, &rig->pins[set]);
    for (size_t i = 0; i < set; i++) {
        rig->pins[i].is_old = true;
        if (rig->pins[i].runs == 0 && rig->unpinned[i] == 0)
            on_unpinned(rig, &rig->pins[i]);
    }
}

static size_t count(const struct rig *rig)
{
    return fake_vec_count(&rig->vec, HYBRID_SCHEMA);
}

static bool is_logged(struct rig *rig, const char *text)
{
    char line[LINE_BYTES];
    bool is = false;
    rewind(rig->lines);
    while (fgets(line, sizeof line, rig->lines) != NULL)
        is = is || str_find(str_of(line), str_of(text)) != STR_NONE;
    return is;
}

TEST(written_when_it_is_new)
{
    struct rig *rig = rig_make();
    know(rig, 0);
    EXPECT_INT("pinned", rig->pins[0].runs, 1);
    loop_rig_dry(&rig->loop);
    EXPECT_INT("there", count(rig), 1);
    EXPECT_INT("let go", rig->pins[0].runs, 0);
    EXPECT_TRUE("said", is_logged(rig, "schema.indexed"));
    unsigned writes = rig->vec.writes;
    schema_indexing_know(&rig->keeping, &rig->pins[0]);
    loop_rig_dry(&rig->loop);
    EXPECT_INT("known already", rig->vec.writes, writes);
    know(rig, 1);
    loop_rig_dry(&rig->loop);
    EXPECT_INT("replaced", count(rig), 2);
    EXPECT_INT("the old one went", rig->unpinned[0], 1);
    EXPECT_INT("the new one stays", rig->unpinned[1], 0);
    EXPECT_TRUE("no password", !is_logged(rig, "secret"));
    rig_free(rig);
}

/* One database under two logins is one; two databases are two. */
TEST(the_database_names_its_passages)
{
    struct rig *rig = rig_make();
    know(rig, 2);
    loop_rig_dry(&rig->loop);
    EXPECT_INT("one", count(rig), 3);
    rig->keeping.url = "postgresql://you:other@db/x";
    schema_indexing_know(&rig->keeping, &rig->pins[2]);
    loop_rig_dry(&rig->loop);
    EXPECT_INT("still one", count(rig), 3);
    rig->keeping.url = "postgresql://me:secret@db/y";
    schema_indexing_know(&rig->keeping, &rig->pins[2]);
    loop_rig_dry(&rig->loop);
    EXPECT_INT("two", count(rig), 6);
    rig_free(rig);
}

TEST(newer_knowledge_at_every_turn)
{
    bool over = false;
    for (unsigned turn = 0; !over; turn++) {
        struct rig *rig = rig_make();
        assert_true(turn < SWEEP);
        know(rig, 0);
        loop_turn(rig->loop.loop, turn);
        over = rig->pins[0].runs == 0;
        know(rig, 1);
        know(rig, 2);
        EXPECT_INT("read from until it has ended", rig->unpinned[0], over);
        loop_rig_dry(&rig->loop);
        EXPECT_INT("the newest", count(rig), 3);
        EXPECT_INT("went once", rig->unpinned[0], 1);
        EXPECT_INT("went once, too", rig->unpinned[1], 1);
        EXPECT_INT("nobody reads", rig->pins[2].runs, 0);
        EXPECT_TRUE("being cancelled is no trouble", !is_logged(rig, "schema.not_indexed"));
        rig_free(rig);
    }
}

TEST(stopped_at_every_turn)
{
    bool over = false;
    for (unsigned turn = 0; !over; turn++) {
        struct rig *rig = rig_make();
        assert_true(turn < SWEEP);
        know(rig, 0);
        know(rig, 1); /* waits */
        loop_turn(rig->loop.loop, turn);
        over = rig->pins[0].runs + rig->pins[1].runs == 0;
        bool is_waiting = rig->keeping.next != NULL;
        schema_indexing_stop(&rig->keeping);
        schema_indexing_stop(&rig->keeping);
        loop_rig_dry(&rig->loop);
        EXPECT_INT("nobody reads", rig->pins[0].runs + rig->pins[1].runs, 0);
        EXPECT_TRUE("nothing begins any more", !is_waiting || count(rig) < 2);
        rig_free(rig);
    }
}

TEST(without_a_store_or_a_catalog)
{
    struct rig *rig = rig_make();
    schema_passages_destroy(rig->sets[0].schema);
    rig->sets[0].schema = NULL;
    know(rig, 0);
    EXPECT_INT("no catalog", rig->pins[0].runs, 0);
    rig->has.vec = NULL;
    know(rig, 1);
    EXPECT_INT("no store", rig->pins[1].runs, 0);
    rig->has.vec = &rig->vec.vec;
    rig->has.embed = NULL;
    schema_indexing_know(&rig->keeping, &rig->pins[1]);
    EXPECT_INT("no embeddings", rig->pins[1].runs, 0);
    rig->has.embed = &rig->embed.embed;
    rig->vec.failure = ERR_UNAVAILABLE;
    schema_indexing_know(&rig->keeping, &rig->pins[1]);
    loop_rig_dry(&rig->loop);
    EXPECT_TRUE("down", is_logged(rig, "schema.not_indexed"));
    rig->vec.failure = ERR_OK;
    schema_indexing_know(&rig->keeping, &rig->pins[1]);
    schema_passages_destroy(rig->sets[2].schema);
    rig->sets[2].schema = NULL;
    know(rig, 2); /* nothing to say of the newest: what was begun is wrong now */
    loop_rig_dry(&rig->loop);
    EXPECT_INT("given up", count(rig), 0);
    EXPECT_INT("let go", rig->unpinned[1], 1);
    rig_free(rig);
}

RUN_TESTS(T(written_when_it_is_new), T(the_database_names_its_passages),
          T(newer_knowledge_at_every_turn), T(stopped_at_every_turn),
          T(without_a_store_or_a_catalog))
