/* SPDX-License-Identifier: MIT */
/* The file of pairs, the words of a text, and which pairs resemble a question. */
#include "tests/lib/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "agents/common/content.h"
#include "agents/gather/pairs.h"

static void write_file(char *path, const char *text)
{
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

static enum err_code load(const char *text, struct gather_pairs **out, struct err *err)
{
    char path[] = "/tmp/askd-pairs-XXXXXX";
    write_file(path, text);
    enum err_code code = gather_pairs_load(path, out, err);
    unlink(path);
    return code;
}

TEST(finds_the_most_alike)
{
    static const char file[] = "{\"question\":\"How many customers are there?\",\"sql\":\"A\"}\n"
                               "\n"
                               "{\"question\":\"Hours of each technician\",\"sql\":\"B\"}\r\n"
                               "{\"question\":\"Hours by customer and month\",\"sql\":\"C\"}\n"
                               "{\"question\":\"Customers of Lyon\",\"sql\":\"D\"}";
    static const struct {
        const char *question, *want;
    } cases[] = {
        {"How many customers do we have?", "ADC"}, /* the shortest that shares the word first */
        {"working hours per technicians", "BC"},
        {"Which customers are in Lyon?", "DAC"},
        {"the weather", ""},
        {"", ""},
    };
    struct gather_pairs *pairs;
    struct err err = {0};
    assert_int_equal(load(file, &pairs, &err), ERR_OK);
    EXPECT_INT("pairs", gather_pairs_count(pairs), 4);
    TEST_EACH(c, cases) {
        const struct gather_pair *found[3];
        char got[8] = "";
        struct arena arena;
        arena_init(&arena, 1 << 20);
        size_t count = gather_pairs_find(pairs, str_of(c->question), &arena, found, 3);
        for (size_t i = 0; i < count; i++)
            got[i] = found[i]->sql.at[0];
        EXPECT_STR(c->question, str_of(got), str_of(c->want));
        arena_fini(&arena);
    }
    gather_pairs_destroy(pairs);
}

TEST(says_what_is_wrong)
{
    static const struct {
        const char *name, *text, *want;
    } cases[] = {
        {"no JSON", "{\"question\":\"a\",\"sql\":\"b\"}\nnonsense", "line 2"},
        {"no sql", "{\"question\":\"a\"}", "line 1: expected {\"question\":\"...\",\"sql\":"},
        {"no object", "[1]", "line 1"},
    };
    TEST_EACH(c, cases) {
        struct gather_pairs *pairs;
        struct err err = {0};
        EXPECT_INT(c->name, load(c->text, &pairs, &err), ERR_INVALID);
        if (strstr(err.text, c->want) == NULL)
            fail_msg("%s: %s", c->name, err.text);
    }
    struct gather_pairs *pairs;
    struct err err = {0};
    assert_int_equal(gather_pairs_load("/nowhere/pairs", &pairs, &err), ERR_NOT_FOUND);
}

TEST(every_allocation_may_fail)
{
    static const char file[] = "{\"question\":\"How many customers?\",\"sql\":\"A\"}\n";
    enum err_code code = ERR_NO_MEMORY;
    for (size_t n = 1; code != ERR_OK; n++) {
        struct gather_pairs *pairs;
        struct err err = {0};
        mem_fail_nth(n);
        code = load(file, &pairs, &err);
        mem_fail_nth(0);
        if (code == ERR_OK)
            gather_pairs_destroy(pairs);
        assert_true(n < 1000);
    }
}

TEST(words_that_carry_content)
{
    struct arena arena;
    struct str words[CONTENT_MAX_WORDS];
    arena_init(&arena, 1 << 16);
    size_t count = content_words(&arena, STR("Show me all workOrders and the work of crews"), words,
                                 CONTENT_MAX_WORDS);
    EXPECT_INT("work, order, crew", count, 3);
    EXPECT_INT("found", content_find(words, count, STR("crew")), 2);
    EXPECT_INT("not found", content_find(words, count, STR("show")), -1);
    EXPECT_INT("bounded", content_words(&arena, STR("one two three"), words, 2), 2);
    arena_fini(&arena);
}

RUN_TESTS(T(finds_the_most_alike), T(says_what_is_wrong), T(every_allocation_may_fail),
          T(words_that_carry_content))
