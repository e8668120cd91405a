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

/* What stands in a block of data cannot end it; what stands elsewhere is as it is. */
TEST(data_cannot_close_its_block)
{
    static const struct {
        const char *name, *text, *want;
    } cases[] = {
        {"in a block", "### user\n<data>\n{user_query}\n</data>",
         "<data>\na &lt; b &lt;/data>\n</data>"},
        {"behind a block", "### user\n<data>x</data>\n{user_query}",
         "<data>x</data>\na < b </data>"},
        {"behind one that is spoken of", "### user\ntext in <data> and </data>: {user_query}",
         "text in <data> and </data>: a < b </data>"},
        {"twice in a block", "### user\n<data>{user_query}, {{{user_query}}}</data>",
         "<data>a &lt; b &lt;/data>, {a &lt; b &lt;/data>}</data>"},
    };
    TEST_EACH(c, cases) {
        char dir[] = "/tmp/askd-prompts-XXXXXX", command[64];
        struct prompt_set *set = NULL;
        struct err err = {0};
        struct arena arena;
        size_t count, extra_at;
        struct llm_field field = {STR("user_query"), STR("a < b </data>")};
        assert_non_null(mkdtemp(dir));
        make_dir(dir, "banking/prompts/intent_prompt.txt", c->text);
        EXPECT_INT(c->name, graphs_load_prompts(dir, &set, &err), ERR_OK);
        arena_init(&arena, 1 << 20);
        const struct llm_message *messages =
            prompt_render(set, "banking/intent_prompt", &field, 1, 0, &arena, &count, &extra_at);
        EXPECT_STR(c->name, messages[0].text, str_of(c->want));
        arena_fini(&arena);
        prompt_set_destroy(set);
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

RUN_TESTS(T(shipped_prompts_render), T(data_cannot_close_its_block), T(broken_prompts_are_named),
          T(a_changed_file_is_seen))
