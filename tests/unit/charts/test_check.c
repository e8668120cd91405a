/* SPDX-License-Identifier: MIT */
/* configs.json, which tests/node/charts.test.mjs shows to Chart.js itself; sizes; no memory. */
#include "tests/unit/charts/charts_rig.h"

#include <stdio.h>

#include "core/base/file.h"

static struct str read_configs(struct arena *arena)
{
    struct buf text;
    struct err err = {0};
    buf_init(&text, 1 << 20);
    if (file_read(CONFIGS_FILE, &text, &err) != ERR_OK)
        fail_msg("%s", err.text);
    struct str copy = arena_str(arena, buf_str(&text));
    buf_fini(&text);
    return copy;
}

TEST(what_chartjs_draws)
{
    struct arena arena;
    struct err err = {0};
    size_t refused = 0;
    arena_init(&arena, RIG_BYTES);
    const struct json_value *all = json_value_parse(&arena, read_configs(&arena), NULL, &err);
    if (all == NULL)
        fail_msg("%s", err.text);
    JSON_EACH(one, all) {
        char name[128];
        const struct json_value *error = json_value_member(one, STR("error"));
        snprintf(name, sizeof name, "%.*s", STR_ARG(json_value_member(one, STR("name"))->text));
        err = (struct err){0};
        enum err_code code = charts_check_config(json_value_member(one, STR("config")), &err);
        EXPECT_INT(name, code, error == NULL ? ERR_OK : ERR_INVALID);
        EXPECT_STR(name, str_of(err.text), error == NULL ? STR("") : error->text);
        refused += error != NULL;
    }
    assert_true(refused > 30);
    arena_fini(&arena);
}

/* count labels and values of a line over years. */
static struct str make_line(size_t labels, size_t datasets, struct buf *out)
{
    buf_push(out, STR("{\"type\":\"line\",\"data\":{\"labels\":["));
    for (size_t i = 0; i < labels; i++)
        buf_printf(out, "%s%zu", i > 0 ? "," : "", i);
    buf_push(out, STR("],\"datasets\":["));
    for (size_t set = 0; set < datasets; set++) {
        buf_push(out, set > 0 ? STR(",{\"data\":[") : STR("{\"data\":["));
        for (size_t i = 0; i < labels; i++)
            buf_printf(out, "%s%zu", i > 0 ? "," : "", i);
        buf_push(out, STR("]}"));
    }
    buf_push(out, STR("]}}"));
    return buf_str(out);
}

TEST(sizes)
{
    static const struct {
        const char *name;
        size_t labels, datasets;
        const char *error;
    } cases[] = {
        {"1,000 points", 1000, 1, ""},
        {"1,001 labels", 1001, 1, "/data/labels: expected at most 1000, got 1001"},
        {"1,000 points in two", 500, 2, ""},
        {"1,002 points in two", 501, 2,
         "/data/datasets/1/data: expected at most 1000 points in all"},
        {"24 series", 2, 24, ""},
        {"25 series", 2, 25, "/data/datasets: expected 1 to 24, got 25"},
    };
    TEST_EACH(c, cases) {
        struct arena arena;
        struct err err = {0};
        struct buf text;
        arena_init(&arena, RIG_BYTES);
        buf_init(&text, 1 << 20);
        (void)!charts_check_text(make_line(c->labels, c->datasets, &text), &arena, &err);
        EXPECT_STR(c->name, str_of(err.text), str_of(c->error));
        buf_fini(&text);
        arena_fini(&arena);
    }
}

TEST(texts_that_are_no_configuration)
{
    static const struct {
        const char *name, *text;
        enum err_code code;
    } cases[] = {
        {"nothing", "", ERR_INVALID},
        {"half", "{\"type\":\"bar\"", ERR_INVALID},
        {"twice", "{\"type\":\"bar\",\"type\":\"pie\"}", ERR_INVALID},
        {"infinite",
         "{\"type\":\"bar\",\"data\":{\"labels\":[\"a\"],\"datasets\":[{\"data\":[1e999]}]}}",
         ERR_INVALID},
        {"not a number",
         "{\"type\":\"bar\",\"data\":{\"labels\":[\"a\"],\"datasets\":[{\"data\":[NaN]}]}}",
         ERR_INVALID},
    };
    struct arena arena;
    struct err err;
    arena_init(&arena, RIG_BYTES);
    TEST_EACH(c, cases)
        EXPECT_INT(c->name, charts_check_text(str_of(c->text), &arena, &err), c->code);
    char *large = arena_alloc(&arena, CHARTS_CHECK_BYTES + 1);
    assert_non_null(large);
    memset(large, ' ', CHARTS_CHECK_BYTES + 1);
    EXPECT_INT("too large",
               charts_check_text(str_make(large, CHARTS_CHECK_BYTES + 1), &arena, &err),
               ERR_TOO_LARGE);
    arena_fini(&arena);
}

TEST(without_memory)
{
    struct buf text;
    enum err_code code = ERR_NO_MEMORY;
    buf_init(&text, 1 << 20);
    struct str config = make_line(500, 2, &text);
    for (uint64_t nth = 1; code != ERR_OK; nth++) {
        struct arena arena;
        struct err err = {0};
        arena_init(&arena, RIG_BYTES);
        mem_fail_nth(nth);
        code = charts_check_text(config, &arena, &err);
        mem_fail_nth(0);
        EXPECT_TRUE("memory and nothing else", code == ERR_OK || code == ERR_NO_MEMORY);
        arena_fini(&arena);
        assert_true(nth < 100);
    }
    buf_fini(&text);
}

RUN_TESTS(T(what_chartjs_draws), T(sizes), T(texts_that_are_no_configuration), T(without_memory))
