/* SPDX-License-Identifier: MIT */
/* server/cmd_options: both spellings, switches, repeated values, words, and what is refused. */
#include "server/cli/cmd_options.h"

#include <stdio.h>

#include "tests/lib/test.h"

enum { MAX_WORDS = 6 };

struct got {
    const char *db, *graphs[2], *words[2];
    size_t graph_count, word_count;
    bool jsonl;
};

static bool read_words(struct got *got, const char *const *words)
{
    const struct cmd_option options[] = {
        {.name = "--db", .values = &got->db},
        {.name = "--graph", .values = got->graphs, .count = &got->graph_count, .most = 2},
        {.name = "--jsonl", .given = &got->jsonl},
        {.values = got->words, .count = &got->word_count, .most = 2},
    };
    char copies[MAX_WORDS][32], *argv[MAX_WORDS];
    int argc = 0;
    *got = (struct got){0};
    for (; argc < MAX_WORDS && words[argc] != NULL; argc++) {
        snprintf(copies[argc], sizeof copies[argc], "%s", words[argc]);
        argv[argc] = copies[argc];
    }
    bool fine = cmd_options_read(argc, argv, options, countof(options), "askd test");
    /* borrowed from the copies, which go */
    got->db = got->db == NULL ? NULL : strcmp(got->db, "D") == 0 ? "D" : "other";
    return fine;
}

TEST(reads_what_it_knows)
{
    static const struct {
        const char *words[MAX_WORDS], *db;
        size_t graphs, plain;
        bool jsonl;
    } table[] = {
        {{NULL}, NULL, 0, 0, false},
        {{"--db", "D"}, "D", 0, 0, false},
        {{"--db=D"}, "D", 0, 0, false},
        {{"--db", "E", "--db=D"}, "D", 0, 0, false},
        {{"--db="}, "other", 0, 0, false},
        {{"--db", "--jsonl"}, "other", 0, 0, false},
        {{"--graph", "a", "x", "--graph=b=c", "y"}, NULL, 2, 2, false},
        {{"x", "--jsonl", "--db=D"}, "D", 0, 1, true},
        {{"-", "a=b"}, NULL, 0, 2, false},
    };
    for (size_t i = 0; i < countof(table); i++) {
        struct got got;
        const char *name = table[i].words[0] == NULL ? "nothing" : table[i].words[0];
        EXPECT_TRUE(name, read_words(&got, table[i].words));
        EXPECT_TRUE(name, (got.db == NULL) == (table[i].db == NULL));
        EXPECT_TRUE(name, got.db == NULL || strcmp(got.db, table[i].db) == 0);
        EXPECT_INT(name, got.graph_count, table[i].graphs);
        EXPECT_INT(name, got.word_count, table[i].plain);
        EXPECT_INT(name, got.jsonl, table[i].jsonl);
    }
}

TEST(refuses_the_rest)
{
    static const char *const table[][MAX_WORDS] = {
        {"--dbx", "D"},   {"--d", "D"},  {"-j"},          {"--db"},
        {"x", "--graph"}, {"--jsonl=1"}, {"x", "y", "z"}, {"--graph=a", "--graph=b", "--graph=c"},
    };
    for (size_t i = 0; i < countof(table); i++) {
        struct got got;
        EXPECT_TRUE(table[i][0], !read_words(&got, table[i]));
    }
}

RUN_TESTS(T(reads_what_it_knows), T(refuses_the_rest))
