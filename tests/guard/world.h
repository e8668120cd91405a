/* SPDX-License-Identifier: MIT */
/* tests/guard/world.h - the catalog and policies of tests/guard/world, and a real engine with its
 * tables, reached as administrator so that the guard alone protects.
 *
 * The folder is ASKD_GUARD_FOLDER of the build. The session belongs to company 'acme'. */
#ifndef TESTS_GUARD_WORLD_H
#define TESTS_GUARD_WORLD_H

#include "agents/sql/catalog/catalog_narrow.h"
#include "agents/sql/guard/policy.h"
#include "agents/sql/parse/reads.h"
#include "backends/sql/sql_mysql.h"
#include "backends/sql/sql_pg.h"
#include "backends/sql/sql_sqlite.h"
#include "core/base/file.h"
#include "tests/guard/read_again.h"
#include "tests/lib/test_server.h"
#include "tests/unit/backends/rig.h"
#include "tests/unit/backends/sqlite_file.h"

enum { WORLD_FILE_BYTES = 4 << 20, WORLD_ARENA_BYTES = 16 << 20 };

struct world {
    enum sql_dialect dialect;
    const char *engine, *database; /* "sqlite", "postgres", "mysql"; its name on the server */
    const char *more;              /* what follows the world's script: "alone", "large"; or NULL */
    struct catalog *catalog;
    struct catalog *masked; /* as the policy that masks columns lets it be seen */
    struct arena arena;     /* of the policies */
    struct sql_policy_set policies;
    struct rig rig;
    struct sqlite_file file;
    struct sql *sql;
    struct sql_query query; /* the last one; its result lives until the next */
};

static inline void world_read(const char *path, struct buf *out)
{
    char whole[512];
    struct err err = {0};
    snprintf(whole, sizeof whole, "%s/%s", ASKD_GUARD_FOLDER, path);
    if (file_read(whole, out, &err) != ERR_OK)
        fail_msg("%s", err.text);
}

static inline void world_load(struct world *world)
{
    struct buf text;
    struct err err = {0};
    buf_init(&text, WORLD_FILE_BYTES);
    world_read("world/schema.json", &text);
    if (catalog_from_join_graph(buf_str(&text), &world->catalog, &err) != ERR_OK)
        fail_msg("schema.json: %s", err.text);
    buf_clear(&text);
    world_read("world/policies.json", &text);
    arena_init(&world->arena, WORLD_ARENA_BYTES);
    struct str kept = arena_str(&world->arena, buf_str(&text));
    if (sql_policy_read(kept, &world->arena, &world->policies, &err) != ERR_OK)
        fail_msg("policies.json: %s", err.text);
    buf_fini(&text);
    for (size_t i = 0; i < world->policies.count; i++) {
        if (world->policies.policies[i].column_count > 0)
            world->masked = catalog_narrow_create(
                (struct sql_visible){&world->policies.policies[i], world->catalog});
    }
    assert_non_null(world->masked);
}

static inline void world_open_sqlite(struct world *world)
{
    struct buf text;
    buf_init(&text, WORLD_FILE_BYTES);
    world_read("world/sqlite.sql", &text);
    if (world->more != NULL) {
        char path[64];
        snprintf(path, sizeof path, "world/sqlite_%s.sql", world->more);
        world_read(path, &text);
    }
    buf_push_char(&text, '\0');
    sqlite_file_make(&world->file, buf_str(&text).at);
    buf_fini(&text);
    world->sql = sql_sqlite_create(world->rig.loop, world->file.path, 1, 4);
}

static inline void world_open_server(struct world *world)
{
    char files[1200], url[512];
    struct err err = {0};
    int length = snprintf(files, sizeof files, "%s/world/%s.sql", ASKD_GUARD_FOLDER, world->engine);
    if (world->more != NULL)
        snprintf(files + length, sizeof files - (size_t)length, " %s/world/%s_%s.sql",
                 ASKD_GUARD_FOLDER, world->engine, world->more);
    test_server_create(world->engine, world->database, files, url, sizeof url);
    if (world->dialect == SQL_POSTGRES)
        world->sql = sql_pg_create(
            world->rig.loop,
            &(struct sql_pg_options){.url = url, .connect_ms = 60000, .queue_ms = 60000}, &err);
    if (world->dialect == SQL_MYSQL)
        world->sql = sql_mysql_create(
            world->rig.loop,
            &(struct sql_mysql_options){.url = url, .connect_ms = 60000, .queue_ms = 60000}, &err);
    if (world->sql == NULL)
        fail_msg("%s: %s", world->engine, err.text[0] == '\0' ? "no backend" : err.text);
}

/* database: a name of the test's own on the server; more: of the world, or NULL. */
static inline void world_open_as(struct world *world, const char *engine, const char *database,
                                 const char *more)
{
    *world = (struct world){.dialect = strcmp(engine, "postgres") == 0 ? SQL_POSTGRES
                                       : strcmp(engine, "mysql") == 0  ? SQL_MYSQL
                                                                       : SQL_SQLITE,
                            .engine = engine,
                            .database = database,
                            .more = more};
    rig_begin(&world->rig);
    world_load(world);
    if (world->dialect == SQL_SQLITE)
        world_open_sqlite(world);
    else
        world_open_server(world);
}

