/* SPDX-License-Identifier: MIT */
/* A catalog's tables in a store, found by meaning; what happens to them when it changes; near
 * searches over several collections. */
#include "tests/lib/loop_rig.h"

#include "agents/lexicon/index.h"
#include "agents/lexicon/lexicon.h"
#include "agents/search/hybrid.h"
#include "agents/search/near.h"
#include "agents/search/schema_index.h"
#include "tests/lib/fake_embed.h"
#include "tests/lib/fake_vec.h"

enum { SWEEP = 60, ID_BYTES = 16 };

static const char two_tables[] =
    "{\"version\":1,\"tables\":{\"fieldPlot\":{\"columns\":[\"id\",\"dueDate\"]},"
    "\"employee\":{\"columns\":[\"id\",\"firstName\"]}},\"relationships\":[]}";
static const char three_tables[] =
    "{\"version\":1,\"tables\":{\"fieldPlot\":{\"columns\":[\"id\",\"dueDate\"]},"
    "\"invoice\":{\"columns\":[\"id\",\"amount\"]},"
    "\"employee\":{\"columns\":[\"id\",\"firstName\"]}},\"relationships\":[]}";

struct rig {
    struct loop_rig loop;
    struct fake_embed embed;
    struct fake_vec vec;
    struct services has;
    struct session session;
    struct schema_index_run run;
    struct schema_passages *passages; /* of the run */
    struct near_search search;
    struct near_query query;
};

static struct rig *rig_make(void)
{
    struct rig *rig = mem_zalloc(1, sizeof *rig);
    loop_rig_init(&rig->loop);
    fake_embed_init(&rig->embed, rig->loop.loop);
    fake_vec_init(&rig->vec, rig->loop.loop);
    rig->has =
        (struct services){.loop = rig->loop.loop, .embed = &rig->embed.embed, .vec = &rig->vec.vec};
    rig->session = (struct session){.has = &rig->has, .caller = {STR(""), STR("acme"), STR("u1")}};
    return rig;
}

static void rig_free(struct rig *rig)
{
    loop_rig_fini(&rig->loop);
    fake_vec_fini(&rig->vec);
    schema_passages_destroy(rig->passages);
    mem_free(rig);
}

static void start(struct rig *rig, const char *schema, char id[ID_BYTES], const char *source)
{
    struct catalog *catalog;
    struct err err = {0};
    if (catalog_from_join_graph(str_of(schema), &catalog, &err) != ERR_OK)
        fail_msg("%s", err.text);
    const struct schema_passages_of passages_of = {catalog, NULL, &sql_policy_default};
    schema_passages_destroy(rig->passages);
    rig->passages = schema_passages_create(&passages_of);
    assert_non_null(rig->passages);
    catalog_destroy(catalog); /* is not needed any more */
    memcpy(id, schema_passages_id(rig->passages).at, ID_BYTES);
    const struct schema_index_of of = {rig->passages, str_of(source)};
    schema_index_start(&rig->run, &rig->has, &of, loop_rig_waiter(&rig->loop));
}

static enum err_code keep(struct rig *rig, const char *schema, char id[ID_BYTES],
                          const char *source)
{
    unsigned before = rig->loop.done_count;
    start(rig, schema, id, source);
    EXPECT_INT("never inside start", rig->loop.done_count, before);
    loop_rig_dry(&rig->loop);
    EXPECT_INT("once", rig->loop.done_count, before + 1);
    return rig->run.op.err.code;
}

static size_t passage_count(struct rig *rig)
{
    return fake_vec_count(&rig->vec, HYBRID_SCHEMA);
}

