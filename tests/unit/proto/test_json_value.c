/* SPDX-License-Identifier: MIT */
/* Trees: lookups, limits, messages that name the place, memory that runs out, hostile shapes. */
#include "tests/lib/test.h"

#include "proto/json_value.h"
#include "proto/json_write.h"

enum { BUDGET = 32 * 1024 * 1024 };

static const struct json_value *parse(struct arena *arena, const char *text)
{
    struct err err = {0};
    const struct json_value *value = json_value_parse(arena, str_of(text), NULL, &err);
    if (value == NULL)
        fail_msg("%s: %s", text, err.text);
    return value;
}

TEST(round_trip)
{
    static const char *const texts[] = {
        "null",
        "[1,-2.50,1e400000]",
        "{\"a\":{\"b\":[true,false,null]},\"c\":\"\\n\\\"\\u0001\",\"d\":[],\"e\":{}}",
        "[123456789012345678901234567890,0.1,-0,1E5]",
    };
    struct arena arena;
    struct buf out;
    arena_init(&arena, BUDGET);
    buf_init(&out, 1 << 16);
    for (size_t i = 0; i < countof(texts); i++) {
        struct json_write writer;
        struct err err = {0};
        const struct json_value *value = json_value_parse(&arena, str_of(texts[i]), NULL, &err);
        buf_clear(&out);
        if (i == 1) {
            EXPECT_TRUE("infinite", value == NULL);
            EXPECT_STR("infinite", str_of(err.text), STR("a number out of range ends at byte 17"));
            continue;
        }
        EXPECT_TRUE(texts[i], value != NULL);
        json_write_init(&writer, &out);
        json_value_write(value, &writer);
        EXPECT_STR(texts[i], buf_str(&out), str_of(texts[i]));
    }
    arena_fini(&arena);
    buf_fini(&out);
}

TEST(lookups)
{
    struct arena arena;
    arena_init(&arena, BUDGET);
    const struct json_value *root = parse(
        &arena, "{\"a\":{\"b/c\":[10,20,{\"~\":30}]},\"k0\":0,\"k1\":1,\"k2\":2,\"k3\":3,\"k4\":4,"
                "\"k5\":5,\"k6\":6,\"k7\":7,\"\\u006b8\":8,\"\":9}");
    EXPECT_INT("count", root->count, 11);
    EXPECT_INT("pointer", json_value_find(root, "/a/b~1c/2/~0")->integer, 30);
    EXPECT_INT("unescaped key", json_value_find(root, "/k8")->integer, 8);
    EXPECT_INT("empty key", json_value_find(root, "/")->integer, 9);
    EXPECT_INT("many members", json_value_member(root, STR("k5"))->integer, 5);
    EXPECT_TRUE("root", json_value_find(root, "") == root);
    static const char *const nowhere[] = {"/x",         "/a/x", "/k1/x", "/a/b~1c/3",  "/a/b~1c/-",
                                          "/a/b~1c/01", "a",    "/a/~2", "/a/b~1c/0/1"};
    for (size_t i = 0; i < countof(nowhere); i++)
        EXPECT_TRUE(nowhere[i], json_value_find(root, nowhere[i]) == NULL);
    EXPECT_TRUE("no object", json_value_member(NULL, STR("a")) == NULL);
    arena_fini(&arena);
}

TEST(typed_access)
{
    struct arena arena;
    struct err err = {0};
    struct str text = {NULL, 0};
    int64_t integer = 0;
    double number = 0;
    bool boolean = false;
    const struct json_value *value = NULL;
    arena_init(&arena, BUDGET);
    const struct json_value *root =
        parse(&arena, "{\"s\":\"x\",\"i\":7,\"d\":1.5,\"b\":true,\"n\":null,\"a\":[1],\"o\":{}}");
    EXPECT_INT("s", json_value_str(root, "/s", &text, &err), ERR_OK);
    EXPECT_INT("i", json_value_i64(root, "/i", &integer, &err), ERR_OK);
    EXPECT_INT("d", json_value_double(root, "/d", &number, &err), ERR_OK);
    EXPECT_INT("i as d", json_value_double(root, "/i", &number, &err), ERR_OK);
    EXPECT_INT("b", json_value_bool(root, "/b", &boolean, &err), ERR_OK);
    EXPECT_INT("a", json_value_array(root, "/a", &value, &err), ERR_OK);
    EXPECT_INT("o", json_value_object(root, "/o", &value, &err), ERR_OK);
    EXPECT_STR("s", text, STR("x"));
    EXPECT_INT("i", integer, 7);
    EXPECT_TRUE("d", number == 7.0 && boolean);
    EXPECT_INT("type", json_value_str(root, "/i", &text, &err), ERR_INVALID);
    EXPECT_STR("type", str_of(err.text), STR("/i: expected a string, got an integer"));
    EXPECT_INT("absent", json_value_object(root, "/x/y", &value, &err), ERR_NOT_FOUND);
    EXPECT_STR("absent", str_of(err.text), STR("/x/y: expected an object, got nothing"));
    EXPECT_INT("null", json_value_bool(root, "/n", &boolean, &err), ERR_NOT_FOUND);
    EXPECT_STR("null", str_of(err.text), STR("/n: expected a boolean, got null"));
    EXPECT_INT("root", json_value_array(root, "", &value, &err), ERR_INVALID);
    EXPECT_STR("root", str_of(err.text), STR("the whole text: expected an array, got an object"));
    EXPECT_INT("double", json_value_i64(root, "/d", &integer, &err), ERR_INVALID);
    EXPECT_INT("untouched", integer, 7);
    arena_fini(&arena);
}

