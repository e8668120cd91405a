/* SPDX-License-Identifier: MIT */
/* Random statements full of hidden names, in every position and under every alias: whatever the
 * guard accepts, SQLite's own authorizer must see only columns of the catalog being read, and no
 * row of another company may come back. The seed is fixed; a failure prints the statement. */
#include "tests/unit/agents/guard_world.h"

#include <stdio.h>

enum { STATEMENTS = 6000, ARENA_BYTES = 32 << 20, MAX_ALIASES = 12 };

struct maker {
    uint64_t state;
    struct buf out;
    bool tenant;
    const char *aliases[MAX_ALIASES]; /* in scope */
    size_t alias_count;
};

static const char *const bank_tables[] = {"customers", "accounts", "main.loans", "branches", "w"};
static const char *const tenant_tables[] = {"orders", "invoices", "products", "main.orders", "w"};
static const char *const aliases[] = {"a", "b", "c", "d"};
static const char *const bank_names[] = {"id", "id",  "name",          "customer_id", "status",
                                         "id", "ssn", "password_hash", "email",       "memo"};
static const char *const tenant_names[] = {"id", "id", "note", "company_id", "total", "id"};
static const char *const functions[] = {"max", "count", "lower", "length", "min"};

static size_t below(struct maker *maker, size_t count) /* xorshift */
{
    maker->state ^= maker->state << 13;
    maker->state ^= maker->state >> 7;
    maker->state ^= maker->state << 17;
    return (size_t)(maker->state % count);
}

static void say(struct maker *maker, const char *text)
{
    buf_push(&maker->out, str_of(text));
}

static void say_name(struct maker *maker)
{
    say(maker, maker->tenant ? tenant_names[below(maker, countof(tenant_names))]
                             : bank_names[below(maker, countof(bank_names))]);
}

static void say_select(struct maker *maker, unsigned depth, bool one_item);

static void say_alias_dot(struct maker *maker)
{
    if (maker->alias_count == 0)
        return;
    say(maker, maker->aliases[below(maker, maker->alias_count)]);
    say(maker, ".");
}

static void say_expr(struct maker *maker, unsigned depth)
{
    size_t form = below(maker, depth == 0 ? 7 : 10);
    if (form < 4) {
        say_alias_dot(maker);
        say_name(maker);
    } else if (form < 6) {
        say_name(maker);
    } else if (form == 6) {
        say(maker, "1");
    } else if (form == 7) {
        say(maker, functions[below(maker, countof(functions))]);
        say(maker, "(");
        say_expr(maker, depth - 1);
        say(maker, ")");
    } else if (form == 8) {
        say(maker, "(");
        say_select(maker, depth - 1, true);
        say(maker, ")");
    } else {
        say_expr(maker, depth - 1);
        say(maker, below(maker, 2) == 0 ? " = " : " || ");
        say_expr(maker, depth - 1);
    }
}

static void say_source(struct maker *maker, unsigned depth, size_t own)
{
    if (depth > 0 && below(maker, 3) == 0) {
        say(maker, "(");
        say_select(maker, depth - 1, false);
        say(maker, ")");
    } else {
        say(maker, maker->tenant ? tenant_tables[below(maker, countof(tenant_tables))]
                                 : bank_tables[below(maker, countof(bank_tables))]);
    }
    /* Mostly different aliases within one FROM, so that many statements compile. */
    const char *alias = aliases[own % countof(aliases)];
    say(maker, " ");
    say(maker, alias);
    if (maker->alias_count < MAX_ALIASES)
        maker->aliases[maker->alias_count++] = alias;
}

static void say_join(struct maker *maker, unsigned depth, size_t own)
{
    static const char *const joins[] = {" JOIN ", " LEFT JOIN ", " NATURAL JOIN ", ", "};
    size_t join = below(maker, countof(joins));
    say(maker, joins[join]);
    say_source(maker, depth, own);
    if (join >= 2)
        return;
    if (below(maker, 4) == 0) {
        say(maker, " USING (");
        say_name(maker);
        say(maker, ")");
        return;
    }
    buf_printf(&maker->out, " ON %s.id = %s.id", aliases[0], aliases[own]);
}

static void say_items(struct maker *maker, unsigned depth, bool one_item)
{
    size_t count = one_item ? 1 : 1 + below(maker, 3);
    for (size_t i = 0; i < count; i++) {
        say(maker, i == 0 ? "" : ", ");
        size_t form = below(maker, one_item ? 3 : 5);
        if (form < 3) {
            say_expr(maker, depth);
            if (form == 0) {
                say(maker, " AS ");
                say_name(maker);
            }
            continue;
        }
        if (form == 3)
            say_alias_dot(maker);
        say(maker, "*");
    }
}

/* The items are made last but stand first: FROM decides which aliases there are. */
static void say_select(struct maker *maker, unsigned depth, bool one_item)
{
    size_t outer = maker->alias_count, joins = below(maker, 3);
    struct buf whole = maker->out;
    buf_init(&maker->out, 1 << 20);
    say_source(maker, depth, 0);
    for (size_t i = 1; i <= joins; i++)
        say_join(maker, depth, i);
    struct buf from = maker->out;
    maker->out = whole;
    say(maker, "SELECT ");
    say_items(maker, depth, one_item);
    say(maker, " FROM ");
    buf_push(&maker->out, buf_str(&from));
    buf_fini(&from);
    static const char *const clauses[] = {" WHERE ", " GROUP BY ", " ORDER BY "};
    for (size_t i = 0; i < countof(clauses); i++) {
        if (below(maker, 3) != 0)
            continue;
        say(maker, clauses[i]);
        say_expr(maker, i == 1 ? 0 : depth);
    }
    if (one_item)
        say(maker, " LIMIT 1");
    maker->alias_count = outer;
}

static void say_statement(struct maker *maker)
{
    buf_clear(&maker->out);
    maker->alias_count = 0;
    if (below(maker, 4) == 0) {
        say(maker, "WITH w AS (");
        say_select(maker, 1, false);
        say(maker, ") ");
    }
    say_select(maker, (unsigned)below(maker, 4), false);
}

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
        say_statement(maker);
        arena_init(&arena, ARENA_BYTES);
        guard_judge(world, maker->tenant ? "tenant" : "open", buf_str(&maker->out), &arena,
                    &verdict);
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
        struct maker maker = {.state = 88172645463325252U, .tenant = tenant == 1};
        struct buf out;
        guard_world_make(&world);
        sql_oracle_destroy(world.oracle); /* the guard must hold without its second */
        world.oracle = NULL;
        buf_init(&maker.out, 1 << 20);
        buf_init(&out, 1 << 20);
        size_t accepted = run_all(&world, &maker, &out);
        EXPECT_TRUE("enough are accepted to mean something", accepted > STATEMENTS / 20);
        buf_fini(&maker.out);
        buf_fini(&out);
        guard_world_lose(&world);
    }
}

RUN_TESTS(T(nothing_hidden_is_read))
