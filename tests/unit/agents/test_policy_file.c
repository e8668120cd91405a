/* SPDX-License-Identifier: MIT */
/* Policies from a file: every member, what is refused, how severities and lists work out. */
#include "agents/sql/catalog/policy_functions.h"
#include "tests/unit/agents/guard_world.h"

#include "agents/sql/catalog/policy_functions.h"

enum { ARENA_BYTES = 16 << 20 };

TEST(members_become_fields)
{
    static const char json[] =
        "{\"note\":\"x\",\"functions\":{\"sqlite\":[\"count\"],\"postgres\":[],\"mysql\":[\"if\"]},"
        "\"policies\":{\"a\":{\"select_only\":true,\"single_statement\":true,\"allow_with\":true,"
        "\"allow_recursive\":\"only when bounded by a comparison on the counting column\","
        "\"allow_set_operations\":true,\"allow_locking_clause\":false,\"allow_select_into\":false,"
        "\"allow_placeholders\":true,\"allow_session_info\":true,\"allow_catalog\":false,"
        "\"allow_unconnected_base_tables\":true,\"allow_optimizer_hint_comments\":false,"
        "\"executable_comments\":\"reject\",\"default_limit\":7,\"max_limit\":9,"
        "\"max_sql_bytes\":1000,\"max_nesting\":3,\"max_select_items\":4,"
        "\"unknown_column\":\"warn\",\"unknown_table\":\"allow\","
        "\"hidden_columns_in_star\":\"expand_or_reject\",\"whole_row_reference\":\"reject\","
        "\"default_schema\":{\"sqlite\":\"main\",\"mysql\":\"appdb\"},\"database\":\"appdb\","
        "\"secure_mode\":\"deny_base\",\"secure_view_map\":{\"u\":\"secure_u\"},"
        "\"tables\":[\"t\",\"u\"]},\"b\":{\"allow_recursive\":false,\"secure_mode\":\"rewrite\","
        "\"hidden_columns_in_star\":\"reject\",\"max_plan_rows\":5000000000,"
        "\"shared_tables\":[\"s\"]}}}";
    struct arena arena;
    struct sql_policy_set set;
    struct err err = {0};
    arena_init(&arena, ARENA_BYTES);
    EXPECT_INT(err.text, sql_policy_read(str_of(json), &arena, &set, &err), ERR_OK);
    EXPECT_INT("count", set.count, 2);
    const struct sql_policy *a = &set.policies[0], *b = &set.policies[1];
    EXPECT_STR("name", a->name, STR("a"));
    EXPECT_TRUE("flags", a->allow_with && a->allow_recursive && a->recursive_bounded &&
                             a->allow_set_operations && a->allow_placeholders &&
                             a->allow_session_info && a->allow_unconnected_tables);
    EXPECT_TRUE("not", !a->allow_catalog);
    EXPECT_TRUE("numbers", a->default_limit == 7 && a->max_limit == 9 && a->max_sql_bytes == 1000 &&
                               a->max_nesting == 3 && a->max_select_items == 4);
    EXPECT_INT("columns", a->unknown_column, SQL_WARN);
    EXPECT_INT("tables", a->unknown_table, SQL_ALLOW);
    EXPECT_TRUE("secure", a->secure_deny_base && a->secure_view_count == 1 &&
                              str_equal(a->secure_views[0].view, STR("secure_u")));
    EXPECT_TRUE("lists", a->table_count == 2 && a->only_functions[SQL_SQLITE].count == 1 &&
                             a->only_functions[SQL_MYSQL].count == 1);
    EXPECT_TRUE("synonyms", sql_policy_functions_allow(a, SQL_MYSQL, STR("IF"), false) &&
                                !sql_policy_functions_allow(a, SQL_MYSQL, STR("lower"), false) &&
                                sql_policy_functions_allow(a, SQL_MYSQL, STR("curdate"), false) &&
                                !sql_policy_functions_allow(a, SQL_SQLITE, STR("curdate"), false));
    EXPECT_STR("schema", a->default_schema[SQL_MYSQL], STR("appdb"));
    EXPECT_TRUE("b", !b->allow_recursive && !b->allow_with && b->tables == NULL &&
                         !b->expand_star && b->require_tenant && b->max_limit == 1000);
    EXPECT_TRUE("tenants", b->shared_table_count == 1);
    EXPECT_TRUE("plans", a->max_plan_rows > 9e8 && b->max_plan_rows > 4e9);
    arena_fini(&arena);
}

