/* SPDX-License-Identifier: MIT */
/* Random statements full of hidden names, in every position and under every alias: whatever the
 * guard accepts, SQLite's own authorizer must see only columns of the catalog being read, and no
 * row of another company may come back. The seed is fixed; a failure prints the statement. */
#include "tests/unit/agents/guard_world.h"

#include "tests/guard/statement_maker.h"

#include <stdio.h>

enum { STATEMENTS = 6000, ARENA_BYTES = 32 << 20 };

static const char *const bank_tables[] = {"customers", "accounts", "main.loans", "branches", "w"};
static const char *const tenant_tables[] = {"orders", "invoices", "products", "main.orders", "w"};
static const char *const bank_names[] = {"id", "id",  "name",          "customer_id", "status",
                                         "id", "ssn", "password_hash", "email",       "memo"};
static const char *const tenant_names[] = {"id", "id", "note", "company_id", "total", "id"};
static const char *const joins[] = {" JOIN ", " LEFT JOIN ", " NATURAL JOIN ", ", "};

static const struct maker_words bank_words = {.dialect = SQL_SQLITE,
                                              .tables = bank_tables,
                                              .table_count = countof(bank_tables),
                                              .names = bank_names,
                                              .name_count = countof(bank_names),
                                              .joins = joins,
                                              .join_count = countof(joins),
                                              .plain_joins = 2};
static const struct maker_words tenant_words = {.dialect = SQL_SQLITE,
                                                .tables = tenant_tables,
                                                .table_count = countof(tenant_tables),
                                                .names = tenant_names,
                                                .name_count = countof(tenant_names),
                                                .joins = joins,
                                                .join_count = countof(joins),
                                                .plain_joins = 2};

struct watch {
    const struct catalog *catalog;
    char read[128]; /* the first column read that must not be; "" none */
};

static int note_read(void *owner, int action, const char *table, const char *column,
                     const char *database UNUSED, const char *view UNUSED)
{
    struct watch *watch = owner;
    if (action != SQLITE_READ || column == NULL || column[0] == '\0')
        return SQLITE_OK;
    int found = catalog_find_table(watch->catalog, STR(""), str_of(table));
    if (found == CATALOG_NONE ||
        catalog_find_column(watch->catalog, found, str_of(column)) == CATALOG_NONE)
        snprintf(watch->read, sizeof watch->read, "%.60s.%.60s", table, column);
    return SQLITE_OK;
}

static size_t run_all(struct guard_world *world, struct maker *maker, struct buf *out)
{
    struct watch watch = {.catalog = world->catalog};
    size_t accepted = 0;
    sqlite3_set_authorizer(world->db, note_read, &watch);
    for (size_t i = 0; i < STATEMENTS; i++) {
        struct arena arena;
        struct sql_verdict verdict;
        maker_next(maker);
        arena_init(&arena, ARENA_BYTES);
        guard_judge(world, maker->words == &tenant_words ? "tenant" : "open", buf_str(&maker->out),
                    &arena, &verdict);
        if (verdict.code == ERR_OK) {
            char name[400];
            snprintf(name, sizeof name, "%.*s", STR_ARG(str_utf8_prefix(verdict.sql, 390)));
            accepted++;
            watch.read[0] = '\0';
            guard_run(world, name, verdict.sql, out);
            if (watch.read[0] != '\0')
                fail_msg("reads %s: %.*s", watch.read, STR_ARG(buf_str(&maker->out)));
        }
        arena_fini(&arena);
    }
    sqlite3_set_authorizer(world->db, NULL, NULL);
    return accepted;
}

TEST(nothing_hidden_is_read)
{
    for (int tenant = 0; tenant < 2; tenant++) {
        struct guard_world world;
        struct maker maker = {.state = 88172645463325252U,
                              .words = tenant == 1 ? &tenant_words : &bank_words};
        struct buf out;
        guard_world_make(&world);
        sql_oracle_destroy(world.oracle); /* the guard must hold without its second */
        world.oracle = NULL;
        buf_init(&maker.out, MAKER_BYTES);
        buf_init(&out, 1 << 20);
        size_t accepted = run_all(&world, &maker, &out);
        EXPECT_TRUE("enough are accepted to mean something", accepted > STATEMENTS / 20);
        buf_fini(&maker.out);
        buf_fini(&out);
        guard_world_lose(&world);
    }
}

RUN_TESTS(T(nothing_hidden_is_read))
