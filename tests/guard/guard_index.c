/* SPDX-License-Identifier: MIT */
/* tests/guard/guard_index.c - which indexes serve what is sent: a plain statement keeps its own, a
 * fenced one and one without a condition have the company's. And a collation that takes other texts
 * for the company's name lets none of their rows through. */
#include "tests/guard/world.h"

enum { CASE_ARENA_BYTES = 32 << 20 };

static const char schema[] =
    "{\"version\":1,\"tables\":{\"parcel\":{\"columns\":["
    "{\"name\":\"id\",\"type\":\"integer\"},{\"name\":\"companyId\",\"type\":\"text\"},"
    "{\"name\":\"customerId\",\"type\":\"integer\"},{\"name\":\"note\",\"type\":\"text\"}],"
    "\"primary_key\":[\"id\"]},\"badge\":{\"columns\":["
    "{\"name\":\"id\",\"type\":\"integer\"},{\"name\":\"companyId\",\"type\":\"text\"},"
    "{\"name\":\"note\",\"type\":\"text\"}],\"primary_key\":[\"id\"]}},"
    "\"relationships\":[],\"tenant_column\":\"companyId\"}";

#define FAILS_SQLITE_                                                                              \
    "abs(-9223372036854775807 - (CASE WHEN note = 'CANARY' THEN 1 ELSE 0 END)) > 0"
#define FAILS_POSTGRES_ "1 / (CASE WHEN note = 'CANARY' THEN 0 ELSE 1 END) = 1"
#define FAILS_MYSQL_    "cot(CASE WHEN note = 'CANARY' THEN 0 ELSE 1 END) <> 0"

static const struct {
    enum sql_dialect dialect;
    const char *sql, *index; /* index: that serves it; NULL: any or none */
    size_t rows;
} cases[] = {
    {SQL_SQLITE, "SELECT id FROM parcel WHERE customerId = 40", "parcel_customer", 4},
    {SQL_SQLITE, "SELECT round(sum(id)) FROM parcel WHERE customerId = 40", "parcel_customer", 1},
    {SQL_SQLITE, "SELECT count(note) FROM parcel", "parcel_company", 1},
    {SQL_SQLITE, "SELECT id FROM parcel WHERE customerId = 41 AND " FAILS_SQLITE_, "parcel_company",
     0},
    {SQL_SQLITE, "SELECT id FROM parcel WHERE customerId = 40 AND " FAILS_SQLITE_, "parcel_company",
     4},
    {SQL_SQLITE, "SELECT note FROM badge", NULL, 1},
    {SQL_POSTGRES, "SELECT id FROM parcel WHERE \"customerId\" = 40", "parcel_customer", 4},
    {SQL_POSTGRES, "SELECT round(sum(id)) FROM parcel WHERE \"customerId\" = 40", "parcel_customer",
     1},
    {SQL_POSTGRES, "SELECT id FROM parcel ORDER BY id LIMIT 3", NULL, 3},
    {SQL_POSTGRES, "SELECT count(note) FROM parcel", "parcel_company", 1},
    {SQL_POSTGRES, "SELECT id FROM parcel WHERE \"customerId\" = 41 AND " FAILS_POSTGRES_,
     "parcel_company", 0},
    {SQL_POSTGRES,
     "SELECT id, note FROM parcel WHERE \"customerId\" = 40 AND " FAILS_POSTGRES_ " GROUP BY id",
     "parcel_company", 4},
    {SQL_POSTGRES, "SELECT note FROM badge", NULL, 1},
    {SQL_MYSQL, "SELECT id FROM parcel WHERE customerId = 40", "parcel_customer", 4},
    {SQL_MYSQL, "SELECT round(sum(id)) FROM parcel WHERE customerId = 40", "parcel_customer", 1},
    {SQL_MYSQL, "SELECT count(note) FROM parcel", "parcel_company", 1},
    {SQL_MYSQL, "SELECT id FROM parcel WHERE customerId = 41 AND " FAILS_MYSQL_, "parcel_company",
     0},
    {SQL_MYSQL, "SELECT id FROM parcel WHERE customerId = 40 AND " FAILS_MYSQL_, "parcel_company",
     4},
    {SQL_MYSQL, "SELECT note FROM badge", NULL, 1},
};

/* Whether the last result, a plan, names the index as the one that is used. */
static bool plan_uses(const struct world *world, struct str index)
{
    const struct sql_result *result = &world->query.result;
    for (size_t row = 0; row < result->row_count; row++) {
        for (size_t i = 0; i < result->column_count; i++) {
            bool possible = str_equal(result->columns[i], STR("possible_keys"));
            if (!possible && str_find(sql_result_at(result, row, i)->text, index) != STR_NONE)
                return true;
        }
    }
    return false;
}

static void check(struct world *world, size_t i)
{
    struct arena arena;
    struct sql_verdict verdict;
    arena_init(&arena, CASE_ARENA_BYTES);
    sql_policy_judge(&sql_policy_default, world->dialect, str_of(cases[i].sql), world->catalog,
                     (struct sql_tenant){.on = true}, &arena, &verdict);
    if (verdict.code != ERR_OK)
        fail_msg("%s: %s", cases[i].sql, verdict.err.text);
    if (world_run_accepted(world, verdict.sql, &arena) != ERR_OK)
        fail_msg("%s: %.*s", world->query.op.err.text, STR_ARG(verdict.sql));
    EXPECT_INT(cases[i].sql, world->query.result.row_count, cases[i].rows);
    EXPECT_TRUE(cases[i].sql, !world_shows_canary(world));
    if (cases[i].index != NULL) {
        const char *explain = world->dialect == SQL_SQLITE ? "EXPLAIN QUERY PLAN" : "EXPLAIN";
        struct str plan = arena_printf(&arena, "%s %.*s", explain, STR_ARG(verdict.sql));
        EXPECT_INT(cases[i].sql, world_run(world, plan, NULL), ERR_OK);
        if (!plan_uses(world, str_of(cases[i].index)))
            fail_msg("%s does not serve %.*s", cases[i].index, STR_ARG(verdict.sql));
    }
    arena_fini(&arena);
}

static void indexes_serve(void **state)
{
    struct world world;
    struct err err = {0};
    world_open_as(&world, *state, "guard_index", "large");
    catalog_destroy(world.catalog);
    EXPECT_INT("catalog", catalog_from_join_graph(str_of(schema), &world.catalog, &err), ERR_OK);
    for (size_t i = 0; i < countof(cases); i++) {
        if (cases[i].dialect == world.dialect)
            check(&world, i);
    }
    world_close(&world);
}

/* guard_index ENGINE */
int main(int argc, char **argv)
{
    char *engine = argc > 1 ? argv[1] : "sqlite";
    const struct CMUnitTest tests[] = {
        {.name = engine, .test_func = indexes_serve, .initial_state = engine}};
    return _cmocka_run_group_tests("guard_index", tests, countof(tests), NULL, NULL);
}