TEST(a_list_of_functions_is_all_but_grammar)
{
    static const char json[] = "{\"functions\":{\"postgres\":[\"count\"]},\"policies\":{\"a\":{}}}";
    static const struct {
        const char *name;
        bool allowed;
    } cases[] = {{"count", true},         {"sum", false},           {"nullif", true},
                 {"grouping", true},      {"current_date", true},   {"coalesce", true},
                 {"current_user", false}, {"localtimestamp", true}, {"now", false}};
    struct arena arena;
    struct sql_policy_set set;
    struct err err = {0};
    arena_init(&arena, ARENA_BYTES);
    EXPECT_INT(err.text, sql_policy_read(str_of(json), &arena, &set, &err), ERR_OK);
    TEST_EACH(c, cases) {
        EXPECT_INT(
            c->name,
            sql_policy_functions_allow(&set.policies[0], SQL_POSTGRES, str_of(c->name), false),
            c->allowed);
    }
    arena_fini(&arena);
}

static const struct {
    const char *json, *says;
} broken[] = {
    {"", "byte"},
    {"[]", "/policies: expected an object"},
    {"{\"policies\":[]}", "/policies: expected an object, got an array"},
    {"{\"policies\":{\"a\":1}}", "/policies/a: expected an object"},
    {"{\"policies\":{},\"functions\":[]}", "/functions: expected an object"},
    {"{\"policies\":{\"a\":{}},\"functions\":{\"oracle\":[]}}", "/functions/oracle"},
    {"{\"policies\":{\"a\":{}},\"functions\":{\"sqlite\":[1]}}", "array of names"},
    {"{\"policies\":{\"a\":{\"allow_witch\":true}}}", "/policies/a/allow_witch"},
    {"{\"policies\":{\"a\":{\"allow_with\":\"yes\"}}}", "/policies/a/allow_with"},
    {"{\"policies\":{\"a\":{\"select_only\":false}}}", "/policies/a/select_only"},
    {"{\"policies\":{\"a\":{\"allow_select_into\":true}}}", "/policies/a/allow_select_into"},
    {"{\"policies\":{\"a\":{\"allow_locking_clause\":true}}}", "/policies/a/allow_locking_clause"},
    {"{\"policies\":{\"a\":{\"executable_comments\":\"run\"}}}", "executable_comments"},
    {"{\"policies\":{\"a\":{\"max_limit\":-1}}}", "/policies/a/max_limit"},
    {"{\"policies\":{\"a\":{\"secure_mode\":\"none\"}}}", "/policies/a/secure_mode"},
    {"{\"policies\":{\"a\":{\"max_plan_rows\":-1}}}", "/policies/a/max_plan_rows"},
    {"{\"policies\":{\"a\":{\"shared_tables\":\"t\"}}}", "/policies/a/shared_tables"},
    {"{\"policies\":{\"a\":{\"tables\":\"t\"}}}", "/policies/a/tables: expected an array"},
    {"{\"policies\":{\"a\":{\"secure_view_map\":{\"u\":1}}}}", "/policies/a/secure_view_map"},
    {"{\"policies\":{\"a\":{\"default_schema\":\"x\"}}}", "/policies/a/default_schema"},
    {"{\"policies\":{\"a\":{\"allow_recursive\":\"sure\"}}}", "/policies/a/allow_recursive"},
};

TEST(broken_files_are_refused)
{
    TEST_EACH(c, broken) {
        struct arena arena;
        struct sql_policy_set set;
        struct err err = {0};
        arena_init(&arena, ARENA_BYTES);
        EXPECT_INT(c->json, sql_policy_read(str_of(c->json), &arena, &set, &err), ERR_INVALID);
        EXPECT_INT(c->json, set.count, 0);
        if (strstr(err.text, c->says) == NULL)
            fail_msg("%s: '%s' does not say '%s'", c->json, err.text, c->says);
        arena_fini(&arena);
    }
}

/* One of its columns may be a password. */
static const char *const of_unknown_tables[] = {
    "SELECT x FROM u",
    "SELECT * FROM u",
    "SELECT u.* FROM u",
    "SELECT w.password FROM u AS w",
    "SELECT t.x FROM t JOIN u USING (password)",
    "SELECT x FROM t WHERE EXISTS (SELECT 1 FROM u WHERE password LIKE 'a%')",
    "SELECT * FROM t, u",
    "SELECT * FROM (SELECT * FROM u) AS d",
    "WITH c AS (SELECT * FROM u) SELECT COUNT(*) FROM c",
};

