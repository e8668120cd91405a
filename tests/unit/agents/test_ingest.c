/* SPDX-License-Identifier: MIT */
/* Documents and records as items; items into both stores: whole, again, less than before, failing
 * at each step, cancelled at each turn. */
#include "tests/lib/loop_rig.h"

#include "agents/docs/ingest.h"
#include "agents/docs/owner.h"
#include "tests/lib/fake_embed.h"
#include "tests/lib/fake_text.h"
#include "tests/lib/fake_vec.h"

enum { BUDGET = 64 << 20, MAX_TURNS = 200 };

static const struct docs_source manual = {DOCS_DOCUMENTS, STR("core.md"), STR(""), STR("")};

static const struct docs_item *items_of(struct arena *arena, const struct docs_source *source,
                                        const char *markdown, size_t *count)
{
    struct docs_document document;
    const struct docs_item *items = NULL;
    struct err err = {0};
    EXPECT_INT("read", docs_document_read(arena, DOCS_MARKDOWN, str_of(markdown), &document, &err),
               ERR_OK);
    EXPECT_INT("items", docs_items_of_document(arena, source, &document, &items, count, &err),
               ERR_OK);
    return items;
}

TEST(a_documents_passages)
{
    struct arena arena;
    size_t count;
    arena_init(&arena, BUDGET);
    const struct docs_source own = {DOCS_FINANCIAL, STR("r.md"), STR("acme"), STR("ann")};
    const struct docs_item *items = items_of(
        &arena, &own, "---\nyear: 2024\n---\n# Report\n\nOne.\n\n## Net income\n\nTwo.\n", &count);
    EXPECT_INT("count", count, 2);
    const struct passage *second = &items[1].passage;
    EXPECT_STR("text", second->text, STR("Two."));
    EXPECT_STR("embedded", items[1].embedded, STR("Report > Net income\nTwo."));
    EXPECT_STR("heading", passage_get(second, STR("heading")), STR("Report > Net income"));
    EXPECT_STR("title", passage_get(second, STR("title")), STR("Report"));
    EXPECT_STR("year", passage_get(second, STR("year")), STR("2024"));
    EXPECT_STR("company", passage_get(second, STR("company_id")), STR("acme"));
    EXPECT_STR("user", passage_get(second, STR("user_id")), STR("ann"));
    EXPECT_STR("ordinal", passage_get(second, STR("ordinal")), STR("2"));
    EXPECT_STR("document", passage_get(second, STR("document")), STR("r.md"));
    EXPECT_TRUE("the id is its owner's", str_ends_with(second->id, STR("/r.md#2")));
    EXPECT_STR("everybody's", docs_items_id(&arena, &manual, 3), STR("core.md#3"));
    arena_fini(&arena);
}

/* Owners whose ids run into one another, or meet in a short hash, are not one. */
TEST(ids_belong_to_their_owner)
{
    static const struct {
        const char *company, *user;
    } owners[] = {{"a", ""},   {"", "a"},       {"ab", "c"},     {"a", "bc"},  {"abc", ""},
                  {"", "abc"}, {"acme", "ann"}, {"ann", "acme"}, {"a/b", "c"}, {"a", "/bc"}};
    struct arena arena;
    struct str ids[countof(owners)];
    size_t count;
    arena_init(&arena, BUDGET);
    for (size_t i = 0; i < countof(owners); i++) {
        const struct docs_source source = {.name = STR("r.md"),
                                           .company_id = str_of(owners[i].company),
                                           .user_id = str_of(owners[i].user)};
        ids[i] = docs_items_id(&arena, &source, 1);
        EXPECT_INT("a fixed length", ids[i].len, DOCS_OWNER_BYTES + 7);
        EXPECT_STR("the same each time", docs_items_id(&arena, &source, 1), ids[i]);
        for (size_t j = 0; j < i; j++)
            EXPECT_TRUE("two owners", !str_equal(ids[i], ids[j]));
    }
    char name[DOCS_MAX_NAME];
    memset(name, 'n', sizeof name);
    const struct docs_source longest = {.name = str_make(name, sizeof name),
                                        .company_id = STR("acme")};
    EXPECT_TRUE("fits a store", docs_items_id(&arena, &longest, 99999999).len <= PASSAGE_MAX_ID);
    const struct docs_source own = {.name = STR("r.md"), .company_id = STR("acme")};
    const struct str *gone = docs_items_gone(&arena, &own, 2, 3, &count);
    EXPECT_INT("what is too many, and all of the first version", count, 1 + 3);
    EXPECT_STR("too many", gone[0], docs_items_id(&arena, &own, 3));
    EXPECT_STR("the first version", gone[1], STR("a96839df2e0706f6/r.md#1"));
    (void)docs_items_gone(&arena, &own, 5, 3, &count);
    EXPECT_INT("more than before", count, 3);
    (void)docs_items_gone(&arena, &manual, 1, 3, &count);
    EXPECT_INT("everybody's ids are as they were", count, 2);
    arena_fini(&arena);
}

