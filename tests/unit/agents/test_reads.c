/* SPDX-License-Identifier: MIT */
/* agents/sql/reads: the list of what a statement reads. */
#include "agents/sql/parse/reads.h"

#include "tests/unit/agents/sql_rig.h"

static void push_names(struct buf *out, const char *before, const struct str *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        buf_printf(out, "%s%.*s", i == 0 ? before : " ", STR_ARG(names[i]));
}

/* "customers: id name; accounts: | max | w | 2" */
static void write_list(const struct sql_reads *reads, struct buf *out)
{
    for (size_t i = 0; i < reads->table_count; i++) {
        const struct sql_reads_table *table = &reads->tables[i];
        buf_printf(out, "%s%.*s:%s", i == 0 ? "" : "; ", STR_ARG(table->name),
                   table->any ? " any" : "");
        push_names(out, " ", table->columns, table->column_count);
    }
    push_names(out, " | ", reads->functions, reads->function_count);
    push_names(out, " | ", reads->own, reads->own_count);
    buf_printf(out, " | %zu", reads->width);
}

static const struct {
    const char *sql, *want;
} cases[] = {
    {"SELECT 1", " | 1"},
    {"SELECT count(*) FROM customers", "customers: | count | 1"},
    {"SELECT name FROM customers WHERE id = 1 ORDER BY city", "customers: id name city | 1"},
    {"SELECT a.id, b.name FROM customers a, customers b", "customers: id name | 2"},
    {"SELECT * FROM api_keys", "api_keys: key | 1"},
    {"SELECT rowid FROM api_keys", "api_keys: ROWID | 1"},
    {"SELECT id FROM customers WHERE name IN api_keys", "customers: id name; api_keys: key | 1"},
    {"SELECT a.id FROM (accounts a JOIN api_keys k ON k.key = a.id)",
     "accounts: id customer_id balance status opened_at; api_keys: key | 1"},
    {"WITH w AS (SELECT max(balance) AS m FROM accounts) SELECT m FROM w",
     "accounts: balance | max | w | 1"},
    {"SELECT j.value FROM customers c, json_each(c.name) j",
     "customers: name | json_each | json_each j | 1"},
    {"SELECT customers.x FROM (SELECT id AS x FROM accounts) AS customers", "accounts: id | 1"},
    {"SELECT a FROM elsewhere", "elsewhere: any | 0"},
    {"SELECT name FROM sqlite_master", " | 0"},
};

TEST(lists_of_statements)
{
    struct rig rig;
    rig_init(&rig);
    TEST_EACH(c, cases) {
        struct buf text;
        buf_init(&text, 4096);
        if (rig_parse(&rig, SQL_SQLITE, str_of(c->sql)) != ERR_OK)
            fail_msg("%s: %s", c->sql, rig.err.text);
        const struct sql_reads *reads = sql_reads_of(rig.parse, rig.catalog, &rig.arena);
        assert_non_null(reads);
        write_list(reads, &text);
        EXPECT_STR(c->sql, buf_str(&text), str_of(c->want));
        buf_fini(&text);
    }
    rig_fini(&rig);
}

/* Without memory there is no list, rather than a short one. */
TEST(no_memory_no_list)
{
    struct rig rig;
    const struct sql_reads *reads = NULL;
    rig_init(&rig);
    EXPECT_INT(
        "parse",
        rig_parse(&rig, SQL_SQLITE,
                  STR("SELECT max(name) FROM customers WHERE id IN (SELECT id FROM accounts)")),
        ERR_OK);
    for (size_t budget = 0; reads == NULL; budget += 64) {
        struct arena arena;
        arena_init(&arena, budget);
        reads = sql_reads_of(rig.parse, rig.catalog, &arena);
        if (reads != NULL)
            EXPECT_INT("whole", reads->table_count, 2);
        arena_fini(&arena);
    }
    rig_fini(&rig);
}

RUN_TESTS(T(lists_of_statements), T(no_memory_no_list))