TEST(follows_the_catalog)
{
    struct rig *rig = rig_make();
    char two[ID_BYTES], three[ID_BYTES];
    EXPECT_INT("first", keep(rig, two_tables, two, "db1"), ERR_OK);
    EXPECT_INT("written", rig->run.passage_count, 3);
    EXPECT_INT("there", passage_count(rig), 3);
    unsigned writes = rig->vec.writes;
    EXPECT_INT("again", keep(rig, two_tables, two, "db1"), ERR_OK);
    EXPECT_INT("nothing to write", rig->run.passage_count, 0);
    EXPECT_INT("nothing to write", rig->vec.writes, writes);
    EXPECT_INT("another catalog", keep(rig, three_tables, three, "db1"), ERR_OK);
    EXPECT_INT("replaces", passage_count(rig), 6);
    EXPECT_TRUE("another id", memcmp(two, three, sizeof two) != 0);
    EXPECT_INT("another database", keep(rig, two_tables, two, "db2"), ERR_OK);
    EXPECT_INT("stands beside it", passage_count(rig), 9);
    const struct passage *passage = fake_vec_find(&rig->vec, HYBRID_SCHEMA, STR("db2/0"));
    assert_non_null(passage);
    EXPECT_STR("name", passage_get(passage, SCHEMA_INDEX_TABLE), STR("fieldPlot"));
    EXPECT_STR("text", passage->text, STR("fieldPlot: field plot. Columns: id, due date"));
    rig_free(rig);
}

/* A catalog of count tables, as JSON into to. */
static void write_tables(struct buf *to, int count)
{
    buf_push(to, STR("{\"version\":1,\"tables\":{"));
    for (int i = 0; i < count; i++)
        buf_printf(to, "%s\"table%d\":{\"columns\":[\"id\"]}", i > 0 ? "," : "", i);
    buf_push(to, STR("},\"relationships\":[]}"));
}

TEST(written_batch_by_batch)
{
    struct rig *rig = rig_make();
    struct buf schema;
    char id[ID_BYTES];
    buf_init(&schema, 1 << 20);
    write_tables(&schema, 200);
    buf_push_char(&schema, '\0');
    EXPECT_INT("kept", keep(rig, two_tables, id, "db1"), ERR_OK);
    unsigned before = rig->vec.writes;
    EXPECT_INT("kept", keep(rig, buf_str(&schema).at, id, "db1"), ERR_OK);
    EXPECT_INT("all", rig->run.passage_count, 200);
    EXPECT_INT("all there, and only they", passage_count(rig), 200);
    EXPECT_INT("in batches", rig->vec.writes - before, 4);
    before = rig->vec.writes;
    rig->vec.failure = ERR_UNAVAILABLE;
    EXPECT_INT("down", keep(rig, two_tables, id, "db1"), ERR_UNAVAILABLE);
    rig->vec.failure = ERR_OK;
    EXPECT_INT("up again", keep(rig, two_tables, id, "db1"), ERR_OK);
    EXPECT_INT("written now", passage_count(rig), 3);
    buf_fini(&schema);
    rig_free(rig);
}

/* Other values of the same catalog. */
TEST(values_that_changed_are_written)
{
    static const char schema[] = "{\"version\":1,\"tables\":{\"task\":{\"columns\":[\"id\","
                                 "\"state\"]}},\"relationships\":[]}";
    static const char *const values[] = {"open", "open", "closed"};
    struct rig *rig = rig_make();
    struct catalog *catalog;
    struct err err = {0};
    EXPECT_INT("read", catalog_from_join_graph(str_of(schema), &catalog, &err), ERR_OK);
    for (size_t i = 0; i < countof(values); i++) {
        unsigned before = rig->vec.writes;
        struct lexicon *lexicon = lexicon_create(catalog, NULL);
        assert_non_null(lexicon);
        EXPECT_TRUE("added", lexicon_index_add(lexicon, 0, 1, str_of(values[i])));
        const struct schema_passages_of of = {catalog, lexicon, &sql_policy_default};
        schema_passages_destroy(rig->passages);
        rig->passages = schema_passages_create(&of);
        assert_non_null(rig->passages);
        lexicon_destroy(lexicon);
        const struct schema_index_of index_of = {rig->passages, STR("db")};
        schema_index_start(&rig->run, &rig->has, &index_of, loop_rig_waiter(&rig->loop));
        loop_rig_dry(&rig->loop);
        EXPECT_INT("kept", rig->run.op.err.code, ERR_OK);
        EXPECT_INT("only what is new", rig->vec.writes - before, i != 1);
        const struct passage *passage = fake_vec_find(&rig->vec, HYBRID_SCHEMA, STR("db/0.1"));
        assert_non_null(passage);
        EXPECT_TRUE("text", str_find(passage->text, str_of(values[i])) != STR_NONE);
        EXPECT_STR("one catalog", passage_get(passage, SCHEMA_INDEX_CATALOG),
                   schema_passages_id(rig->passages));
    }
    catalog_destroy(catalog);
    rig_free(rig);
}

