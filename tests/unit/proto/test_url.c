/* SPDX-License-Identifier: MIT */
/* Paths, escapes and parameters as tables. */
#include "tests/lib/test.h"

#include "proto/url.h"

TEST(paths)
{
    static const struct {
        const char *path;
        size_t count;
        const char *segments[4];
    } cases[] = {
        {"/", 1, {""}},
        {"/a", 1, {"a"}},
        {"/a/", 2, {"a", ""}},
        {"/a//b", 3, {"a", "", "b"}},
        {"/a%2Fb/c", 2, {"a%2Fb", "c"}},
    };
    struct str segments[3];
    size_t count;
    TEST_EACH(c, cases) {
        EXPECT_INT(c->path, url_split_path(str_of(c->path), segments, 3, &count), ERR_OK);
        EXPECT_INT(c->path, count, c->count);
        for (size_t i = 0; i < count; i++)
            EXPECT_STR(c->path, segments[i], str_of(c->segments[i]));
    }
    EXPECT_INT("too many", url_split_path(STR("/a/b/c/d"), segments, 3, &count), ERR_TOO_LARGE);
    EXPECT_INT("relative", url_split_path(STR("a"), segments, 3, &count), ERR_INVALID);
    EXPECT_INT("empty", url_split_path(STR(""), segments, 3, &count), ERR_INVALID);
}

static const struct {
    const char *name;
    struct str text;
    enum err_code want;
    struct str path, form;
} decodings[] = {
    {"plain", STR("abc"), ERR_OK, STR("abc"), STR("abc")},
    {"empty", STR(""), ERR_OK, STR(""), STR("")},
    {"escapes", STR("%41%2f%2Fz"), ERR_OK, STR("A//z"), STR("A//z")},
    {"plus", STR("a+b%2B"), ERR_OK, STR("a+b+"), STR("a b+")},
    {"utf-8", STR("%C3%A9"), ERR_OK, STR("\xC3\xA9"), STR("\xC3\xA9")},
    {"cut", STR("a%4"), ERR_INVALID, {0}, {0}},
    {"cut more", STR("a%"), ERR_INVALID, {0}, {0}},
    {"no hex", STR("%zz"), ERR_INVALID, {0}, {0}},
    {"half hex", STR("%4g"), ERR_INVALID, {0}, {0}},
    {"NUL", STR("a%00"), ERR_INVALID, {0}, {0}},
    {"raw NUL", STR("a\0"), ERR_INVALID, {0}, {0}},
    {"not utf-8", STR("%C3"), ERR_INVALID, {0}, {0}},
    {"overlong slash", STR("%C0%AF"), ERR_INVALID, {0}, {0}},
};

TEST(decoding)
{
    struct arena arena;
    struct err err;
    arena_init(&arena, 1 << 16);
    TEST_EACH(c, decodings) {
        struct str path = {NULL, 0}, form = {NULL, 0};
        EXPECT_INT(c->name, url_decode(&arena, c->text, &path, &err), c->want);
        EXPECT_INT(c->name, url_decode_form(&arena, c->text, &form, &err), c->want);
        EXPECT_STR(c->name, path, c->path);
        EXPECT_STR(c->name, form, c->form);
    }
    arena_fini(&arena);
    struct str got;
    arena_init(&arena, 0);
    EXPECT_INT("no memory", url_decode(&arena, STR("%41"), &got, &err), ERR_NO_MEMORY);
    EXPECT_INT("none needed", url_decode(&arena, STR("A"), &got, &err), ERR_OK);
    arena_fini(&arena);
}

TEST(parameters)
{
    static const struct {
        const char *query, *name, *want; /* NULL: absent */
    } cases[] = {
        {"a=1&b=2", "b", "2"},     {"a=1&a=2", "a", "1"}, {"a", "a", ""},
        {"a=", "a", ""},           {"a=b=c", "a", "b=c"}, {"&&a=1&", "a", "1"},
        {"x%20y=+z", "x y", " z"}, {"a=1", "b", NULL},    {"", "a", NULL},
        {"=1&a=2", "a", "2"},
    };
    struct arena arena;
    struct err err;
    arena_init(&arena, 1 << 16);
    TEST_EACH(c, cases) {
        struct str value;
        EXPECT_INT(c->query,
                   url_find_param(&arena, str_of(c->query), str_of(c->name), &value, &err), ERR_OK);
        EXPECT_INT(c->query, str_is_absent(value), c->want == NULL);
        EXPECT_STR(c->query, value, str_of(c->want));
    }
    struct str value;
    EXPECT_INT("bad", url_find_param(&arena, STR("a=%4"), STR("a"), &value, &err), ERR_INVALID);
    EXPECT_INT("absent query",
               url_find_param(&arena, (struct str){NULL, 0}, STR("a"), &value, &err), ERR_OK);
    EXPECT_TRUE("absent query", str_is_absent(value));
    arena_fini(&arena);
}

TEST(encoding)
{
    struct buf buf;
    buf_init(&buf, 100);
    url_encode(&buf, STR("az09-._~ /?\xC3\xA9"));
    EXPECT_STR("bytes", buf_str(&buf), STR("az09-._~%20%2F%3F%C3%A9"));
    buf_fini(&buf);
}

RUN_TESTS(T(paths), T(decoding), T(parameters), T(encoding))
