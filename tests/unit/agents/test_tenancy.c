/* SPDX-License-Identifier: MIT */
/* Whose rows are whose: ways from tables to the company by foreign keys, which one is taken, what
 * is written for it, and what cannot be filtered. */
#include <stdio.h>

#include "agents/sql/guard/policy.h"
#include "agents/sql/guard/tenancy.h"
#include "tests/lib/test.h"

enum { ARENA_BYTES = 16 << 20, CHAIN = SQL_TENANCY_MAX_STEPS + 2 };

/* ---- which way ---- */

/* A column after '!' may not be NULL; references are "column table.column". */
static const struct {
    const char *table, *columns[5], *references[4];
} schema[] = {
    {"company", {"!id", "name"}, {NULL}},
    {"orders", {"!id", "companyId", "note"}, {"companyId company.id"}},
    {"site", {"!id", "companyId"}, {NULL}},
    {"line", {"!id", "!orderId", "what"}, {"orderId orders.id"}},
    {"part", {"!id", "!lineId", "siteId"}, {"siteId site.id", "lineId line.id"}},
    {"visit", {"!id", "!lineId", "!siteId"}, {"lineId line.id", "siteId site.id"}},
    {"move", {"!id", "!fromId", "!toId"}, {"fromId site.id", "toId site.id"}},
    {"audited", {"!id", "!createdBy", "lineId"}, {"createdBy site.id", "lineId line.id"}},
    {"stamped", {"!id", "!createdBy"}, {"createdBy site.id"}},
    {"hen", {"!id", "eggId"}, {"eggId egg.id"}},
    {"egg", {"!id", "henId", "siteId"}, {"henId hen.id", "siteId site.id"}},
    {"node", {"!id", "parentId"}, {"parentId node.id"}},
    {"tree", {"!id", "parentId", "!siteId"}, {"parentId tree.id", "siteId site.id"}},
    {"billed", {"!id", "!payerId"}, {"payerId company.id"}},
    {"country", {"!id", "name"}, {NULL}},
};

static const struct {
    const char *table, *way; /* columns followed; "": filtered as it is; NULL: refused */
} ways[] = {
    {"orders", ""},           {"company", ""},    {"line", "orderId"},
    {"part", "lineId"}, /* longer, but every row has one */
    {"visit", "siteId"},      {"move", "fromId"}, {"audited", "lineId"},
    {"stamped", "createdBy"}, {"hen", "eggId"},   {"egg", "siteId"},
    {"node", NULL},           {"tree", "siteId"}, {"billed", "payerId"},
    {"country", NULL},
};

static void add_table(struct catalog_builder *builder, size_t i)
{
    struct err err = {0};
    struct catalog_table table = {.name = str_of(schema[i].table), .row_count = -1};
    EXPECT_INT(schema[i].table, catalog_add_table(builder, &table, &err), ERR_OK);
    for (size_t c = 0; c < countof(schema[i].columns) && schema[i].columns[c] != NULL; c++) {
        bool required = schema[i].columns[c][0] == '!';
        struct catalog_column column = {.name = str_of(schema[i].columns[c] + required),
                                        .type = CATALOG_TEXT,
                                        .not_null = required};
        EXPECT_INT(schema[i].table, catalog_add_column(builder, &column, &err), ERR_OK);
    }
    for (size_t r = 0; r < countof(schema[i].references) && schema[i].references[r] != NULL; r++) {
        struct str rest = str_of(schema[i].references[r]);
        struct str column = str_split(&rest, ' '), table_name = str_split(&rest, '.');
        EXPECT_INT(schema[i].table,
                   catalog_add_reference(builder, &column, table_name, &rest, 1, &err), ERR_OK);
    }
}

static struct catalog *make_catalog(void)
{
    struct catalog *catalog = NULL;
    struct err err = {0};
    struct catalog_builder *builder = catalog_builder_create();
    assert_non_null(builder);
    for (size_t i = 0; i < countof(schema); i++)
        add_table(builder, i);
    catalog_set_tenant_column(builder, STR("companyId"));
    catalog_set_complete(builder, true);
    EXPECT_INT("freeze", catalog_freeze(builder, &catalog, &err), ERR_OK);
    catalog_builder_destroy(builder);
    return catalog;
}

