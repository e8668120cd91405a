/* SPDX-License-Identifier: MIT */
#include "tests/unit/offline/world.h"

#include "agents/offline/answers/clarify.h"

#define BY_TOTAL "The 10 clients with the highest total of orders"
#define BY_COUNT "The 10 clients with the highest number of orders"

static const struct {
    const char *question;
    const char *options[OFFLINE_OPTIONS]; /* none: refused without any */
} open_questions[] = {
    {"List names", {"The name of clients", "The name of products"}},
    {"Top 3 authors",
     {"The 3 authors with the highest number of books",
      "The 3 authors with the highest number of book authors"}},
    {"Top 3 clients", {0}}, /* there is one way to rank them, and nobody said it */
    {"Show our big clients", {BY_TOTAL, BY_COUNT}},
    {"Which clients are important?", {BY_TOTAL, BY_COUNT}},
    {"The worst products",
     {"The 10 products with the lowest price",
      "The 10 products with the lowest total quantity of order items",
      "The 10 products with the lowest number of order items"}},
    {"Top clients", {BY_TOTAL, BY_COUNT}},
    {"Recent clients", {0}},
    {"How many wizards are there?", {0}},
    {"Delete all names", {0}},
    {"How many orders are there?", {0}},
};

TEST(what_is_open_is_asked_back)
{
    struct world w;
    world_init(&w);
    TEST_EACH(q, open_questions) {
        const struct offline_answer *answer = world_read(&w, str_of(q->question));
        size_t wanted = 0;
        for (; wanted < OFFLINE_OPTIONS && q->options[wanted] != NULL; wanted++)
            if (wanted < answer->option_count)
                EXPECT_STR(q->question, answer->option_texts[wanted], str_of(q->options[wanted]));
        EXPECT_INT(q->question, answer->option_count, wanted);
        EXPECT_TRUE(q->question, wanted == 0 || !answer->understood);
    }
    world_fini(&w);
}

static const struct {
    const char *asked, *message, *sql; /* NULL: not understood */
} choices[] = {
    {"List names", "2", "SELECT name, id FROM products"},
    {"List names", "1.", "SELECT name, id FROM clients"},
    {"List names", "the first", "SELECT name, id FROM clients"},
    {"List names", "The second one, please", NULL},
    {"List names", "Option 2", "SELECT name, id FROM products"},
    {"List names", "the last one", "SELECT name, id FROM products"},
    {"List names", "the name of products", "SELECT name, id FROM products"},
    {"List names", "products", "SELECT name, id FROM products"},
    {"List names", "the names of clients", "SELECT name, id FROM clients"},
    {"List names", "3", NULL},
    {"List names", "0", NULL},
    {"List names", "both 1 and 2", NULL},
    {"List names", "name", NULL}, /* both have it */
    {"List names", "How many orders are there?", "SELECT COUNT(*) AS orders_count FROM orders"},
    {"How many orders are there?", "2", NULL}, /* nothing was asked back */
    {"List names\n2", "How many of them?", "SELECT COUNT(*) AS products_count FROM products"},
    {"List names\nHow many orders are there?", "2", NULL}, /* too late */
};

TEST(a_message_chooses)
{
    struct world w;
    world_init(&w);
    TEST_EACH(c, choices) {
        const struct offline_answer *answer =
            world_read_after(&w, str_of(c->asked), str_of(c->message));
        EXPECT_STR(c->message, answer->understood ? answer->sql : STR("refused"),
                   c->sql == NULL ? STR("refused") : str_of(c->sql));
    }
    world_fini(&w);
}

TEST(no_memory_at_any_allocation)
{
    static const char *const texts[] = {"List names", "Top 3 authors", "Show our big clients"};
    struct world w;
    world_init(&w);
    TEST_EACH(text, texts) {
        bool passed = false;
        for (uint64_t n = 1; !passed && n < 500; n++) {
            mem_fail_nth(n);
            const struct offline_answer *answer = world_read(&w, str_of(*text));
            mem_fail_nth(0);
            passed = answer != NULL && answer->option_count == 2;
        }
        EXPECT_TRUE(*text, passed);
    }
    world_fini(&w);
}

/* Two references to one table. */
static const struct world_table crossed[] = {
    {"person", {{"id", CATALOG_INTEGER}, {"name", CATALOG_TEXT}}},
    {"visit",
     {{"id", CATALOG_INTEGER},
      {"guideId", CATALOG_INTEGER, .to = "person"},
      {"hostId", CATALOG_INTEGER, .to = "person"},
      {"minutes", CATALOG_INTEGER}}},
};

TEST(tables_that_join_in_two_ways)
{
    static const struct {
        const char *asked, *message, *sql; /* what must be in it; NULL: asked back */
    } turns[] = {
        {"", "How many visits does each person have?", NULL},
        {"How many visits does each person have?", "1", "guideId"},
        {"How many visits does each person have?", "2", "hostId"},
        {"How many visits does each person have?", "the host", "hostId"},
        {"", "How many visits does each host have?", "hostId"},
    };
    struct world w;
    world_init_of(&w, crossed, countof(crossed));
    TEST_EACH(c, turns) {
        const struct offline_answer *answer =
            world_read_after(&w, str_of(c->asked), str_of(c->message));
        EXPECT_INT(c->message, answer->understood, c->sql != NULL);
        EXPECT_INT(c->message, answer->option_count, c->asked[0] == '\0' && c->sql == NULL ? 2 : 0);
        EXPECT_TRUE(c->message, c->sql == NULL || str_find(answer->sql, str_of(c->sql)) >= 0);
        for (size_t i = 0; i < answer->option_count; i++)
            EXPECT_TRUE("the way is said",
                        str_find(answer->option_texts[i], STR(" of the visit")) > 0);
    }
    world_fini(&w);
}

RUN_TESTS(T(tables_that_join_in_two_ways), T(what_is_open_is_asked_back), T(a_message_chooses),
          T(no_memory_at_any_allocation))
