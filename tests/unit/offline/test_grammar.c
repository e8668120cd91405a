/* SPDX-License-Identifier: MIT */
/* The lattice and the chart by themselves: what covers a question, what it costs, how much work it
 * may be; and words that are only part of a name or of a value. */
#include "tests/unit/offline/world.h"

#include "agents/english/tokens.h"
#include "agents/offline/grammar/grammar.h"

static struct chart_result read_by_grammar(struct world *w, struct str question)
{
    struct chart_result result = {.count = 0};
    struct offline_token *tokens;
    size_t count = 0;
    arena_fini(&w->arena);
    arena_init(&w->arena, WORLD_ARENA_BYTES);
    assert_int_equal(english_tokens_of(&w->arena, question, &tokens, &count), ERR_OK);
    assert_int_equal(grammar_read(&w->arena, w->lexicon, tokens, count,
                                  english_dates_day(2024, 8, 15), SYMBOL_QUERY, &result),
                     ERR_OK);
    return result;
}

static const struct {
    const char *question;
    bool covered;
} covered[] = {
    {"how many orders are there", true},
    {"how many purple orders are there", false},
    {"orders of clients in Oslo", true},
    {"orders of clients in Oslo quickly", false},
    {"which cities have more than 2 clients", true},
    {"products with a price above the average price of kitchen products", true},
    {"products with a price above the average price of purple products", false},
};

TEST(only_what_covers_every_word_is_a_reading)
{
    struct world w;
    world_init(&w);
    TEST_EACH(c, covered)
        EXPECT_INT(c->question, read_by_grammar(&w, str_of(c->question)).count > 0, c->covered);
    world_fini(&w);
}

TEST(readings_are_different_and_the_cheapest_is_first)
{
    struct world w;
    world_init(&w);
    struct chart_result result =
        read_by_grammar(&w, STR("orders of clients without orders in 2024"));
    assert_true(result.count > 1);
    for (size_t i = 1; i < result.count; i++) {
        assert_true(result.readings[i - 1].cost <= result.readings[i].cost);
        for (size_t k = 0; k < i; k++)
            assert_true(result.readings[i].sense->hash != result.readings[k].sense->hash);
    }
    world_fini(&w);
}

/* A long chain of nouns has many ways to hang together. */
TEST(the_work_is_bounded)
{
    enum { MOST = 2048 };
    struct world w;
    struct buf text;
    world_init(&w);
    for (size_t pairs = 1; pairs <= 18; pairs++) {
        buf_init(&text, MOST);
        buf_push(&text, STR("orders"));
        for (size_t i = 0; i < pairs; i++)
            buf_push(&text, i % 2 == 0 ? STR(" of clients") : STR(" with orders"));
        struct chart_result result = read_by_grammar(&w, buf_str(&text));
        assert_true(result.edges <= CHART_EDGES);
        assert_true(result.count <= CHART_READINGS);
        buf_fini(&text);
    }
    world_fini(&w);
}

TEST(a_word_may_be_part_of_values)
{
    struct world w;
    world_init(&w);
    int table = catalog_find_table(w.catalog, STR(""), STR("products"));
    int column = catalog_find_column(w.catalog, table, STR("name"));
    assert_true(lexicon_index_add(w.lexicon, table, column, STR("Enamelled Pot")));
    assert_true(lexicon_index_add(w.lexicon, table, column, STR("Blue Enamelled Cup")));
    const struct offline_answer *answer =
        world_read(&w, STR("How many enamelled products are there?"));
    EXPECT_STR("enamelled", answer->sql,
               STR("SELECT COUNT(*) AS products_count FROM products WHERE LOWER(name) LIKE "
                   "'%enamelled%'"));
    world_fini(&w);
}

TEST(a_name_with_a_comma_is_found_in_either_order)
{
    struct world w;
    world_init(&w);
    int table = catalog_find_table(w.catalog, STR(""), STR("clients"));
    int column = catalog_find_column(w.catalog, table, STR("name"));
    assert_true(lexicon_index_add(w.lexicon, table, column, STR("VANCE, DANA")));
    const struct offline_answer *answer = world_read(&w, STR("How many orders has Dana Vance?"));
    assert_true(answer->understood);
    assert_true(str_find(answer->sql, STR("'VANCE, DANA'")) != STR_NONE);
    world_fini(&w);
}

RUN_TESTS(T(only_what_covers_every_word_is_a_reading),
          T(readings_are_different_and_the_cheapest_is_first), T(the_work_is_bounded),
          T(a_word_may_be_part_of_values), T(a_name_with_a_comma_is_found_in_either_order))
