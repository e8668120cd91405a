/* SPDX-License-Identifier: MIT */
/* tests/unit/agents/guard_world.h - a database with secrets in it, its catalog and policies.
 *
 * Hidden columns, hidden tables and base tables behind secure views hold the word CANARY; rows of
 * another company hold OTHERCO. No accepted statement may ever show either. */
#ifndef TESTS_UNIT_AGENTS_GUARD_WORLD_H
#define TESTS_UNIT_AGENTS_GUARD_WORLD_H

#include <sqlite3.h>

#include "agents/sql/parse/parse_sqlite.h"
#include "agents/sql/guard/policy.h"
#include "tests/lib/test.h"
#include "tests/unit/agents/guard_world.inc"

struct guard_world {
    sqlite3 *db;
    struct catalog *catalog;
    struct arena arena; /* of the policies */
    struct sql_policy_set policies;
    struct sql_oracle *oracle;
};

static inline void guard_session_var(sqlite3_context *context, int count UNUSED,
                                     sqlite3_value **values)
{
    const char *name = (const char *)sqlite3_value_text(values[0]);
    if (name != NULL && strcmp(name, "company_id") == 0)
        sqlite3_result_text(context, "c1", 2, SQLITE_STATIC);
}

static inline int guard_progress(void *steps)
{
    return ++*(int *)steps > 2000; /* of 10,000 instructions each */
}

static inline void guard_world_make(struct guard_world *world)
{
    struct err err = {0};
    *world = (struct guard_world){.db = NULL};
    assert_int_equal(sqlite3_open(":memory:", &world->db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(world->db, guard_ddl, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_create_function(world->db, "session_var", 1, SQLITE_UTF8, NULL, guard_session_var, NULL,
                            NULL);
    EXPECT_INT("catalog",
               catalog_from_join_graph(str_of(guard_catalog_json), &world->catalog, &err), ERR_OK);
    arena_init(&world->arena, 16 << 20);
    enum err_code code =
        sql_policy_read(str_of(guard_policies_json), &world->arena, &world->policies, &err);
    if (code != ERR_OK)
        fail_msg("policies: %s", err.text);
    world->oracle = sql_oracle_create(world->catalog, &err);
    if (world->oracle == NULL)
        fail_msg("oracle: %s", err.text);
}

static inline void guard_world_lose(struct guard_world *world)
{
    sqlite3_close(world->db);
    sql_oracle_destroy(world->oracle);
    catalog_destroy(world->catalog);
    arena_fini(&world->arena);
}

static inline const struct sql_policy *guard_policy(const struct guard_world *world,
                                                    const char *name)
{
    for (size_t i = 0; i < world->policies.count; i++) {
        if (str_equal(world->policies.policies[i].name, str_of(name)))
            return &world->policies.policies[i];
    }
    fail_msg("no policy %s", name);
    return NULL;
}

/* Judge; only the policy "tenant" filters by company. */
static inline void guard_judge(const struct guard_world *world, const char *policy, struct str sql,
                               struct arena *arena, struct sql_verdict *verdict)
{
    const struct sql_tenant tenant = {.on = strcmp(policy, "tenant") == 0};
    if (world->oracle != NULL)
        sql_policy_judge_twice(guard_policy(world, policy), sql, world->catalog, tenant,
                               world->oracle, arena, verdict);
    else
        sql_policy_judge(guard_policy(world, policy), SQL_SQLITE, sql, world->catalog, tenant,
                         arena, verdict);
}

/* Run it for real: no canary in any value, at most max rows, all of it from one statement. The
 * values joined by '|', rows by ';', into out; the engine's own error otherwise. */
static inline bool guard_run(const struct guard_world *world, const char *name, struct str sql,
                             struct buf *out)
{
    sqlite3_stmt *stmt = NULL;
    const char *tail = NULL;
    int steps = 0, code, rows = 0;
    buf_clear(out);
    sqlite3_progress_handler(world->db, 10000, guard_progress, &steps);
    code = sqlite3_prepare_v2(world->db, sql.at, (int)sql.len, &stmt, &tail);
    if (code != SQLITE_OK) {
        buf_printf(out, "error: %s", sqlite3_errmsg(world->db));
        return false;
    }
    EXPECT_TRUE(name, stmt != NULL && tail == sql.at + sql.len && sqlite3_stmt_readonly(stmt));
    while ((code = sqlite3_step(stmt)) == SQLITE_ROW && rows++ <= 1000) {
        for (int i = 0; i < sqlite3_column_count(stmt); i++) {
            const char *text = (const char *)sqlite3_column_text(stmt, i);
            buf_printf(out, "%s%s", i == 0 ? "" : "|", text == NULL ? "" : text);
        }
        buf_push_char(out, ';');
    }
    if (code != SQLITE_DONE)
        buf_printf(out, "error: %s", sqlite3_errmsg(world->db));
    sqlite3_finalize(stmt);
    EXPECT_TRUE(name, rows <= 1000);
    EXPECT_INT(name, str_find(buf_str(out), STR("CANARY")), STR_NONE);
    EXPECT_INT(name, str_find(buf_str(out), STR("OTHERCO")), STR_NONE);
    return code == SQLITE_DONE;
}

#endif