static inline void world_open(struct world *world, const char *engine, const char *database)
{
    world_open_as(world, engine, database, NULL);
}

static inline void world_close(struct world *world)
{
    op_release(&world->query.op);
    sql_close(world->sql, rig_on_closed, &world->rig);
    rig_end(&world->rig);
    if (world->dialect == SQL_SQLITE)
        sqlite_file_remove(&world->file);
    else
        test_server_drop(world->engine, world->database);
    catalog_narrow_destroy(world->masked);
    catalog_destroy(world->catalog);
    arena_fini(&world->arena);
}

static inline const struct sql_policy *world_policy(const struct world *world, struct str name)
{
    for (size_t i = 0; i < world->policies.count; i++) {
        if (str_equal(world->policies.policies[i].name, name))
            return &world->policies.policies[i];
    }
    fail_msg("no policy '%.*s'", STR_ARG(name));
    return NULL;
}

/* What a policy lets be seen; one policy masks columns. */
static inline const struct catalog *world_catalog(const struct world *world,
                                                  const struct sql_policy *by)
{
    return by->column_count > 0 ? world->masked : world->catalog;
}

/* Judge; policies called tenant... filter by company. Everything of the verdict is in arena. */
static inline void world_judge(struct world *world, struct str policy, struct str sql,
                               struct arena *arena, struct sql_verdict *verdict)
{
    const struct sql_tenant tenant = {.on = str_starts_with(policy, STR("tenant"))};
    const struct sql_policy *by = world_policy(world, policy);
    const struct catalog *catalog = world_catalog(world, by);
    struct sql_finding finding;
    sql_policy_judge(by, world->dialect, sql, catalog, tenant, arena, verdict);
    if (verdict->code == ERR_OK &&
        !read_again((struct sql_visible){by, catalog}, tenant, verdict, arena, &finding))
        fail_msg("not the same read again: %s: %s: %.*s", finding.rule, finding.err.text,
                 STR_ARG(verdict->sql));
}

/* Run sql as the session of company 'acme'; reads: all it may read where the engine tells, or NULL.
 * The result stays in world->query until the next. */
static inline enum err_code world_run(struct world *world, struct str sql,
                                      const struct sql_reads *reads)
{
    static const struct sql_variable variables[] = {{{"company_id", 10}, {"acme", 4}}};
    const struct sql_statement statement = {
        .text = sql, .variables = variables, .variable_count = 1, .reads = reads, .max_rows = 5000};
    op_release(&world->query.op);
    unsigned before = world->rig.done_calls;
    sql_query_start(&world->query, world->sql, &statement, rig_waiter(&world->rig));
    rig_wait("query", &world->rig, before + 1);
    return world->query.op.err.code;
}

/* Run what the guard accepted, as a graph does. */
static inline enum err_code world_run_accepted(struct world *world, struct str sql,
                                               struct arena *arena)
{
    const struct sql_parse *parse;
    const struct sql_reads *reads;
    const char *rule;
    struct err err = {0};
    if (world->dialect != SQL_SQLITE)
        return world_run(world, sql, NULL);
    if (sql_parse_statement(world->dialect, sql, world->catalog, arena, &parse, &rule, &err) !=
        ERR_OK)
        fail_msg("what is sent does not parse: %s: %.*s", err.text, STR_ARG(sql));
    reads = sql_reads_of(parse, world->catalog, arena);
    assert_non_null(reads);
    return world_run(world, sql, reads);
}

/* All values of the last result, in any order of rows. */
static inline uint64_t world_digest(const struct world *world)
{
    const struct sql_result *result = &world->query.result;
    uint64_t all = result->row_count;
    for (size_t row = 0; row < result->row_count; row++) {
        uint64_t one = 0;
        for (size_t i = 0; i < result->column_count; i++) {
            const struct sql_value *value = sql_result_at(result, row, i);
            one = one * 31 + (uint64_t)value->type + (uint64_t)value->integer +
                  (uint64_t)(int64_t)(value->real * 1000) + str_hash(value->text);
        }
        all += one * one;
    }
    return all;
}

static inline bool world_has_canary(struct str text)
{
    const struct str word = STR("CANARY");
    for (size_t i = 0; i + word.len <= text.len; i++) {
        if (str_equal_nocase(str_slice(text, i, i + word.len), word))
            return true;
    }
    return false;
}

/* Whether the last query shows what nobody may read: in a value, a column's name, its error. */
static inline bool world_shows_canary(const struct world *world)
{
    const struct sql_query *query = &world->query;
    const struct sql_result *result = &query->result;
    if (query->op.err.code != ERR_OK)
        return world_has_canary(str_of(query->op.err.text));
    for (size_t i = 0; i < result->column_count; i++) {
        if (world_has_canary(result->columns[i]))
            return true;
    }
    for (size_t i = 0; i < result->row_count * result->column_count; i++) {
        if (world_has_canary(result->values[i].text))
            return true;
    }
    return false;
}

#endif