/* C10: unknown names may be warned of, but only where the catalog knows all there is. */
TEST(warnings_need_a_complete_catalog)
{
    struct sql_policy policy = sql_policy_default;
    const struct sql_tenant nobody = {.on = false};
    policy.unknown_table = policy.unknown_column = SQL_WARN;
    for (int complete = 0; complete < 2; complete++) {
        struct catalog_builder *builder = catalog_builder_create();
        struct catalog *catalog;
        struct err err = {0};
        struct arena arena;
        struct sql_verdict verdict;
        assert_non_null(builder);
        EXPECT_INT("t", catalog_add_table(builder, &(struct catalog_table){.name = STR("t")}, &err),
                   ERR_OK);
        EXPECT_INT("x",
                   catalog_add_column(builder, &(struct catalog_column){.name = STR("x")}, &err),
                   ERR_OK);
        catalog_set_complete(builder, complete == 1);
        EXPECT_INT("freeze", catalog_freeze(builder, &catalog, &err), ERR_OK);
        catalog_builder_destroy(builder);
        arena_init(&arena, ARENA_BYTES);
        sql_policy_judge(&policy, SQL_SQLITE, STR("SELECT y FROM t"), catalog, nobody, &arena,
                         &verdict);
        EXPECT_INT("warned of only when complete", verdict.warning_count, complete);
        EXPECT_INT("a warning blocks nothing", verdict.code, complete ? ERR_OK : ERR_REJECTED);
        sql_policy_judge(&policy, SQL_SQLITE, STR("SELECT COUNT(*) FROM u"), catalog, nobody,
                         &arena, &verdict);
        EXPECT_INT("tables likewise", verdict.code, complete ? ERR_OK : ERR_REJECTED);
        TEST_EACH(sql, of_unknown_tables) {
            sql_policy_judge(&policy, SQL_SQLITE, str_of(*sql), catalog, nobody, &arena, &verdict);
            EXPECT_INT(*sql, verdict.code, ERR_REJECTED);
        }
        sql_policy_judge(&policy, SQL_SQLITE, STR("SELECT COUNT(*) FROM u"), catalog,
                         (struct sql_tenant){.on = true}, &arena, &verdict);
        EXPECT_INT("not among companies", verdict.code, ERR_REJECTED);
        arena_fini(&arena);
        catalog_destroy(catalog);
    }
}

static const struct {
    const char *name, *head, *part, *tail;
    size_t times;
    const char *rule; /* "": accepted */
} sizes[] = {
    {"long", "SELECT name FROM customers", " ", "", 16 * 1024, "length"},
    {"deep parentheses", "SELECT ", "(", "1", 1000, "nesting"},
    {"deep queries", "SELECT name FROM ", "(SELECT name FROM ", "customers", 200, "nesting"},
    {"flat chain", "SELECT 1", " + 1", "", 900, ""},
    {"longer chain", "SELECT 1", " + 1", "", 3000, "depth"},
    {"many conjuncts", "SELECT name FROM customers WHERE 1 = 1", " AND id > 0", "", 900, ""},
    {"500 items", "SELECT 1", ", 1", "", 499, ""},
    {"501 items", "SELECT 1", ", 1", "", 500, "select_items"},
    {"many stars", "SELECT *", ", *", " FROM customers", 400, "any"},
    {"many comments", "SELECT name ", "/**/", "FROM customers", 3000, ""},
    {"many nots", "SELECT ", "NOT ", "1", 3000, "any"},
    {"many minuses", "SELECT ", "- ", "1", 3000, "any"},
    {"many unions", "SELECT 1", " UNION SELECT 1", "", 400, "any"},
    {"many joins", "SELECT c.id FROM customers c", " JOIN loans ON loans.customer_id = c.id", "",
     100, "any"},
};

