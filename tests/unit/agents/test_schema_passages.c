/* SPDX-License-Identifier: MIT */
/* A schema as texts: names, other words, sample values; whose values are kept out; what questions
 * find their table by. */
#include "tests/unit/offline/world.h"

#include <stdio.h>

#include "agents/lexicon/index.h"
#include "agents/lexicon/lexicon.h"
#include "agents/search/schema_passages.h"
#include "backends/models/embed_features.h"

enum { MANY = 5000, MOST_VALUES = 12 };

static struct schema_passages *make(const struct world *world)
{
    const struct schema_passages_of of = {world->catalog, world->lexicon, &sql_policy_default};
    struct schema_passages *passages = schema_passages_create(&of);
    assert_non_null(passages);
    return passages;
}

static struct str text_of(const struct schema_passages *passages, const char *key)
{
    for (size_t i = 0; i < schema_passages_count(passages); i++)
        if (str_equal(schema_passages_get(passages, i)->key, str_of(key)))
            return schema_passages_get(passages, i)->text;
    return STR("");
}

static bool any_has(const struct schema_passages *passages, const char *text)
{
    bool has = false;
    for (size_t i = 0; i < schema_passages_count(passages); i++)
        has = has || str_find(schema_passages_get(passages, i)->text, str_of(text)) != STR_NONE;
    return has;
}

TEST(names_other_words_and_values)
{
    struct world world;
    world_init(&world);
    struct schema_passages *passages = make(&world);
    EXPECT_STR("columns", text_of(passages, "0"),
               STR("clients: clients. Columns: id, name, email, city, is member, created at"));
    EXPECT_STR("other words", text_of(passages, "0+"),
               STR("clients, also: customer, client, buyer, cust, patron"));
    EXPECT_STR("for columns", text_of(passages, "0++"), STR("clients, also: mail, town"));
    EXPECT_STR("values", text_of(passages, "0.3"), STR("clients city: Bergen, Oslo"));
    EXPECT_STR("none", text_of(passages, "0.2"), STR(""));
    EXPECT_STR("as they are spelt", text_of(passages, "1.3"),
               STR("orders status: on_hold, open, shipped"));
    EXPECT_STR("camel case", text_of(passages, "6"),
               STR("bookAuthor: book author. Columns: id, book id, author id"));
    EXPECT_TRUE("hidden columns do not exist", !any_has(passages, "secret"));
    schema_passages_destroy(passages);
    world_fini(&world);
}

/* The table of the passage nearest to question. */
static struct str find(const struct schema_passages *passages, const char *question)
{
    static float asked[EMBED_FEATURES_DIMENSIONS], text[EMBED_FEATURES_DIMENSIONS];
    struct str best = STR("");
    float most = 0;
    embed_features_of(str_of(question), asked);
    for (size_t i = 0; i < schema_passages_count(passages); i++) {
        float sum = 0;
        embed_features_of(schema_passages_get(passages, i)->text, text);
        for (size_t j = 0; j < EMBED_FEATURES_DIMENSIONS; j++)
            sum += asked[j] * text[j];
        if (sum > most) {
            most = sum;
            best = schema_passages_get(passages, i)->table;
        }
    }
    return best;
}

TEST(found_by_a_value_or_by_another_word)
{
    static const struct {
        const char *name, *question, *table;
    } cases[] = {
        {"a name", "how many products are there", "products"},
        {"a column", "who was born in which birth year", "author"},
        {"a value", "Who lives in Oslo?", "clients"},
        {"a value of two words", "What happened to Ada Stone?", "clients"},
        {"a value with a sign", "what is on hold", "orders"},
        {"a title", "how long is Frankenstein", "book"},
        {"a category", "what do we have for the garden", "products"},
        {"a synonym", "How many buyers do we have?", "clients"},
        {"a synonym of a column", "in which town", "clients"},
        {"an abbreviation", "qty", "order_items"},
    };
    struct world world;
    world_init(&world);
    struct schema_passages *passages = make(&world);
    TEST_EACH(c, cases)
        EXPECT_STR(c->name, find(passages, c->question), str_of(c->table));
    schema_passages_destroy(passages);
    world_fini(&world);
}

TEST(a_few_values_and_always_the_same)
{
    struct world world, other;
    char value[32];
    world_init(&world);
    world_init(&other);
    int table = catalog_find_table(world.catalog, STR(""), STR("products"));
    int column = catalog_find_column(world.catalog, table, STR("name"));
    for (int i = 0; i < MANY; i++) {
        snprintf(value, sizeof value, "thing %d", i);
        EXPECT_TRUE("one way", lexicon_index_add(world.lexicon, table, column, str_of(value)));
        snprintf(value, sizeof value, "thing %d", MANY - 1 - i);
        EXPECT_TRUE("the other", lexicon_index_add(other.lexicon, table, column, str_of(value)));
    }
    struct schema_passages *one = make(&world), *two = make(&other);
    size_t commas = 0;
    struct str text = text_of(one, "3.1");
    for (size_t i = 0; i < text.len; i++)
        commas += text.at[i] == ',';
    EXPECT_INT("a few", commas + 1, MOST_VALUES);
    EXPECT_STR("whatever the order", text_of(two, "3.1"), text);
    EXPECT_STR("one version", schema_passages_version(one), schema_passages_version(two));
    EXPECT_TRUE("one more value",
                lexicon_index_add(world.lexicon, table, column, STR("something else")));
    schema_passages_destroy(two);
    other.lexicon->catalog = other.catalog;
    EXPECT_TRUE("another table's", lexicon_index_add(other.lexicon, 0, 3, STR("Trondheim")));
    two = make(&other);
    EXPECT_STR("one catalog", schema_passages_id(one), schema_passages_id(two));
    EXPECT_TRUE("another version",
                !str_equal(schema_passages_version(one), schema_passages_version(two)));
    schema_passages_destroy(one);
    schema_passages_destroy(two);
    world_fini(&world);
    world_fini(&other);
}