static const struct {
    const char *name, *text;
    struct json_limits limits;
    enum err_code want;
    const char *message;
} limit_cases[] = {
    {"duplicate",
     "{\"a\":1,\"\\u0061\":2}",
     {0},
     ERR_INVALID,
     "the name 'a' comes twice in the object that ends at byte 18"},
    {"duplicate among many",
     "{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1,\"a\":2}",
     {0},
     ERR_INVALID,
     "the name 'a' comes twice in the object that ends at byte 55"},
    {"duplicates allowed", "{\"a\":1,\"a\":2}", {.allow_duplicates = true}, ERR_OK, ""},
    {"the same name elsewhere", "[{\"a\":{\"a\":1}},{\"a\":2}]", {0}, ERR_OK, ""},
    {"depth", "[[[1]]]", {.depth = 3}, ERR_OK, ""},
    {"too deep", "[[[[1]]]]", {.depth = 3}, ERR_INVALID, "nested deeper than 3 levels at byte 4"},
    {"bytes", "[1]", {.text_bytes = 3}, ERR_OK, ""},
    {"too many bytes",
     "[1 ]",
     {.text_bytes = 3},
     ERR_TOO_LARGE,
     "expected at most 3 bytes of JSON, 4 came"},
    {"NUL", "\"\\u0000\"", {0}, ERR_OK, ""},
    {"NUL refused",
     "\"\\u0000\"",
     {.refuse_nul = true},
     ERR_INVALID,
     "a NUL character is not allowed at byte 1"},
    {"NUL in a key refused",
     "{\"\\u0000\":1}",
     {.refuse_nul = true},
     ERR_INVALID,
     "a NUL character is not allowed at byte 2"},
    {"broken", "[1", {0}, ERR_INVALID, "the text ends inside a value at byte 2"},
};

TEST(limits)
{
    TEST_EACH(c, limit_cases) {
        struct arena arena;
        struct err err = {0};
        arena_init(&arena, BUDGET);
        const struct json_value *value =
            json_value_parse(&arena, str_of(c->text), &c->limits, &err);
        EXPECT_INT(c->name, value == NULL ? err.code : ERR_OK, c->want);
        EXPECT_STR(c->name, str_of(err.text), str_of(c->message));
        arena_fini(&arena);
    }
}

TEST(last_duplicate_is_found)
{
    struct arena arena;
    struct err err = {0};
    const struct json_limits limits = {.allow_duplicates = true};
    arena_init(&arena, BUDGET);
    const struct json_value *few =
        json_value_parse(&arena, STR("{\"a\":1,\"b\":3,\"a\":2}"), &limits, &err);
    const struct json_value *many = json_value_parse(
        &arena, STR("{\"a\":1,\"b\":3,\"c\":4,\"d\":5,\"e\":6,\"f\":7,\"g\":8,\"h\":9,\"a\":2}"),
        &limits, &err);
    EXPECT_INT("few", json_value_member(few, STR("a"))->integer, 2);
    EXPECT_INT("many", json_value_member(many, STR("a"))->integer, 2);
    arena_fini(&arena);
}

/* A megabyte of brackets, or of members, costs neither stack nor square time. */
TEST(hostile_shapes)
{
    struct buf text;
    struct arena arena;
    struct err err = {0};
    buf_init(&text, 8 << 20);
    arena_init(&arena, 256 << 20);
    for (size_t i = 0; i < 1000000; i++)
        buf_push_char(&text, '[');
    EXPECT_TRUE("brackets", json_value_parse(&arena, buf_str(&text), NULL, &err) == NULL);
    EXPECT_INT("brackets", err.code, ERR_INVALID);
    buf_clear(&text);
    for (unsigned i = 0; i < 100000; i++)
        buf_printf(&text, "%c\"%u\":0", i == 0 ? '{' : ',', i);
    buf_push_char(&text, '}');
    const struct json_value *wide = json_value_parse(&arena, buf_str(&text), NULL, &err);
    assert_non_null(wide);
    EXPECT_TRUE("wide", json_value_member(wide, STR("99999")) != NULL);
    arena_fini(&arena);
    buf_fini(&text);
}

TEST(no_memory)
{
    static const struct str text = STR("{\"a\\n\":\"b\\n\",\"c\":[1,2,3],\"d\":{},\"e\":1,\"f\":1,"
                                       "\"g\":1,\"h\":1,\"i\":1,\"j\":1}");
    for (size_t budget = 0;; budget += 64) {
        struct arena arena;
        struct err err = {0};
        arena_init(&arena, budget);
        const struct json_value *value = json_value_parse(&arena, text, NULL, &err);
        if (value == NULL)
            EXPECT_INT("budget", err.code, ERR_NO_MEMORY);
        arena_fini(&arena);
        if (value != NULL)
            break;
        assert_true(budget < 65536);
    }
    for (uint64_t n = 1;; n++) {
        struct arena arena;
        struct err err = {0};
        arena_init(&arena, BUDGET);
        mem_fail_nth(n);
        const struct json_value *value = json_value_parse(&arena, text, NULL, &err);
        mem_fail_nth(0);
        if (value == NULL)
            EXPECT_INT("n-th", err.code, ERR_NO_MEMORY);
        arena_fini(&arena);
        if (value != NULL)
            break;
        assert_true(n < 100);
    }
}

RUN_TESTS(T(round_trip), T(lookups), T(typed_access), T(limits), T(last_duplicate_is_found),
          T(hostile_shapes), T(no_memory))