static const struct {
    const char *name;
    enum docs_kind kind;
    const char *jsonl, *says; /* NULL: it is fine */
} records[] = {
    {"pairs", DOCS_SQL_PAIRS, "{\"question\":\"q\",\"sql\":\"SELECT 1\"}", NULL},
    {"a pair without sql", DOCS_SQL_PAIRS, "\n{\"question\":\"q\"}", "line 2"},
    {"metadata", DOCS_METADATA, "{\"term\":\"t\",\"says\":\"x\"}", NULL},
    {"metadata, other word", DOCS_METADATA, "{\"table\":\"t\",\"description\":\"x\"}", NULL},
    {"metadata without text", DOCS_METADATA, "{\"term\":\"t\"}", "line 1"},
};

TEST(records_as_passages)
{
    TEST_EACH(c, records) {
        const struct docs_source source = {c->kind, STR("p.jsonl"), STR(""), STR("")};
        const struct docs_record *read = NULL;
        const struct docs_item *items = NULL;
        struct arena arena;
        struct err err = {0};
        size_t count = 0, item_count = 0;
        arena_init(&arena, BUDGET);
        EXPECT_INT(c->name,
                   docs_records_read(&arena, DOCS_JSONL, str_of(c->jsonl), &read, &count, &err),
                   ERR_OK);
        enum err_code code =
            docs_items_of_records(&arena, &source, read, count, &items, &item_count, &err);
        EXPECT_INT(c->name, code, c->says == NULL ? ERR_OK : ERR_INVALID);
        EXPECT_TRUE(c->name, c->says == NULL || strstr(err.text, c->says) != NULL);
        EXPECT_TRUE(c->name, c->says != NULL || items[0].passage.field_count >= 3);
        arena_fini(&arena);
    }
}

/* ---- into the stores ---- */

struct rig {
    struct loop_rig loop;
    struct fake_embed embed;
    struct fake_vec vec;
    struct fake_text text;
    struct services has;
    struct arena arena;
    struct docs_ingest ingest;
    struct docs_ingest_request request;
};

