/* SPDX-License-Identifier: MIT */
/* Verified questions by how alike they are to the one asked, whatever their place in the file. */
#include "tests/lib/test.h"

#include "agents/search/alike.h"
#include "agents/semantic/model.h"

enum { BUDGET = 1 << 20 };

static const int first[] = {0}, second[] = {1};

static struct semantic_verified verified[] = {
    {.question = STR("Labor cost by month"),
     .sql = STR("SELECT 1"),
     .tables = first,
     .table_count = 1,
     .usable = true},
    {.question = STR("Labor cost by customer"),
     .sql = STR("SELECT 2"),
     .tables = first,
     .table_count = 1,
     .usable = true},
    {.question = STR("Overtime by branch"),
     .sql = STR("SELECT 3"),
     .tables = second,
     .table_count = 1,
     .usable = true},
    {.question = STR("Overdue jobs of a customer"),
     .sql = STR("SELECT 4 WHERE d < {today}"),
     .tables = first,
     .table_count = 1,
     .usable = true},
    {.question = STR("Overdue jobs of a branch"),
     .sql = STR("SELECT 5"),
     .tables = first,
     .table_count = 1,
     .usable = false},
};

static const struct {
    const char *name, *question;
    bool one_table;
    const char *want;
} cases[] = {
    {"the most alike first", "What did labor cost each customer?", false,
     "- Labor cost by customer\n  SELECT 2\n- Labor cost by month\n  SELECT 1\n"
     "- Overdue jobs of a customer\n  SELECT 4 WHERE d < '2025-06-30'\n"},
    {"the last of the file, with the day in its place", "Which jobs are overdue?", false,
     "- Overdue jobs of a customer\n  SELECT 4 WHERE d < '2025-06-30'\n"},
    {"of other tables", "Overtime", true, ""},
    {"nothing in common", "Weather in Austin", false, ""},
};

TEST(alike_ones_are_shown)
{
    struct catalog_table tables[] = {{.secure_view = CATALOG_NONE, .secures = CATALOG_NONE},
                                     {.secure_view = CATALOG_NONE, .secures = CATALOG_NONE}};
    const struct catalog catalog = {.tables = tables, .table_count = countof(tables)};
    const struct semantic semantic = {.verified = verified, .verified_count = countof(verified)};
    const struct knowledge knows = {.catalog = &catalog, .semantic = &semantic};
    TEST_EACH(c, cases) {
        struct arena arena;
        arena_init(&arena, BUDGET);
        const struct alike_query query = {.knows = &knows,
                                          .question = str_of(c->question),
                                          .tables = c->one_table ? first : NULL,
                                          .table_count = c->one_table,
                                          .today = STR("2025-06-30")};
        EXPECT_STR(c->name, alike_write(&query, &arena), str_of(c->want));
        arena_fini(&arena);
    }
}

RUN_TESTS(T(alike_ones_are_shown))