static bool find(struct sql_visible sees, const char *name, struct sql_tenancy *tenancy)
{
    int table = catalog_find_table(sees.catalog, STR(""), str_of(name));
    EXPECT_TRUE(name, table != CATALOG_NONE);
    return sql_tenancy_find(sees, table, tenancy);
}

TEST(the_cheapest_way_is_taken)
{
    struct catalog *catalog = make_catalog();
    const struct sql_visible sees = {&sql_policy_default, catalog};
    TEST_EACH(c, ways) {
        struct sql_tenancy tenancy;
        EXPECT_INT(c->table, find(sees, c->table, &tenancy), c->way != NULL);
        EXPECT_TRUE(c->table, tenancy.filters);
        if (c->way == NULL)
            continue;
        EXPECT_INT(c->table, tenancy.step_count > 0, c->way[0] != '\0');
        if (tenancy.step_count == 0)
            continue;
        const struct sql_tenancy_step *step = &tenancy.steps[0];
        EXPECT_STR(c->table,
                   catalog->tables[step->from].columns[sql_tenancy_from_column(sees, step, 0)].name,
                   str_of(c->way));
        EXPECT_TRUE("the column that is compared",
                    sql_tenancy_names(sees, &tenancy, sql_tenancy_from_column(sees, step, 0)) &&
                        !sql_tenancy_names(sees, &tenancy, 0));
    }
    catalog_destroy(catalog);
}

TEST(a_policy_may_leave_tables_open)
{
    static const struct str shared[] = {
        {"STAMPED", 7}, {"orders", 6}, {"nowhere", 7}, {"country", 7}};
    struct catalog *catalog = make_catalog();
    struct sql_policy sharing = sql_policy_default;
    struct sql_tenancy tenancy;
    sharing.shared_tables = shared;
    sharing.shared_table_count = countof(shared);
    const struct sql_visible but_some = {&sharing, catalog};
    EXPECT_TRUE("country", find(but_some, "country", &tenancy) && !tenancy.filters);
    EXPECT_TRUE("node", !find(but_some, "node", &tenancy));
    EXPECT_TRUE("stamped", find(but_some, "stamped", &tenancy) && !tenancy.filters);
    EXPECT_TRUE("line", find(but_some, "line", &tenancy) && tenancy.filters);
    EXPECT_TRUE("a table with the column is nobody else's",
                find(but_some, "orders", &tenancy) && tenancy.filters);
    catalog_destroy(catalog);
}

/* ---- what is sent ---- */

static const char world[] =
    "{\"version\":1,\"tables\":{"
    "\"orders\":{\"columns\":[{\"name\":\"id\",\"type\":\"int\"},"
    "{\"name\":\"companyId\",\"type\":\"text\"}]},"
    "\"line\":{\"columns\":[\"id\",\"orderId\"]},\"part\":{\"columns\":[\"id\",\"lineId\"]},"
    "\"box\":{\"columns\":[\"a\",\"b\",\"orderId\"]},\"item\":{\"columns\":[\"id\",\"a\",\"b\"]},"
    "\"driver\":{\"columns\":[\"id\",\"orderId\",\"pay\"]},"
    "\"drive\":{\"columns\":[\"id\",\"driverId\"]},"
    "\"guide\":{\"columns\":[\"id\",\"orderId\"]},\"tour\":{\"columns\":[\"id\",\"guideId\"]},"
    "\"tag\":{\"columns\":[\"id\"]},\"loose\":{\"columns\":[\"id\"]},"
    "\"secure_driver\":{\"columns\":[\"id\",\"orderId\"],\"is_view\":true},"
    "\"secure_guide\":{\"columns\":[\"id\"],\"is_view\":true}},"
    "\"tenant_column\":\"companyId\","
    "\"secure_view_map\":{\"driver\":\"secure_driver\",\"guide\":\"secure_guide\"},"
    "\"relationships\":["
    "{\"type\":\"foreign_key\",\"from_table\":\"line\",\"from_column\":\"orderId\","
    "\"to_table\":\"orders\",\"to_column\":\"id\"},"
    "{\"type\":\"foreign_key\",\"from_table\":\"part\",\"from_column\":\"lineId\","
    "\"to_table\":\"line\",\"to_column\":\"id\"},"
    "{\"type\":\"foreign_key\",\"from_table\":\"box\",\"from_column\":\"orderId\","
    "\"to_table\":\"orders\",\"to_column\":\"id\"},"
    "{\"type\":\"foreign_key\",\"from_table\":\"item\",\"from_columns\":[\"a\",\"b\"],"
    "\"to_table\":\"box\",\"to_columns\":[\"a\",\"b\"]},"
    "{\"type\":\"foreign_key\",\"from_table\":\"driver\",\"from_column\":\"orderId\","
    "\"to_table\":\"orders\",\"to_column\":\"id\"},"
    "{\"type\":\"foreign_key\",\"from_table\":\"drive\",\"from_column\":\"driverId\","
    "\"to_table\":\"driver\",\"to_column\":\"id\"},"
    "{\"type\":\"foreign_key\",\"from_table\":\"guide\",\"from_column\":\"orderId\","
    "\"to_table\":\"orders\",\"to_column\":\"id\"},"
    "{\"type\":\"foreign_key\",\"from_table\":\"tour\",\"from_column\":\"guideId\","
    "\"to_table\":\"guide\",\"to_column\":\"id\"}]}";

