/* SPDX-License-Identifier: MIT */
/* tests/unit/agents/sql_rig.h - a small bank as a catalog, and one call that parses over it. */
#ifndef TESTS_UNIT_AGENTS_SQL_RIG_H
#define TESTS_UNIT_AGENTS_SQL_RIG_H

#include "agents/sql/parse/parse.h"
#include "tests/lib/test.h"

enum { RIG_ARENA_BYTES = 8 * 1024 * 1024 };

static const struct rig_table {
    const char *name;
    const char *columns[8]; /* a leading '-' hides one */
} rig_tables[] = {
    {"customers", {"id", "name", "email", "city", "status", "created_at", "-ssn"}},
    {"accounts", {"id", "customer_id", "balance", "status", "opened_at"}},
    {"transactions", {"id", "account_id", "type", "amount", "created_at"}},
    {"api_keys", {"key"}},
    {"secure_customers", {"id", "name", "city"}},
};

static inline struct catalog *rig_catalog(void)
{
    struct catalog_builder *builder = catalog_builder_create();
    struct catalog *catalog = NULL;
    struct err err;
    if (builder == NULL)
        return NULL;
    TEST_EACH(t, rig_tables) {
        struct catalog_table table = {.name = str_of(t->name),
                                      .secure_view = CATALOG_NONE,
                                      .secures = CATALOG_NONE,
                                      .tenant_column = CATALOG_NONE,
                                      .row_count = -1};
        bool ok = catalog_add_table(builder, &table, &err) == ERR_OK;
        for (size_t i = 0; ok && i < countof(t->columns) && t->columns[i] != NULL; i++) {
            bool hidden = t->columns[i][0] == '-';
            struct catalog_column column = {.name = str_of(t->columns[i] + (hidden ? 1 : 0)),
                                            .type = CATALOG_TEXT,
                                            .hidden = hidden};
            ok = catalog_add_column(builder, &column, &err) == ERR_OK;
        }
        EXPECT_TRUE(t->name, ok);
    }
    EXPECT_INT("freeze", catalog_freeze(builder, &catalog, &err), ERR_OK);
    catalog_builder_destroy(builder);
    return catalog;
}

struct rig {
    struct catalog *catalog;
    struct arena arena;
    const struct sql_parse *parse;
    const char *rule;
    struct err err;
};

static inline void rig_init(struct rig *rig)
{
    *rig = (struct rig){.catalog = rig_catalog(), .rule = ""};
    arena_init(&rig->arena, RIG_ARENA_BYTES);
}

static inline void rig_fini(struct rig *rig)
{
    arena_fini(&rig->arena);
    catalog_destroy(rig->catalog);
}

static inline enum err_code rig_parse(struct rig *rig, enum sql_dialect dialect, struct str sql)
{
    arena_fini(&rig->arena);
    arena_init(&rig->arena, RIG_ARENA_BYTES);
    rig->rule = "";
    return sql_parse_statement(dialect, sql, rig->catalog, &rig->arena, &rig->parse, &rig->rule,
                               &rig->err);
}

#endif
