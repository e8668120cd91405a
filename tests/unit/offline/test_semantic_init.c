/* SPDX-License-Identifier: MIT */
/* A first semantic file: what names, keys and values let it say, and what they do not. */
#include "tests/unit/offline/world.h"

#include "agents/lexicon/codes.h"
#include "agents/lexicon/column_values.h"
#include "agents/semantic/bind.h"
#include "agents/semantic/file.h"
#include "agents/semantic_init/init_file.h"
#include "agents/sql/guard/policy.h"

static const struct world_table tables[] = {
    {"CUST_MST",
     {{"id", CATALOG_INTEGER},
      {"CUST_NM", CATALOG_TEXT},
      {"CITY_NM", CATALOG_TEXT},
      {"TEL_NO", CATALOG_TEXT}}},
    {"ORD_HDR",
     {{"ORD_NO", CATALOG_INTEGER},
      {"CUST_NO", CATALOG_INTEGER, .to = "CUST_MST"},
      {"ORD_DT", CATALOG_DATE},
      {"ORD_STATUS", CATALOG_TEXT},
      {"FAIL_CD", CATALOG_TEXT},
      {"TOT_CENTS", CATALOG_INTEGER},
      {"deleted_at", CATALOG_TIMESTAMP, .nullable = true}}},
    {"bread_batches",
     {{"id", CATALOG_INTEGER}, {"title", CATALOG_TEXT}, {"created_at", CATALOG_TIMESTAMP}}},
};

static const struct said {
    const char *text;
    bool is_said;
} sayings[] = {
    {"\"CUST_MST\":{\"label\":\"customer\",\"synonyms\":[\"cust mst\"]", true},
    {"\"label_columns\":[\"CUST_NM\"]", true}, /* not the city's name */
    {"\"FAIL_CD\"]", false},                   /* no order is called by its failure */
    {"\"TEL_NO\":{\"label\":\"phone number\",\"pii\":true}", true},
    {"\"CITY_NM\":{\"label\":\"city name\"}", true},
    {"\"ORD_HDR\":{\"label\":\"order\"", true},
    {"\"time\":\"ORD_DT\"", true},
    {"\"TOT_CENTS\":{\"label\":\"total cents\",\"unit\":\"cents\"}", true},
    {"\"rows\":\"\\\"deleted_at\\\" IS NULL\"", true},
    {"{\"name\":\"on hold orders\",\"table\":\"ORD_HDR\","
     "\"expression\":\"\\\"ORD_STATUS\\\" = 'on_hold'\"}",
     true},
    {" = 'buyer''s choice'\"}", true},
    {"'X'", false}, /* a code that nobody explains */
    {"\"bread_batches\":{\"label\":\"bread batch\"", true},
    {"\"time\":\"created_at\"", false}, /* when it was only written down */
};

static void add_states(struct world *w)
{
    static const char *const values[] = {"on_hold", "open", "X", "buyer's choice", "in\\out"};
    const struct catalog *catalog = w->catalog;
    int table = catalog_find_table(catalog, STR(""), STR("ORD_HDR"));
    struct lexicon_value *kept = arena_array(&w->lexicon->arena, countof(values), sizeof *kept);
    for (size_t i = 0; i < countof(values); i++)
        kept[i] = (struct lexicon_value){.text = str_of(values[i])};
    EXPECT_TRUE("kept",
                lexicon_column_values_keep(w->lexicon, table,
                                           catalog_find_column(catalog, table, STR("ORD_STATUS")),
                                           kept, countof(values), false));
}

/* The text as a file has no mistake. */
static void bind(const struct world *w, struct str text)
{
    struct semantic_report report;
    struct semantic *semantic = NULL;
    struct err err = {0};
    semantic_report_init(&report);
    EXPECT_INT("read", semantic_file_read(text, &semantic, &report, &err), ERR_OK);
    semantic_bind_catalog(semantic, w->catalog, &sql_policy_default, SQL_SQLITE, &report);
    EXPECT_STR("report", buf_str(&report.text), STR(""));
    semantic_report_fini(&report);
    semantic_model_destroy(semantic);
}

