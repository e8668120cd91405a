/* SPDX-License-Identifier: MIT */
/* What a record holds comes back as it was; cut or changed anywhere it is nothing, or other words.
 */
#include "server/records/run_input.h"

#include <string.h>

#include "tests/lib/test.h"

enum { ARENA_BYTES = 1 << 16 };

static const struct history_message said[] = {{.role = LLM_SYSTEM, .text = {"Be brief.", 9}},
                                              {.role = LLM_USER, .text = {"who?", 4}},
                                              {.role = LLM_ASSISTANT, .text = {"", 0}},
                                              {.role = LLM_ASSISTANT, .text = {"a\0b", 3}}};

TEST(it_comes_back)
{
    for (size_t count = 0; count <= countof(said); count++)
        for (unsigned adds = 0; adds < 2; adds++) {
            struct arena arena;
            arena_init(&arena, ARENA_BYTES);
            const struct session session = {
                .message = STR("hello"), .said = said, .said_count = count, .said_adds = adds};
            struct session read = {.message = STR("untouched")};
            struct str input = run_input_write(&session, &arena);
            EXPECT_STR("the message", run_input_message(input), STR("hello"));
            EXPECT_INT("alone", str_equal(input, STR("hello")), count == 0);
            run_input_read(input, &read, &arena);
            EXPECT_INT("how many", read.said_count, count);
            EXPECT_INT("adds", read.said_adds, adds && count > 0);
            for (size_t i = 0; i < read.said_count; i++) {
                EXPECT_INT("who", read.said[i].role, said[i].role);
                EXPECT_STR("what", read.said[i].text, said[i].text);
            }
            arena_fini(&arena);
        }
}

TEST(tools_of_the_client_and_their_choice_come_back)
{
    struct arena arena;
    arena_init(&arena, ARENA_BYTES);
    const struct session session = {.message = STR("hello"),
                                    .said = said,
                                    .said_count = 1,
                                    .client_tools = STR("[{}]"),
                                    .client_choice = STR("{\"one\":true}"),
                                    .metadata = STR("{\"ticket\":7}")};
    struct str input = run_input_write(&session, &arena);
    for (size_t len = 5; len <= input.len; len++) {
        struct session read = {.message = STR("untouched")};
        run_input_read(str_slice(input, 0, len), &read, &arena);
        EXPECT_TRUE("tools, or none", str_equal(read.client_tools, session.client_tools) ||
                                          str_is_absent(read.client_tools));
        EXPECT_TRUE("choice, or none", str_equal(read.client_choice, session.client_choice) ||
                                           str_is_absent(read.client_choice));
        EXPECT_TRUE("metadata, or none",
                    str_equal(read.metadata, session.metadata) || str_is_absent(read.metadata));
        struct str kept = run_input_metadata(str_slice(input, 0, len));
        EXPECT_TRUE("so by itself", kept.len == 0 || str_equal(kept, session.metadata));
        EXPECT_TRUE("all", len < input.len || (read.client_choice.len > 0 && kept.len > 0 &&
                                               read.metadata.len > 0 && read.said_count == 1));
    }
    struct session other = {.client_tools = STR("[]")};
    run_input_read(input, &other, &arena);
    EXPECT_STR("who asks now has others", other.client_tools, STR("[]"));
    arena_fini(&arena);
}

TEST(a_role_is_of_who_asks_now)
{
    struct arena arena;
    arena_init(&arena, ARENA_BYTES);
    const struct session session = {.message = STR("hello"), .caller = {.role = STR("admin")}};
    struct str input = run_input_write(&session, &arena);
    struct session nobody = {0}, none = {.caller = {.role = STR("")}},
                   other = {.caller = {.role = STR("clerk")}};
    run_input_read(input, &nobody, &arena);
    EXPECT_STR("nobody asks: as it was", nobody.caller.role, STR("admin"));
    run_input_read(input, &none, &arena);
    EXPECT_TRUE("who has none now gets none",
                none.caller.role.len == 0 && !str_is_absent(none.caller.role));
    run_input_read(input, &other, &arena);
    EXPECT_STR("another one", other.caller.role, STR("clerk"));
    struct session damaged = {.caller = {.role = STR("clerk")}};
    run_input_read(str_slice(input, 0, 9), &damaged, &arena);
    EXPECT_STR("damaged: one that nobody has", damaged.caller.role, STR("?"));
    arena_fini(&arena);
}

TEST(a_run_keeps_the_hash_of_its_graphs_file)
{
    struct arena arena;
    arena_init(&arena, ARENA_BYTES);
    for (unsigned count = 0; count < 2; count++) {
        const struct session session = {.message = STR("hello"),
                                        .said = said,
                                        .said_count = count,
                                        .definition = UINT64_C(0x8123456789abcdef)};
        struct session read = {0};
        struct str input = run_input_write(&session, &arena);
        EXPECT_TRUE("hash", run_input_definition(input) == session.definition);
        EXPECT_STR("the message", run_input_message(input), STR("hello"));
        run_input_read(input, &read, &arena);
        EXPECT_TRUE("read", read.definition == session.definition);
        EXPECT_INT("said", read.said_count, count);
        for (size_t len = 6; len < 15; len++)
            EXPECT_TRUE("damaged: of no file",
                        run_input_definition(str_slice(input, 0, len)) != session.definition);
    }
    EXPECT_TRUE("none", run_input_definition(STR("hello")) == 0);
    arena_fini(&arena);
}

TEST(damaged_anywhere)
{
    struct arena arena;
    arena_init(&arena, ARENA_BYTES);
    const struct session session = {
        .message = STR("hello"), .said = said, .said_count = countof(said)};
    struct str input = run_input_write(&session, &arena);
    for (size_t len = 0; len < input.len; len++) {
        struct session read = {0};
        char *exactly = mem_alloc(size_max(len, 1)); /* so that a byte too far is seen */
        memcpy(exactly, input.at, len);
        run_input_read(str_make(exactly, len), &read, &arena);
        EXPECT_TRUE("fewer", read.said_count < countof(said));
        for (unsigned bit = 0; bit < 8 && len > 5; bit++) {
            struct session other = {0};
            exactly[len - 1] ^= (char)(1 << bit);
            run_input_read(str_make(exactly, len), &other, &arena);
            exactly[len - 1] ^= (char)(1 << bit);
        }
        mem_free(exactly);
    }
    arena_fini(&arena);
}

TEST(no_memory)
{
    struct arena arena;
    const struct session session = {
        .message = STR("hello"), .said = said, .said_count = countof(said)};
    struct session read = {0};
    arena_init(&arena, ARENA_BYTES);
    struct str input = run_input_write(&session, &arena);
    for (uint64_t n = 1; n < 3; n++) {
        struct arena spent;
        arena_init(&spent, ARENA_BYTES);
        mem_fail_nth(n);
        EXPECT_TRUE("none", str_is_absent(run_input_write(&session, &spent)));
        mem_fail_nth(0);
        arena_fini(&spent);
    }
    struct arena spent;
    arena_init(&spent, 0);
    run_input_read(input, &read, &spent);
    EXPECT_INT("nothing", read.said_count, 0);
    arena_fini(&spent);
    arena_fini(&arena);
}

RUN_TESTS(T(it_comes_back), T(a_role_is_of_who_asks_now),
          T(tools_of_the_client_and_their_choice_come_back),
          T(a_run_keeps_the_hash_of_its_graphs_file), T(damaged_anywhere), T(no_memory))
