/* SPDX-License-Identifier: MIT */
/* Conversations in memory: order, ownership, bounds. */
#include "tests/lib/test.h"

#include <stdio.h>

#include "agents/memory/history.h"

static const struct identity alice = {{"c1", 2}, {"acme", 4}, {"alice", 5}};
static const struct identity bob = {{"c1", 2}, {"acme", 4}, {"bob", 3}};
static const struct identity other_company = {{"c1", 2}, {"globex", 6}, {"alice", 5}};

TEST(keeps_order_and_count)
{
    struct history *history = history_create(1 << 20);
    struct history_message messages[8];
    for (int i = 0; i < 5; i++) {
        char text[16];
        snprintf(text, sizeof text, "m%d", i);
        EXPECT_INT(
            "append",
            history_append(history, &alice, i % 2 ? LLM_ASSISTANT : LLM_USER, str_of(text), i == 4),
            ERR_OK);
    }
    EXPECT_INT("count", history_count(history, &alice), 5);
    EXPECT_INT("last 3", history_last(history, &alice, messages, 3), 3);
    EXPECT_STR("first of them", messages[0].text, STR("m2"));
    EXPECT_STR("last of them", messages[2].text, STR("m4"));
    EXPECT_TRUE("partial", messages[2].partial && !messages[0].partial);
    EXPECT_INT("all", history_last(history, &alice, messages, 8), 5);
    history_destroy(history);
}

TEST(belongs_to_its_beginner)
{
    struct history *history = history_create(1 << 20);
    struct history_message messages[2];
    EXPECT_INT("append", history_append(history, &alice, LLM_USER, STR("secret"), false), ERR_OK);
    EXPECT_INT("no read", history_last(history, &bob, messages, 2), 0);
    EXPECT_INT("no forget", history_forget(history, &bob), false);
    EXPECT_INT("his own", history_append(history, &bob, LLM_USER, STR("x"), false), ERR_OK);
    EXPECT_INT("another company's",
               history_append(history, &other_company, LLM_USER, STR("y"), false), ERR_OK);
    EXPECT_INT("one", history_last(history, &alice, messages, 2), 1);
    EXPECT_STR("hers", messages[0].text, STR("secret"));
    EXPECT_INT("one", history_last(history, &bob, messages, 2), 1);
    EXPECT_STR("his", messages[0].text, STR("x"));
    EXPECT_INT("forget", history_forget(history, &alice), true);
    EXPECT_INT("gone", history_count(history, &alice), 0);
    EXPECT_INT("his stays", history_count(history, &bob), 1);
    history_destroy(history);
}

TEST(forgets_the_stalest)
{
    struct history *history = history_create(4096);
    char id[16], text[512];
    memset(text, 'x', sizeof text);
    for (int i = 0; i < 20; i++) {
        snprintf(id, sizeof id, "c%d", i);
        struct identity key = {str_of(id), STR("acme"), STR("u")};
        EXPECT_INT("append",
                   history_append(history, &key, LLM_USER, str_make(text, sizeof text), false),
                   ERR_OK);
        EXPECT_INT("the newest stays", history_count(history, &key), 1);
    }
    struct identity first = {STR("c0"), STR("acme"), STR("u")};
    EXPECT_INT("the oldest went", history_count(history, &first), 0);
    for (int i = 0; i < 50; i++)
        EXPECT_INT("one long conversation",
                   history_append(history, &first, LLM_USER, str_make(text, sizeof text), false),
                   ERR_OK);
    EXPECT_TRUE("is cut at its old end", history_count(history, &first) < 8);
    history_destroy(history);
}

TEST(survives_failing_memory)
{
    for (uint64_t n = 1;; n++) {
        struct history *history = history_create(1 << 20);
        mem_fail_nth(n);
        enum err_code code = history_append(history, &alice, LLM_USER, STR("hello"), false);
        mem_fail_nth(0);
        EXPECT_INT("all or nothing", history_count(history, &alice), code == ERR_OK ? 1 : 0);
        history_destroy(history);
        if (code == ERR_OK) {
            EXPECT_TRUE("it did fail before", n > 2);
            return;
        }
    }
}

RUN_TESTS(T(keeps_order_and_count), T(belongs_to_its_beginner), T(forgets_the_stalest),
          T(survives_failing_memory))