static struct rig *rig_make(size_t sections)
{
    struct rig *rig = mem_zalloc(1, sizeof *rig);
    struct buf text;
    loop_rig_init(&rig->loop);
    fake_embed_init(&rig->embed, rig->loop.loop);
    fake_vec_init(&rig->vec, rig->loop.loop);
    fake_text_init(&rig->text, rig->loop.loop);
    rig->has = (struct services){.loop = rig->loop.loop,
                                 .embed = &rig->embed.embed,
                                 .vec = &rig->vec.vec,
                                 .text = &rig->text.text};
    arena_init(&rig->arena, BUDGET);
    buf_init(&text, BUDGET);
    for (size_t i = 0; i < sections; i++)
        buf_printf(&text, "# Section %zu\n\nWords of section %zu.\n\n", i, i);
    buf_push_char(&text, '\0');
    rig->request.collection = docs_items_collection(DOCS_DOCUMENTS);
    rig->request.items = items_of(&rig->arena, &manual, buf_str(&text).at, &rig->request.count);
    buf_fini(&text);
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

static enum err_code run(struct rig *rig)
{
    docs_ingest_start(&rig->ingest, &rig->has, &rig->request, loop_rig_waiter(&rig->loop));
    loop_rig_dry(&rig->loop);
    op_release(&rig->ingest.op);
    return rig->ingest.op.err.code;
}

static void expect_stored(const char *name, const struct rig *rig, size_t count)
{
    EXPECT_INT(name, fake_vec_count(&rig->vec, rig->request.collection), count);
    EXPECT_INT(name, fake_text_count(&rig->text, rig->request.collection), count);
}

TEST(stored_again_and_less)
{
    struct str stale[60];
    struct rig *rig = rig_make(300); /* three batches */
    EXPECT_INT("first", run(rig), ERR_OK);
    EXPECT_INT("progress", rig->ingest.stored, 300);
    expect_stored("first", rig, 300);
    EXPECT_INT("again", run(rig), ERR_OK);
    expect_stored("again", rig, 300);
    for (size_t i = 0; i < countof(stale); i++)
        stale[i] = docs_items_id(&rig->arena, &manual, 241 + i);
    rig->request.count = 240;
    rig->request.stale_ids = stale;
    rig->request.stale_count = countof(stale);
    EXPECT_INT("less", run(rig), ERR_OK);
    expect_stored("less", rig, 240);
    rig->request.count = 0;
    EXPECT_INT("only what is stale", run(rig), ERR_OK);
    expect_stored("nothing new", rig, 240);
    rig_free(rig);
}

TEST(one_store_alone)
{
    struct rig *rig = rig_make(3);
    rig->has.vec = NULL;
    EXPECT_INT("words", run(rig), ERR_OK);
    EXPECT_INT("not embedded", rig->embed.calls, 0);
    rig->has.vec = &rig->vec.vec;
    rig->has.text = NULL;
    EXPECT_INT("vectors", run(rig), ERR_OK);
    expect_stored("each", rig, 3);
    rig->has.embed = NULL;
    EXPECT_INT("no embeddings, no words", run(rig), ERR_UNAVAILABLE);
    rig_free(rig);
}

static const struct {
    const char *name;
    enum err_code embed, vec, text, want;
    const char *says;
} failures[] = {
    {"embeddings", ERR_TIMEOUT, ERR_OK, ERR_OK, ERR_TIMEOUT, "embeddings: "},
    {"vectors", ERR_OK, ERR_UNAVAILABLE, ERR_OK, ERR_UNAVAILABLE, "the vector store: "},
    {"words", ERR_OK, ERR_OK, ERR_REJECTED, ERR_REJECTED, "the keyword store: "},
};

TEST(each_step_fails)
{
    TEST_EACH(c, failures) {
        struct rig *rig = rig_make(3);
        rig->embed.failure = c->embed;
        rig->vec.failure = c->vec;
        rig->text.failure = c->text;
        EXPECT_INT(c->name, run(rig), c->want);
        EXPECT_TRUE(c->name, strstr(rig->ingest.op.err.text, c->says) == rig->ingest.op.err.text);
        rig->embed.failure = rig->vec.failure = rig->text.failure = ERR_OK;
        EXPECT_INT("then it goes", run(rig), ERR_OK);
        expect_stored(c->name, rig, 3);
        rig_free(rig);
    }
}

TEST(cancelled_at_every_turn)
{
    bool ended = false;
    for (unsigned turn = 0; !ended; turn++) {
        struct rig *rig = rig_make(200);
        EXPECT_TRUE("it ends", turn < MAX_TURNS);
        docs_ingest_start(&rig->ingest, &rig->has, &rig->request, loop_rig_waiter(&rig->loop));
        loop_turn(rig->loop.loop, turn);
        ended = rig->loop.done_count == 1;
        op_cancel(&rig->ingest.op);
        op_cancel(&rig->ingest.op);
        loop_rig_dry(&rig->loop);
        EXPECT_INT("done once", rig->loop.done_count, 1);
        EXPECT_TRUE("how", rig->ingest.op.err.code == (ended ? ERR_OK : ERR_CANCELLED) ||
                               rig->ingest.stored == 200);
        op_release(&rig->ingest.op);
        EXPECT_INT("again", run(rig), ERR_OK);
        expect_stored("whole", rig, 200);
        rig_free(rig);
    }
}

RUN_TESTS(T(a_documents_passages), T(ids_belong_to_their_owner), T(records_as_passages),
          T(stored_again_and_less), T(one_store_alone), T(each_step_fails),
          T(cancelled_at_every_turn))
