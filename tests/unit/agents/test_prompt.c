/* SPDX-License-Identifier: MIT */
/* Prompt files: those shipped load and render; broken ones are refused with file and reason. */
#include "tests/lib/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agents/graphs.h"

TEST(shipped_prompts_render)
{
    struct prompt_set *set = NULL;
    struct err err = {0};
    struct arena arena;
    size_t count, extra_at;
    arena_init(&arena, 1 << 20);
    if (graphs_load_prompts(ASKD_PROMPTS, &set, &err) != ERR_OK)
        fail_msg("%s", err.text);
    struct llm_field fields[] = {{STR("user_query"), STR("How many {customers}?")}};
    struct llm_message *messages =
        prompt_render(set, "banking/intent_prompt", fields, 1, 2, &arena, &count, &extra_at);
    assert_non_null(messages);
    EXPECT_INT("system, two extra, user", count, 4);
    EXPECT_INT("extra goes before the question", extra_at, 1);
    EXPECT_INT("system first", messages[0].role, LLM_SYSTEM);
    EXPECT_STR("the question, braces and all", messages[3].text, STR("How many {customers}?"));
    EXPECT_TRUE("not changed", !prompt_set_changed(set));
    arena_fini(&arena);
    prompt_set_destroy(set);
}

/* Copy the shipped prompts into dir with one file replaced. */
static void make_dir(char *dir, const char *file, const char *text)
{
    char command[4096];
    snprintf(command, sizeof command,
             "cd %s && for p in */prompts; do mkdir -p %s/$p && cp $p/*.txt %s/$p/; done",
             ASKD_PROMPTS, dir, dir);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "%s/%s", dir, file);
    FILE *out = fopen(command, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

TEST(broken_prompts_are_named)
{
    static const struct {
        const char *name, *text, *want;
    } cases[] = {
        {"unknown field", "### user\n{nonsense}", "not a field"},
        {"lone brace", "### user\na { b", "brace"},
        {"no section", "hello", "before the first"},
        {"empty", "", "no '### user'"},
        {"not UTF-8", "### user\n\xff", "UTF-8"},
    };
    TEST_EACH(c, cases) {
        char dir[] = "/tmp/askd-prompts-XXXXXX", command[64];
        struct prompt_set *set = NULL;
        struct err err = {0};
        assert_non_null(mkdtemp(dir));
        make_dir(dir, "banking/prompts/intent_prompt.txt", c->text);
        EXPECT_INT(c->name, graphs_load_prompts(dir, &set, &err), ERR_INVALID);
        EXPECT_TRUE(c->name, strstr(err.text, c->want) != NULL);
        EXPECT_TRUE(c->name, strstr(err.text, "intent_prompt.txt") != NULL);
        snprintf(command, sizeof command, "rm -r %s", dir);
        assert_int_equal(system(command), 0);
    }
}

TEST(a_changed_file_is_seen)
{
    char dir[] = "/tmp/askd-prompts-XXXXXX", path[128], command[64];
    struct prompt_set *set = NULL;
    struct err err = {0};
    assert_non_null(mkdtemp(dir));
    make_dir(dir, "banking/prompts/intent_prompt.txt", "### user\n{user_query} {{x}}");
    assert_int_equal(graphs_load_prompts(dir, &set, &err), ERR_OK);
    EXPECT_TRUE("as loaded", !prompt_set_changed(set));
    snprintf(path, sizeof path, "%s/banking/prompts/intent_prompt.txt", dir);
    FILE *out = fopen(path, "a");
    assert_non_null(out);
    fputs("more", out);
    fclose(out);
    EXPECT_TRUE("grown", prompt_set_changed(set));
    unlink(path);
    EXPECT_TRUE("gone", prompt_set_changed(set));
    prompt_set_destroy(set);
    snprintf(command, sizeof command, "rm -r %s", dir);
    assert_int_equal(system(command), 0);
}

RUN_TESTS(T(shipped_prompts_render), T(broken_prompts_are_named), T(a_changed_file_is_seen))
