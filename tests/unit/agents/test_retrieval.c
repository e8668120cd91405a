/* SPDX-License-Identifier: MIT */
/* text_to_sql's retrieval over stores of pairs, metadata and tables: found, fused, whose, down; and
 * the SQL agent's tables by meaning. */
#include "tests/unit/agents/graph_rig.h"

#include "agents/search/hybrid.h"
#include "agents/search/schema_index.h"
#include "agents/sql_agent/state.h"
#include "agents/text_to_sql/state.h"
#include "backends/models/embed_features.h"
#include "tests/lib/fake_embed.h"
#include "tests/lib/fake_vec.h"

static const struct fake_reply plain[] = {
    {"sql_generation", "```sql\nSELECT COUNT(*) AS n FROM employee WHERE isActive = 1\n```"},
    {"sql_response", "There are 10."},
};
static const struct fake_answer ten[] = {{"employee", .column = "n", .value = 10, .row_count = 1}};

struct stores {
    struct graph_rig rig;
    struct fake_embed embed;
    struct fake_vec *vec;
    struct schema_passages *passages;
    unsigned dones;
};

static void on_done(struct op *op)
{
    struct stores *f = op_owner(op);
    f->dones++;
    EXPECT_INT("stored", op->err.code, ERR_OK);
}

static void add(struct stores *f, struct str collection, const char *text, const char *name,
                const char *value, const char *company)
{
    float vector[EMBED_FEATURES_DIMENSIONS];
    const struct passage_field fields[] = {{str_of(name), str_of(value)},
                                           {STR("company_id"), str_of(company)}};
    struct vec_write write = {0};
    embed_features_of(str_of(text), vector);
    const struct vec_point point = {{str_of(text), str_of(text), fields, 2}, vector};
    const struct vec_change change = {.collection = collection,
                                      .model = STR("fake-1"),
                                      .dimensions = EMBED_FEATURES_DIMENSIONS,
                                      .upsert = &point,
                                      .upsert_count = 1};
    vec_write_start(&write, &f->vec->vec, &change, (struct op_waiter){on_done, f, NULL});
    assert_true(loop_run_dry(f->rig.loop, 100));
    op_release(&write.op);
}

static void open_stores(struct stores *f, const struct fake_reply *replies, size_t reply_count)
{
    struct schema_index_run run = {0};
    *f = (struct stores){.vec = mem_zalloc(1, sizeof *f->vec)};
    graph_rig_init(&f->rig, replies, reply_count, ten, countof(ten));
    fake_embed_init(&f->embed, f->rig.loop);
    fake_vec_init(f->vec, f->rig.loop);
    f->rig.has.embed = &f->embed.embed;
    f->rig.has.vec = &f->vec->vec;
    const struct schema_passages_of tables = {f->rig.catalog, NULL, &sql_policy_default};
    f->passages = schema_passages_create(&tables);
    assert_non_null(f->passages);
    f->rig.knows.schema_id = schema_passages_id(f->passages);
    const struct schema_index_of of = {f->passages, STR("db")};
    schema_index_start(&run, &f->rig.has, &of, (struct op_waiter){on_done, f, NULL});
    assert_true(loop_run_dry(f->rig.loop, 100));
    EXPECT_INT("indexed", run.passage_count, schema_passages_count(f->passages));
    op_release(&run.op);
    add(f, HYBRID_SQL_PAIRS, "How many employees are active?", "sql", "SELECT 1", "");
    add(f, HYBRID_SQL_PAIRS, "How many employees are active at acme?", "sql", "SELECT 2", "acme");
    add(f, HYBRID_SQL_PAIRS, "How many employees of globex are active?", "sql", "CANARY", "globex");
    add(f, HYBRID_SQL_PAIRS, "employees without a statement", "kind", "sql-pairs", "");
    add(f, HYBRID_METADATA, "An active employee has isActive = 1.", "table", "employee", "");
}

static void close_stores(struct stores *f)
{
    graph_rig_fini(&f->rig);
    fake_vec_fini(f->vec);
    mem_free(f->vec);
    schema_passages_destroy(f->passages);
}

static bool has(struct str text, const char *piece)
{
    return str_find(text, str_of(piece)) != STR_NONE;
}

TEST(found_by_meaning)
{
    struct stores f;
    open_stores(&f, plain, countof(plain));
    graph_rig_go(&f.rig, "text_to_sql", "How many active employees are there?");
    const struct state *state = run_state(f.rig.run);
    struct str pairs = state_str(state, TEXT_TO_SQL_SQL_PAIRS);
    EXPECT_TRUE("everybody's", has(pairs, "\"sql\":\"SELECT 1\""));
    EXPECT_TRUE("the caller's", has(pairs, "\"sql\":\"SELECT 2\""));
    EXPECT_TRUE("nobody else's", !has(pairs, "CANARY"));
    EXPECT_TRUE("only pairs", !has(pairs, "without a statement"));
    EXPECT_STR("metadata", state_str(state, TEXT_TO_SQL_METADATA),
               STR("[{\"table\":\"employee\",\"says\":\"An active employee has isActive = 1.\"}]"));
    EXPECT_TRUE("the table comes first",
                str_starts_with(state_str(state, TEXT_TO_SQL_DATABASE_INFO), STR("## employee\n")));
    EXPECT_TRUE("no warning", !state_has(state, TEXT_TO_SQL_RETRIEVAL_WARNING));
    EXPECT_INT("embedded once more than the schema's two", f.embed.calls, 3);
    close_stores(&f);
}