/* ---- whose values ---- */

static const struct {
    const char *name;
    const char *columns[3]; /* all texts */
    const char *refers[2];  /* from, to */
    bool is_view;
} tenant_tables[] = {
    {"company", {"id", "title"}, {NULL}, false},
    {"deal", {"id", "company_id", "title"}, {"company_id", "company"}, false},
    {"step", {"id", "deal_id", "title"}, {"deal_id", "deal"}, false},
    {"country", {"id", "title"}, {NULL}, false},
    {"shown", {"id", "title"}, {NULL}, true},
    {"logical", {"id", "title"}, {NULL}, false},
    {"secure_logical", {"id", "title"}, {NULL}, true},
};

static struct catalog *tenant_catalog(const char *tenant_column)
{
    struct err err = {0};
    struct catalog *catalog = NULL;
    struct catalog_builder *builder = catalog_builder_create();
    enum err_code code = ERR_OK;
    TEST_EACH(t, tenant_tables) {
        const struct catalog_table table = {.name = str_of(t->name),
                                            .is_view = t->is_view,
                                            .secure_view = CATALOG_NONE,
                                            .secures = CATALOG_NONE,
                                            .tenant_column = CATALOG_NONE,
                                            .row_count = -1};
        code = catalog_add_table(builder, &table, &err);
        for (size_t i = 0; code == ERR_OK && i < countof(t->columns) && t->columns[i]; i++) {
            const struct catalog_column column = {.name = str_of(t->columns[i]),
                                                  .type = CATALOG_TEXT,
                                                  .primary_key = i == 0,
                                                  .unique = i == 0};
            code = catalog_add_column(builder, &column, &err);
        }
        const struct str from = str_of(t->refers[0]), id = STR("id");
        if (code == ERR_OK && t->refers[0] != NULL)
            code = catalog_add_reference(builder, &from, str_of(t->refers[1]), &id, 1, &err);
        EXPECT_INT(t->name, code, ERR_OK);
    }
    EXPECT_INT("secure", catalog_secure(builder, STR("logical"), STR("secure_logical"), &err),
               ERR_OK);
    if (tenant_column != NULL)
        catalog_set_tenant_column(builder, str_of(tenant_column));
    EXPECT_INT(err.text, catalog_freeze(builder, &catalog, &err), ERR_OK);
    catalog_builder_destroy(builder);
    return catalog;
}

/* Which tables' value "canary" is in a passage, as one digit each. */
static void expect_canaries(const char *name, const struct catalog *catalog,
                            const struct sql_policy *policy, const char *want)
{
    char got[countof(tenant_tables) + 1] = {0};
    struct lexicon *lexicon = lexicon_create(catalog, NULL);
    assert_non_null(lexicon);
    for (size_t i = 0; i < countof(tenant_tables); i++) {
        int column = catalog_find_column(catalog, (int)i, STR("title"));
        EXPECT_TRUE("added", lexicon_index_add(lexicon, (int)i, column, STR("canary")));
    }
    const struct schema_passages_of of = {catalog, lexicon, policy};
    struct schema_passages *passages = schema_passages_create(&of);
    assert_non_null(passages);
    for (size_t i = 0; i < countof(tenant_tables); i++) {
        bool has = false;
        for (size_t j = 0; j < schema_passages_count(passages); j++)
            has = has ||
                  (str_equal(schema_passages_get(passages, j)->table,
                             str_of(tenant_tables[i].name)) &&
                   str_find(schema_passages_get(passages, j)->text, STR("canary")) != STR_NONE);
        got[i] = has ? '1' : '0';
    }
    EXPECT_STR(name, str_of(got), str_of(want));
    schema_passages_destroy(passages);
    lexicon_destroy(lexicon);
}

TEST(values_of_companies_stay_out)
{
    struct catalog *open = tenant_catalog(NULL), *tenant = tenant_catalog("company_id");
    struct sql_policy shared = sql_policy_default;
    const struct str shares[] = {STR("step")};
    shared.shared_tables = shares;
    shared.shared_table_count = 1;
    expect_canaries("one company: all but what a view shows", open, &sql_policy_default, "1111000");
    expect_canaries("nothing that is not said to be everybody's", tenant, &sql_policy_default,
                    "0000000");
    expect_canaries("what is said to be shared", tenant, &shared, "0010000");
    catalog_destroy(open);
    catalog_destroy(tenant);
}

TEST(no_memory_at_any_allocation)
{
    struct world world;
    bool whole = false;
    world_init(&world);
    for (uint64_t n = 1; !whole && n < 500; n++) {
        const struct schema_passages_of of = {world.catalog, world.lexicon, &sql_policy_default};
        mem_fail_nth(n);
        struct schema_passages *passages = schema_passages_create(&of);
        mem_fail_nth(0);
        whole = passages != NULL;
        schema_passages_destroy(passages);
    }
    EXPECT_TRUE("it passes at last", whole);
    world_fini(&world);
}

RUN_TESTS(T(names_other_words_and_values), T(found_by_a_value_or_by_another_word),
          T(a_few_values_and_always_the_same), T(values_of_companies_stay_out),
          T(no_memory_at_any_allocation))
