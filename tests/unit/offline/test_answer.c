/* SPDX-License-Identifier: MIT */
#include "tests/unit/offline/world.h"

#include "agents/offline/answers/answer.h"
#include "agents/offline/answers/describe.h"

static const struct {
    const char *question, *columns, *rows, *count, *truncated;
    const char *text, *chart;
} cases[] = {
    {"How many orders are there?", "[\"n\"]", "[[42]]", "1", "false", "There are 42 orders.",
     "metric"},
    {"How many members are there?", "[\"n\"]", "[[1]]", "1", "false", "There is 1 member client.",
     "metric"},
    {"What is the average price of products?", "[\"average_price\"]", "[[12.345]]", "1", "false",
     "The average price of products is 12.35.", "metric"},
    {"What percentage of orders are shipped?", "[\"percentage\"]", "[[37.5]]", "1", "false",
     "37.50% of orders have status shipped.", "metric"},
    {"What percentage of orders in 1950 are shipped?", "[\"percentage\"]", "[[null]]", "1", "false",
     "There is nothing to take a share of: there are no orders created in 1950.", "table"},
    {"How many orders in May 2023 vs June 2023?", "[\"a\",\"b\"]", "[[3,5]]", "1", "false",
     "The number of orders in May 2023 is 3; the number of orders in June 2023 is 5.", "table"},
    {"Percentage of shipped orders per client", "[\"name\",\"id\",\"percentage\"]",
     "[[\"Ada Stone\",1,50.0],[\"Ben Hill\",2,25.0]]", "2", "false",
     "Percentage of orders that have status shipped by client: Ada Stone 50, Ben Hill 25.", "bar"},
    {"Number of orders by status", "[\"status\",\"orders_count\"]",
     "[[\"shipped\",5],[\"open\",3]]", "2", "false",
     "Number of orders by status: shipped 5, open 3.", "pie"},
    {"Number of orders per month in 2023", "[\"period\",\"orders_count\"]",
     "[[\"2023-01\",3],[\"2023-02\",5],[\"2023-03\",1]]", "3", "false",
     "Number of orders by month: January 2023: 3, February 2023: 5, March 2023: 1.", "line"},
    {"Clients in Oslo", "[\"name\",\"id\",\"city\"]",
     "[[\"Ada Stone\",1,\"Oslo\"],[\"Ben Hill\",2,\"Oslo\"]]", "2", "false",
     "2 clients with city Oslo: Ada Stone, Ben Hill.", "table"},
    {"Clients in Oslo", "[\"name\",\"id\"]", "[]", "0", "false",
     "Nothing matches: there are no clients with city Oslo.", "table"},
    {"Clients in Oslo", "[\"name\",\"id\"]", "[[\"Ada Stone\",1],[\"Ben Hill\",2]]", "2", "true",
     "The first 2 clients with city Oslo: Ada Stone, Ben Hill. There are more than these.",
     "table"},
};

TEST(rows_become_a_sentence_and_a_chart)
{
    struct world w;
    world_init(&w);
    TEST_EACH(c, cases) {
        struct buf out;
        const struct offline_answer *answer = world_read(&w, str_of(c->question));
        const struct answer_rows rows = {str_of(c->columns), str_of(c->rows), str_of(c->count),
                                         str_of(c->truncated)};
        buf_init(&out, 1 << 16);
        EXPECT_TRUE(c->question, offline_answer_write(w.lexicon, &answer->reading, &rows, &out));
        EXPECT_STR(c->question, buf_str(&out), str_of(c->text));
        EXPECT_STR(c->question, str_of(offline_answer_chart(&answer->reading, &rows)),
                   str_of(c->chart));
        buf_fini(&out);
    }
    world_fini(&w);
}

TEST(rows_that_are_not_json_have_no_answer)
{
    static const char *const broken[] = {"", "[", "{}", "nonsense"};
    struct world w;
    world_init(&w);
    TEST_EACH(text, broken) {
        struct buf out;
        const struct answer_rows rows = {STR(""), str_of(*text), STR("1"), STR("false")};
        buf_init(&out, 1 << 16);
        EXPECT_TRUE(*text, !offline_answer_write(w.lexicon, NULL, &rows, &out));
        EXPECT_STR(*text, str_of(offline_answer_chart(NULL, &rows)), STR("table"));
        buf_fini(&out);
    }
    world_fini(&w);
}

TEST(intents_are_said_in_words)
{
    static const struct {
        const char *question, *intent;
    } intents[] = {
        {"How many orders are there?", "Count all orders"},
        {"Top 3 clients by number of orders",
         "Count all orders, grouped by client, ordered by number of orders descending, limited "
         "to 3"},
        {"Clients with no open orders", "Retrieve clients without orders with status open"},
        {"Average price of kitchen products",
         "Calculate average price of products with category kitchen"},
    };
    struct world w;
    world_init(&w);
    TEST_EACH(c, intents) {
        struct buf out;
        buf_init(&out, 1 << 12);
        offline_describe_intent(w.lexicon, &world_read(&w, str_of(c->question))->reading, &out);
        EXPECT_STR(c->question, buf_str(&out), str_of(c->intent));
        buf_fini(&out);
    }
    world_fini(&w);
}

/* Rows and a number of them side by side: what is ranked by is shown, too. */
TEST(a_number_of_rows_beside_a_column_is_said_in_words)
{
    struct world w;
    struct buf out;
    world_init(&w);
    struct offline_reading reading = world_read(&w, STR("How many orders are there?"))->reading;
    const int orders = reading.counted;
    reading.out_count = 2;
    reading.outs[0] = (struct reading_out){.agg = AGG_NONE, .on = {.table = orders, .column = 2}};
    reading.outs[1] =
        (struct reading_out){.agg = AGG_COUNT, .on = {.table = orders, .column = READING_NONE}};
    buf_init(&out, 1 << 12);
    offline_describe_intent(w.lexicon, &reading, &out);
    EXPECT_STR("both", buf_str(&out), STR("Retrieve order number, number of orders of orders"));
    buf_fini(&out);
    world_fini(&w);
}

RUN_TESTS(T(rows_become_a_sentence_and_a_chart), T(rows_that_are_not_json_have_no_answer),
          T(intents_are_said_in_words), T(a_number_of_rows_beside_a_column_is_said_in_words))
