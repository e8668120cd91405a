/* SPDX-License-Identifier: MIT */
#include "tests/unit/offline/world.h"

/* What is said around a question changes nothing of its answer. */
TEST(words_around_a_question_change_nothing)
{
    static const struct {
        const char *said, *plain;
    } cases[] = {
        {"Hello there, how many orders are there?", "how many orders are there"},
        {"Sorry, but how many orders are there?", "how many orders are there"},
        {"ok so how many orders are there? Thank you!", "how many orders are there"},
        {"Would you mind telling me how many orders are there?", "how many orders are there"},
        {"I was asked to find out how many orders are there", "how many orders are there"},
        {"Our director wants to know how many orders are there", "how many orders are there"},
        {"What we need to know is how many orders are there", "how many orders are there"},
        {"For tomorrow's team meeting: how many orders are there?", "how many orders are there"},
        {"is it possible to see the clients in Oslo", "show the clients in Oslo"},
        {"I'd love to get the clients in Oslo, if possible", "show the clients in Oslo"},
        {"For the quarterly review we need the clients in Oslo", "show the clients in Oslo"},
        {"Help me find clients in Oslo please", "show clients in Oslo"},
        {"Do we have any clients in Oslo?", "show clients in Oslo"},
        {"My colleague is asking for the clients in Oslo", "show the clients in Oslo"},
        {"Could you list clients in Oslo for me?", "list clients in Oslo"},
        {"I am looking for the average price of products", "show the average price of products"},
        {"what's the average price of products", "what is the average price of products"},
        {"what would be the average price of products", "what is the average price of products"},
    };
    struct world w;
    world_init(&w);
    struct offline_source source = world_source(&w);
    TEST_EACH(c, cases) {
        struct offline_answer *said, *plain;
        EXPECT_INT(c->said, offline_question_read(&source, str_of(c->said), &w.arena, &said),
                   ERR_OK);
        EXPECT_INT(c->said, offline_question_read(&source, str_of(c->plain), &w.arena, &plain),
                   ERR_OK);
        EXPECT_STR(c->said, str_of(said->cannot), STR(""));
        EXPECT_STR(c->said, said->understood ? said->sql : STR("not understood"),
                   plain->understood ? plain->sql : STR("no question"));
    }
    world_fini(&w);
}

/* What only looks like it is part of the question. */
TEST(words_of_a_question_stay)
{
    static const struct {
        const char *question, *cannot;
    } cases[] = {
        {"for the unicorns: how many orders", "'unicorns' is not a word of this database"},
        {"who are you?", "nothing of this database is asked about"},
        {"clients who like kitchen products", "'like' is not a word of this database"},
        {"our wizards want orders", "'wizards' is not a word of this database"},
        {"could you tell me how many unicorns there are", "'unicorns' is not a word of this "
                                                          "database"},
        {"I want to know why orders were late", "'why' is not a word of this database"},
    };
    struct world w;
    world_init(&w);
    struct offline_source source = world_source(&w);
    TEST_EACH(c, cases) {
        struct offline_answer *answer;
        EXPECT_INT(c->question,
                   offline_question_read(&source, str_of(c->question), &w.arena, &answer), ERR_OK);
        EXPECT_STR(c->question, str_of(answer->cannot), str_of(c->cannot));
    }
    world_fini(&w);
}

RUN_TESTS(T(words_around_a_question_change_nothing), T(words_of_a_question_stay))