TEST(a_first_file_says_what_can_be_known)
{
    struct world w;
    struct buf out;
    world_init_of(&w, tables, countof(tables));
    add_states(&w);
    buf_init(&out, 1 << 16);
    semantic_init_write(w.lexicon, SQL_SQLITE, &out);
    TEST_EACH(s, sayings)
        EXPECT_INT(s->text, str_find(buf_str(&out), str_of(s->text)) >= 0, s->is_said);
    bind(&w, buf_str(&out));
    buf_fini(&out);
    world_fini(&w);
}

static const struct world_table shop[] = {
    {"customers",
     {{"id", CATALOG_INTEGER},
      {"company_name", CATALOG_TEXT},
      {"contact_name", CATALOG_TEXT},
      {"tier", CATALOG_INTEGER}}},
    {"products", {{"id", CATALOG_INTEGER}, {"name", CATALOG_TEXT}}},
    {"orders",
     {{"id", CATALOG_INTEGER},
      {"customer_id", CATALOG_INTEGER, .to = "customers"},
      {"order_date", CATALOG_DATE},
      {"state", CATALOG_INTEGER},
      {"channel", CATALOG_TEXT}}},
    {"order_items",
     {{"id", CATALOG_INTEGER},
      {"order_id", CATALOG_INTEGER, .to = "orders"},
      {"product_id", CATALOG_INTEGER, .to = "products"},
      {"quantity", CATALOG_INTEGER},
      {"unit_price", CATALOG_NUMBER}}},
};

static const struct {
    const char *table, *column, *code, *label;
} codes[] = {{"orders", "state", "1", "shipped"},
             {"orders", "channel", "W", "web"},
             {"customers", "tier", "3", "gold"}};

static const struct said shop_sayings[] = {
    {"{\"term\":\"shipped\",\"table\":\"orders\",\"column\":\"state\",\"value\":1}", true},
    {"{\"term\":\"web\",\"table\":\"orders\",\"column\":\"channel\",\"value\":\"W\"}", true},
    {"{\"term\":\"gold\",\"table\":\"customers\",\"column\":\"tier\",\"value\":3}", true},
    {"\"contact_name\":{\"pii\":true}", true},  /* somebody's, of a row that has another name */
    {"\"company_name\":{\"pii\":true}", false}, /* what the row is called by */
    {"{\"name\":\"revenue\",\"table\":\"order_items\",\"expression\":\"SUM(\\\"unit_price\\\" * "
     "\\\"quantity\\\")\"}",
     true},
    {"\"time\":\"orders.order_date\"", true}, /* of lines: their order's */
};

/* Codes of numbers and of letters, names of persons, the sum of sales, the date of a line. */
TEST(what_is_known_of_a_shop_is_written)
{
    struct world w;
    struct buf out;
    world_init_of(&w, shop, countof(shop));
    TEST_EACH(c, codes) {
        int table = catalog_find_table(w.catalog, STR(""), str_of(c->table));
        int column = catalog_find_column(w.catalog, table, str_of(c->column));
        EXPECT_TRUE(c->code,
                    lexicon_codes_add(w.lexicon, table, column, str_of(c->code), str_of(c->label)));
    }
    buf_init(&out, 1 << 16);
    semantic_init_write(w.lexicon, SQL_SQLITE, &out);
    TEST_EACH(s, shop_sayings)
        EXPECT_INT(s->text, str_find(buf_str(&out), str_of(s->text)) >= 0, s->is_said);
    bind(&w, buf_str(&out));
    buf_fini(&out);
    world_fini(&w);
}

/* A backslash is itself in the dialect that reads it. */
TEST(values_are_quoted_as_the_dialect_has_them)
{
    struct world w;
    struct buf out;
    world_init_of(&w, tables, countof(tables));
    add_states(&w);
    buf_init(&out, 1 << 16);
    semantic_init_write(w.lexicon, SQL_MYSQL, &out);
    EXPECT_TRUE("doubled", str_find(buf_str(&out), STR("= 'in\\\\\\\\out'")) >= 0);
    buf_clear(&out);
    semantic_init_write(w.lexicon, SQL_POSTGRES, &out);
    EXPECT_TRUE("as it is", str_find(buf_str(&out), STR("= 'in\\\\out'")) >= 0);
    buf_fini(&out);
    world_fini(&w);
}

RUN_TESTS(T(what_is_known_of_a_shop_is_written), T(a_first_file_says_what_can_be_known),
          T(values_are_quoted_as_the_dialect_has_them))