TEST(sizes_are_bounded)
{
    struct guard_world world;
    guard_world_make(&world);
    TEST_EACH(c, sizes) {
        struct arena arena;
        struct buf sql;
        struct sql_verdict verdict;
        arena_init(&arena, ARENA_BYTES);
        buf_init(&sql, 1 << 20);
        buf_push(&sql, str_of(c->head));
        for (size_t i = 0; i < c->times; i++)
            buf_push(&sql, str_of(c->part));
        buf_push(&sql, str_of(c->tail));
        guard_judge(&world, "open", buf_str(&sql), &arena, &verdict);
        if (strcmp(c->rule, "any") != 0 && strcmp(c->rule, verdict.rule) != 0)
            fail_msg("%s: rule '%s', want '%s': %s", c->name, verdict.rule, c->rule,
                     verdict.err.text);
        EXPECT_TRUE(c->name, verdict.code == ERR_OK || verdict.code == ERR_REJECTED);
        buf_fini(&sql);
        arena_fini(&arena);
    }
    guard_world_lose(&world);
}

static const struct {
    const char *name;
    struct str sql;
} bytes[] = {
    {"NUL", STR("SELECT name FROM customers\0; DROP TABLE customers")},
    {"NUL in a string", STR("SELECT 'a\0b'")},
    {"overlong", STR("SELECT '\xc0\xa7'")},
    {"cut short", STR("SELECT '\xe2\x82'")},
    {"surrogate", STR("SELECT '\xed\xa0\x80'")},
    {"latin 1", STR("SELECT 'caf\xe9'")},
    {"control", STR("SELECT \x01name FROM customers")},
    {"no-break space", STR("SELECT\xc2\xa0name FROM customers")},
};

TEST(bytes_are_checked)
{
    struct guard_world world;
    guard_world_make(&world);
    TEST_EACH(c, bytes) {
        struct arena arena;
        struct sql_verdict verdict;
        arena_init(&arena, ARENA_BYTES);
        guard_judge(&world, "bank", c->sql, &arena, &verdict);
        EXPECT_INT(c->name, verdict.code, ERR_REJECTED);
        arena_fini(&arena);
    }
    guard_world_lose(&world);
}

/* Seed 002's rules and the others', on the same statements (C9, C11). */
static const struct {
    const char *sql, *banking, *other;
} profiles[] = {
    {"SELECT name FROM customers", "", ""},
    {"SELECT name FROM customers UNION SELECT name FROM branches", "set_operation", ""},
    {"WITH x AS (SELECT 1 AS a) SELECT a FROM x", "with", ""},
    {"SELECT name FROM customers WHERE id IN (SELECT customer_id FROM loans)", "", ""},
    {"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i FROM n",
     "set_operation", ""},
    {"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
     "set_operation", "recursive"},
    {"DELETE FROM customers", "select_only", "select_only"},
    {"SELECT key_value FROM api_keys", "unknown_table", "unknown_table"},
};

TEST(built_in_policies)
{
    struct guard_world world;
    const struct sql_tenant nobody = {.on = false};
    guard_world_make(&world);
    TEST_EACH(c, profiles) {
        struct arena arena;
        struct sql_verdict verdict;
        arena_init(&arena, ARENA_BYTES);
        sql_policy_judge(&sql_policy_banking, SQL_SQLITE, str_of(c->sql), world.catalog, nobody,
                         &arena, &verdict);
        EXPECT_STR(c->sql, str_of(verdict.rule), str_of(c->banking));
        sql_policy_judge(&sql_policy_default, SQL_SQLITE, str_of(c->sql), world.catalog, nobody,
                         &arena, &verdict);
        EXPECT_STR(c->sql, str_of(verdict.rule), str_of(c->other));
        arena_fini(&arena);
    }
    guard_world_lose(&world);
}

TEST(every_allocation_may_fail)
{
    enum err_code code = ERR_NO_MEMORY;
    for (uint64_t n = 1; code == ERR_NO_MEMORY; n++) {
        struct arena arena;
        struct sql_policy_set set;
        struct err err = {0};
        arena_init(&arena, ARENA_BYTES);
        mem_fail_nth(n);
        code = sql_policy_read(str_of(guard_policies_json), &arena, &set, &err);
        mem_fail_nth(0);
        arena_fini(&arena);
        EXPECT_TRUE("ends", n < 1000);
    }
    EXPECT_INT("read", code, ERR_OK);
}

RUN_TESTS(T(members_become_fields), T(a_list_of_functions_is_all_but_grammar),
          T(broken_files_are_refused), T(warnings_need_a_complete_catalog), T(sizes_are_bounded),
          T(bytes_are_checked), T(built_in_policies), T(every_allocation_may_fail))
