/* SPDX-License-Identifier: MIT */
/* Verified questions by how alike they are to the one asked, whatever their place in the file. */
#include "tests/lib/test.h"

#include "agents/search/alike.h"
#include "agents/semantic/model.h"

enum { BUDGET = 1 << 20 };

static const int first[] = {0}, second[] = {1};

static struct semantic_verified verified[] = {
    {{"Labor cost by month", sizeof("Labor cost by month") - 1},
     {"SELECT 1", sizeof("SELECT 1") - 1},
     {0},
     {0},
     first,
     1,
     true},
    {{"Labor cost by customer", sizeof("Labor cost by customer") - 1},
     {"SELECT 2", sizeof("SELECT 2") - 1},
     {0},
     {0},
     first,
     1,
     true},
    {{"Overtime by branch", sizeof("Overtime by branch") - 1},
     {"SELECT 3", sizeof("SELECT 3") - 1},
     {0},
     {0},
     second,
     1,
     true},
    {{"Overdue jobs of a customer", sizeof("Overdue jobs of a customer") - 1},
     {"SELECT 4 WHERE d < {today}", sizeof("SELECT 4 WHERE d < {today}") - 1},
     {0},
     {0},
     first,
     1,
     true},
    {{"Overdue jobs of a branch", sizeof("Overdue jobs of a branch") - 1},
     {"SELECT 5", sizeof("SELECT 5") - 1},
     {0},
     {0},
     first,
     1,
     false},
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