/* Several passages of one table are one table; unknown ones are none. */
TEST(tables_of_hits)
{
    static const char *const names[] = {"employee", "gone", "fieldPlot", "employee", "fieldPlot"};
    struct passage_field fields[countof(names)];
    struct passage_hit hits[countof(names)];
    struct catalog *catalog;
    struct err err = {0};
    int tables[3];
    for (size_t i = 0; i < countof(names); i++) {
        fields[i] = (struct passage_field){SCHEMA_INDEX_TABLE, str_of(names[i])};
        hits[i] = (struct passage_hit){.passage = {.fields = &fields[i], .field_count = 1}};
    }
    EXPECT_INT("read", catalog_from_join_graph(str_of(two_tables), &catalog, &err), ERR_OK);
    EXPECT_INT("two", schema_index_tables(catalog, hits, countof(hits), tables, 3), 2);
    EXPECT_INT("best first", tables[0], catalog_find_table(catalog, STR(""), STR("employee")));
    EXPECT_INT("then", tables[1], catalog_find_table(catalog, STR(""), STR("fieldPlot")));
    EXPECT_INT("at most", schema_index_tables(catalog, hits, countof(hits), tables, 1), 1);
    EXPECT_INT("none", schema_index_tables(catalog, hits, 0, tables, 3), 0);
    catalog_destroy(catalog);
}

static enum err_code look(struct rig *rig, const char *text, struct str catalog)
{
    rig->query = (struct near_query){
        .text = str_of(text),
        .looks = {{.collection = HYBRID_SCHEMA,
                   .top = 2,
                   .field = SCHEMA_INDEX_CATALOG,
                   .value = catalog},
                  {.collection = HYBRID_SQL_PAIRS, .top = 5}},
        .look_count = 2,
    };
    near_search_start(&rig->search, &rig->session, &rig->query, loop_rig_waiter(&rig->loop));
    loop_rig_dry(&rig->loop);
    return rig->search.op.err.code;
}

static void add_pair(struct rig *rig, const char *id, const char *company)
{
    struct passage_field field = {STR("company_id"), str_of(company)};
    struct embed_texts texts = {0};
    struct str text = str_of(id);
    const struct embed_request request = {&text, 1, 0};
    embed_texts_start(&texts, rig->has.embed, &request, loop_rig_waiter(&rig->loop));
    loop_rig_dry(&rig->loop);
    const struct vec_point point = {{text, text, &field, 1}, texts.vectors};
    const struct vec_change change = {.collection = HYBRID_SQL_PAIRS,
                                      .model = embed_model(rig->has.embed),
                                      .dimensions = texts.dimensions,
                                      .upsert = &point,
                                      .upsert_count = 1};
    struct vec_write write = {0};
    vec_write_start(&write, rig->has.vec, &change, loop_rig_waiter(&rig->loop));
    loop_rig_dry(&rig->loop);
    op_release(&write.op);
    op_release(&texts.op);
}