#define MINE_(relation) relation ".companyId = session_var('company_id') COLLATE BINARY"
#define ORDER_(relation, outer)                                                                    \
    "EXISTS (SELECT 1 FROM orders AS " relation " WHERE " relation ".id = " outer                  \
    ".orderId AND " MINE_(relation) ")"

static const struct {
    const char *sql, *sent; /* NULL: refused under rule "tenant" */
} sent[] = {
    {"SELECT id FROM tag", "SELECT id FROM tag\nLIMIT 100"}, /* shared */
    {"SELECT id FROM loose", NULL},
    {"SELECT id FROM line", "SELECT id FROM (SELECT id, orderId FROM line WHERE " ORDER_(
                                "owner1", "line") ") AS line\nLIMIT 100"},
    {"SELECT l.id FROM tag t LEFT JOIN line l ON l.id = t.id",
     "SELECT l.id FROM tag t LEFT JOIN (SELECT id, orderId FROM line WHERE " ORDER_(
         "owner1", "line") ") l ON l.id = t.id\nLIMIT 100"},
    {"SELECT id FROM part",
     "SELECT id FROM (SELECT id, lineId FROM part WHERE EXISTS (SELECT 1 FROM line AS owner1 JOIN "
     "orders AS owner2 ON owner2.id = owner1.orderId WHERE owner1.id = part.lineId AND " MINE_(
         "owner2") ")) AS part\nLIMIT 100"},
    {"SELECT id FROM item",
     "SELECT id FROM (SELECT id, a, b FROM item WHERE EXISTS (SELECT 1 FROM box AS owner1 JOIN "
     "orders AS owner2 ON owner2.id = owner1.orderId WHERE owner1.a = item.a AND owner1.b = item.b "
     "AND " MINE_("owner2") ")) AS item\nLIMIT 100"},
    {"SELECT id FROM drive",
     "SELECT id FROM (SELECT id, driverId FROM drive WHERE EXISTS (SELECT 1 FROM secure_driver AS "
     "owner1 JOIN orders AS owner2 ON owner2.id = owner1.orderId WHERE owner1.id = drive.driverId "
     "AND " MINE_("owner2") ")) AS drive\nLIMIT 100"},
    {"SELECT id FROM driver", "SELECT id FROM (SELECT id, orderId FROM secure_driver WHERE " ORDER_(
                                  "owner1", "secure_driver") ") AS driver\nLIMIT 100"},
    {"SELECT id FROM guide", NULL}, /* its view does not show the order */
    {"SELECT id FROM tour", NULL},
    {"SELECT owner1.id FROM line", "refused"},
};

