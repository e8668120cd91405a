/* SPDX-License-Identifier: MIT */
#include "tests/unit/offline/world.h"

/* Each is the same as the question it stands for. */
static const struct {
    const char *before, *asked, *meant;
} cases[] = {
    {"Top 5 products by price", "bottom 5", "Bottom 5 products by price"},
    {"Top 5 products by price", "top 2", "Top 2 products by price"},
    {"Top 5 products by price", "the other way round", "Bottom 5 products by price"},
    {"Highest price of products", "and the lowest?", "Lowest price of products"},
    {"How many orders are there?", "by status", "How many orders by status"},
    {"How many orders by status", "and as percentages?",
     "How many orders by status as percentages"},
    {"Most expensive product", "and the cheapest?", "Cheapest product"},
    {"How many open orders are there?", "in May", "How many open orders in May"},
    {"Orders shipped in May", "and in June?", "Orders shipped in June"},
    {"Clients in Oslo", "only the ones without orders", "Clients in Oslo without orders"},
    {"Clients in Oslo", "how many are there?", "How many clients in Oslo"},
    {"Clients in Oslo", "how many?", "How many clients in Oslo"},
    {"Average price of kitchen products", "and for all products?", "Average price of products"},
    {"Products over 20", "sorted by price", "Products over 20 sorted by price"},
    {"Products over 20", "top 3 of those", NULL /* by what they were compared by */},
};

static struct str sql_of(const struct offline_answer *answer)
{
    return answer->understood ? answer->sql : str_of(answer->cannot);
}

TEST(fragments_change_the_question_before)
{
    struct world w, other;
    world_init(&w);
    world_init(&other);
    TEST_EACH(c, cases) {
        struct str got = sql_of(world_read_after(&w, str_of(c->before), str_of(c->asked)));
        if (c->meant != NULL)
            EXPECT_STR(c->asked, got, sql_of(world_read(&other, str_of(c->meant))));
        else
            EXPECT_TRUE(c->asked, str_find(got, STR("ORDER BY price DESC, id LIMIT 3")) > 0);
    }
    world_fini(&w);
    world_fini(&other);
}

/* What would be ignored, or would make something else of the answer, is refused. */
TEST(what_changes_nothing_is_refused)
{
    static const struct {
        const char *before, *asked;
    } refused[] = {
        {"Clients in Oslo", "by month"},
        {"How many orders are there?", "and for all orders?"},
        {"How many orders are there?", "the other way round"},
        {"Clients in Oslo", "top 3"},
    };
    struct world w;
    world_init(&w);
    TEST_EACH(c, refused)
        EXPECT_TRUE(c->asked,
                    !world_read_after(&w, str_of(c->before), str_of(c->asked))->understood);
    world_fini(&w);
}

RUN_TESTS(T(fragments_change_the_question_before), T(what_changes_nothing_is_refused))