TEST(found_by_meaning_and_owner)
{
    struct rig *rig = rig_make();
    char id[ID_BYTES];
    EXPECT_INT("kept", keep(rig, three_tables, id, "db1"), ERR_OK);
    add_pair(rig, "everybody", "");
    add_pair(rig, "acme's", "acme");
    add_pair(rig, "CANARY of globex", "globex");
    struct str catalog = str_make(id, sizeof id);
    EXPECT_INT("searched", look(rig, "when are orders due", catalog), ERR_OK);
    EXPECT_INT("two", rig->search.found[0].hit_count, 2);
    EXPECT_STR("best", passage_get(&rig->search.found[0].hits[0].passage, SCHEMA_INDEX_TABLE),
               STR("fieldPlot"));
    EXPECT_INT("own and everybody's", rig->search.found[1].hit_count, 2);
    op_release(&rig->search.op);
    EXPECT_INT("another catalog", look(rig, "when are orders due", STR("0123456789abcdef")),
               ERR_OK);
    EXPECT_INT("has none", rig->search.found[0].hit_count, 0);
    op_release(&rig->search.op);
    rig->vec.failure = ERR_UNAVAILABLE;
    rig->vec.fails = "sql_pairs";
    EXPECT_INT("one collection is down", look(rig, "orders", catalog), ERR_OK);
    EXPECT_INT("the other answers", rig->search.found[0].hit_count, 2);
    EXPECT_INT("and it says so", rig->search.found[1].op.err.code, ERR_UNAVAILABLE);
    op_release(&rig->search.op);
    rig->vec.fails = NULL;
    EXPECT_INT("all are down", look(rig, "orders", catalog), ERR_UNAVAILABLE);
    rig->embed.failure = ERR_TIMEOUT;
    EXPECT_INT("no embeddings", look(rig, "orders", catalog), ERR_TIMEOUT);
    rig->has.vec = NULL;
    EXPECT_INT("no store", look(rig, "orders", catalog), ERR_UNAVAILABLE);
    rig_free(rig);
}

TEST(a_store_that_is_down)
{
    struct rig *rig = rig_make();
    char id[ID_BYTES];
    rig->vec.failure = ERR_UNAVAILABLE;
    EXPECT_INT("down", keep(rig, two_tables, id, "db1"), ERR_UNAVAILABLE);
    rig->vec.failure = ERR_OK;
    rig->embed.failure = ERR_NOT_CONFIGURED;
    EXPECT_INT("no key", keep(rig, two_tables, id, "db1"), ERR_NOT_CONFIGURED);
    rig->embed.failure = ERR_OK;
    EXPECT_INT("up again", keep(rig, two_tables, id, "db1"), ERR_OK);
    EXPECT_INT("there", passage_count(rig), 3);
    rig_free(rig);
}

TEST(cancelled_at_every_turn)
{
    bool over = false;
    for (unsigned turn = 0; !over; turn++) {
        struct rig *rig = rig_make();
        char id[ID_BYTES];
        start(rig, three_tables, id, "db1");
        loop_turn(rig->loop.loop, turn);
        over = rig->loop.done_count == 1;
        assert_true(turn < SWEEP);
        if (!over)
            op_cancel(&rig->run.op);
        loop_rig_dry(&rig->loop);
        EXPECT_INT("once", rig->loop.done_count, 1);
        EXPECT_TRUE("all or nothing", passage_count(rig) == 0 || passage_count(rig) == 6);
        rig_free(rig);
    }
    for (unsigned turn = 0; turn < 8; turn++) {
        struct rig *rig = rig_make();
        rig->query = (struct near_query){
            .text = STR("x"), .looks = {{.collection = HYBRID_SCHEMA, .top = 1}}, .look_count = 1};
        near_search_start(&rig->search, &rig->session, &rig->query, loop_rig_waiter(&rig->loop));
        loop_turn(rig->loop.loop, turn);
        if (rig->loop.done_count == 0)
            op_cancel(&rig->search.op);
        loop_rig_dry(&rig->loop);
        EXPECT_INT("once", rig->loop.done_count, 1);
        rig_free(rig);
    }
}

RUN_TESTS(T(follows_the_catalog), T(written_batch_by_batch), T(values_that_changed_are_written),
          T(tables_of_hits), T(found_by_meaning_and_owner), T(a_store_that_is_down),
          T(cancelled_at_every_turn))