static size_t count_of(struct str text, const char *piece)
{
    size_t count = 0;
    for (ptrdiff_t at; (at = str_find(text, str_of(piece))) != STR_NONE; count++)
        text = str_from(text, (size_t)at + 1);
    return count;
}

/* Five pairs and five notes, of however many. */
TEST(the_nearest_few)
{
    struct stores f;
    open_stores(&f, plain, countof(plain));
    for (char name[] = "How many employees are active? a"; name[31] <= 'l'; name[31]++)
        add(&f, HYBRID_SQL_PAIRS, name, "sql", "SELECT 3", "");
    for (char note[] = "Active employees are counted a"; note[29] <= 'l'; note[29]++)
        add(&f, HYBRID_METADATA, note, "table", "employee", "");
    graph_rig_go(&f.rig, "text_to_sql", "How many active employees are there?");
    const struct state *state = run_state(f.rig.run);
    EXPECT_INT("pairs", (int)count_of(state_str(state, TEXT_TO_SQL_SQL_PAIRS), "\"sql\":"), 5);
    EXPECT_INT("notes", (int)count_of(state_str(state, TEXT_TO_SQL_METADATA), "\"says\":"), 5);
    close_stores(&f);
}

/* What is down is done without, and said. */
TEST(stores_down)
{
    static const struct {
        const char *name, *fails;
        enum err_code vec, embed;
        bool pairs;
    } cases[] = {
        {"the store", NULL, ERR_UNAVAILABLE, ERR_OK, false},
        {"the embeddings", NULL, ERR_OK, ERR_TIMEOUT, false},
        {"pairs only", "sql_pairs", ERR_UNAVAILABLE, ERR_OK, false},
        {"tables only", "schema_info", ERR_UNAVAILABLE, ERR_OK, true},
    };
    TEST_EACH(c, cases) {
        struct stores f;
        open_stores(&f, plain, countof(plain));
        f.vec->failure = c->vec;
        f.vec->fails = c->fails;
        f.embed.failure = c->embed;
        graph_rig_go(&f.rig, "text_to_sql", "How many active employees are there?");
        const struct state *state = run_state(f.rig.run);
        EXPECT_INT(c->name, has(state_str(state, TEXT_TO_SQL_SQL_PAIRS), "SELECT 1"), c->pairs);
        EXPECT_TRUE(c->name, has(state_str(state, TEXT_TO_SQL_RETRIEVAL_WARNING), "words only"));
        EXPECT_TRUE(c->name, str_starts_with(state_str(state, TEXT_TO_SQL_DATABASE_INFO),
                                             STR("## employee\n")));
        EXPECT_TRUE(c->name, strstr(f.rig.events, "complete:") != NULL);
        EXPECT_TRUE(c->name, strstr(f.rig.events, "\"retrieval_warning\":") != NULL);
        close_stores(&f);
    }
}

/* The SQL agent's table selector: a word that no name has is near the names it resembles. */
TEST(tables_nobody_named)
{
    static const struct {
        const char *name, *question, *want;
        enum err_code vec, embed;
    } cases[] = {
        {"near", "Emploiees?", "[\"employee\"]", ERR_OK, ERR_OK},
        {"words come first", "How many crews do emploiees have?", "[\"crew\"]", ERR_OK, ERR_OK},
        {"the store is down", "Emploiees?", "[\"customers\"]", ERR_UNAVAILABLE, ERR_OK},
        {"no embeddings", "Emploiees?", "[\"customers\"]", ERR_OK, ERR_UNAVAILABLE},
    };
    static const struct fake_reply replies[] = {{"table_selection", "[]"},
                                                {"sql_generation", "CANNOT: enough"}};
    TEST_EACH(c, cases) {
        struct stores f;
        struct limits limits = rig_limits;
        limits.sql_max_fallback_tables = 1;
        open_stores(&f, replies, countof(replies));
        f.rig.has.limits = &limits;
        f.vec->failure = c->vec;
        f.embed.failure = c->embed;
        graph_rig_go(&f.rig, "sql_agent", c->question);
        EXPECT_STR(c->name, state_str(run_state(f.rig.run), SQL_AGENT_TABLES), str_of(c->want));
        EXPECT_TRUE(c->name, strstr(f.rig.events, "complete:") != NULL);
        close_stores(&f);
    }
}

RUN_TESTS(T(found_by_meaning), T(the_nearest_few), T(stores_down), T(tables_nobody_named))