TEST(sent_byte_for_byte)
{
    static const struct str shared[] = {{"tag", 3}};
    struct sql_policy policy = sql_policy_default;
    struct catalog *catalog = NULL;
    struct err err = {0};
    policy.shared_tables = shared;
    policy.shared_table_count = countof(shared);
    EXPECT_INT("catalog", catalog_from_join_graph(str_of(world), &catalog, &err), ERR_OK);
    TEST_EACH(c, sent) {
        struct arena arena;
        struct sql_verdict verdict;
        arena_init(&arena, ARENA_BYTES);
        sql_policy_judge(&policy, SQL_SQLITE, str_of(c->sql), catalog,
                         (struct sql_tenant){.on = true}, &arena, &verdict);
        if (c->sent == NULL)
            EXPECT_STR(c->sql, str_of(verdict.rule), STR("tenant"));
        else if (strcmp(c->sent, "refused") == 0)
            EXPECT_INT(c->sql, verdict.code, ERR_REJECTED);
        else
            EXPECT_STR(c->sql, verdict.sql, str_of(c->sent));
        arena_fini(&arena);
    }
    catalog_destroy(catalog);
}

/* PostgreSQL's GROUP BY wants the table itself: the condition is a conjunct of its WHERE, and does
 * not take the relation's own name for its tables. */
TEST(a_conjunct_where_postgres_groups)
{
    static const struct {
        const char *sql, *part;
    } cases[] = {
        {"SELECT l.id, count(*) FROM line l WHERE l.id IS NULL OR NOT l.id IS NULL GROUP BY l.id",
         "WHERE ( l.id IS NULL OR NOT l.id IS NULL) AND EXISTS (SELECT 1 FROM \"orders\" AS "
         "\"owner1\" WHERE "
         "\"owner1\".\"id\" = \"l\".\"orderId\" AND "},
        {"SELECT owner1.id, count(*) FROM line owner1 GROUP BY owner1.id",
         "WHERE EXISTS (SELECT 1 FROM \"orders\" AS \"holder1\" WHERE \"holder1\".\"id\" = "
         "\"owner1\".\"orderId\" AND "},
    };
    struct catalog *catalog = NULL;
    struct err err = {0};
    EXPECT_INT("catalog", catalog_from_join_graph(str_of(world), &catalog, &err), ERR_OK);
    TEST_EACH(c, cases) {
        struct arena arena;
        struct sql_verdict verdict;
        arena_init(&arena, ARENA_BYTES);
        sql_policy_judge(&sql_policy_default, SQL_POSTGRES, str_of(c->sql), catalog,
                         (struct sql_tenant){.on = true}, &arena, &verdict);
        if (verdict.code != ERR_OK || str_find(verdict.sql, str_of(c->part)) == STR_NONE)
            fail_msg("%s: %s: %.*s", c->sql, verdict.err.text, STR_ARG(verdict.sql));
        arena_fini(&arena);
    }
    catalog_destroy(catalog);
}

/* t0 has the company; of t9 it is too far to ask. */
TEST(too_long_a_way_is_refused)
{
    struct catalog *catalog = NULL;
    struct err err = {0};
    struct catalog_builder *builder = catalog_builder_create();
    assert_non_null(builder);
    for (int i = 0; i < CHAIN; i++) {
        char name[16], before[16];
        snprintf(name, sizeof name, "t%d", i);
        snprintf(before, sizeof before, "t%d", i - 1);
        const struct str id = STR("id"), up = STR("up");
        EXPECT_INT(name,
                   catalog_add_table(builder, &(struct catalog_table){.name = str_of(name)}, &err),
                   0);
        EXPECT_INT(name, catalog_add_column(builder, &(struct catalog_column){.name = id}, &err),
                   0);
        EXPECT_INT(
            name,
            catalog_add_column(
                builder, &(struct catalog_column){.name = i == 0 ? STR("companyId") : up}, &err),
            0);
        if (i > 0)
            EXPECT_INT(name, catalog_add_reference(builder, &up, str_of(before), &id, 1, &err), 0);
    }
    catalog_set_tenant_column(builder, STR("companyId"));
    EXPECT_INT("freeze", catalog_freeze(builder, &catalog, &err), ERR_OK);
    catalog_builder_destroy(builder);
    const struct sql_visible sees = {&sql_policy_default, catalog};
    struct sql_tenancy tenancy;
    EXPECT_TRUE("as far as it goes", find(sees, "t8", &tenancy) && tenancy.step_count == 8);
    EXPECT_TRUE("farther", !find(sees, "t9", &tenancy) && tenancy.filters);
    catalog_destroy(catalog);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        T(the_cheapest_way_is_taken), T(a_policy_may_leave_tables_open),
        T(sent_byte_for_byte),        T(a_conjunct_where_postgres_groups),
        T(too_long_a_way_is_refused),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
