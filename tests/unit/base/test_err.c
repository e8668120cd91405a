/* SPDX-License-Identifier: MIT */
/* Codes and texts: one line, cut at a character, prefixes. */
#include "tests/lib/test.h"

#include "core/base/err.h"
#include "core/base/mem.h"

TEST(codes)
{
    EXPECT_STR("name", str_of(err_name(ERR_NOT_FOUND)), STR("not_found"));
    EXPECT_INT("status", err_http_status(ERR_NOT_FOUND), 404);
    EXPECT_TRUE("retryable", err_is_retryable(ERR_TIMEOUT) && !err_is_retryable(ERR_INVALID));
    for (unsigned i = 0; i < ERR_CODE_COUNT; i++)
        EXPECT_TRUE("every code has a name and a status",
                    err_name(i)[0] != '\0' && err_http_status(i) >= 200);
}

TEST(texts)
{
    struct err err;
    EXPECT_INT("code", err_set(&err, ERR_INVALID, "line %d\r\nnext", 1), ERR_INVALID);
    EXPECT_STR("one line", str_of(err.text), STR("line 1  next"));
    EXPECT_INT("NULL is fine", err_set(NULL, ERR_BUSY, "x"), ERR_BUSY);
    err_prefix(NULL, "x");
    err_prefix(&err, "sql.query");
    EXPECT_STR("prefixed", str_of(err.text), STR("sql.query: line 1  next"));
    EXPECT_INT("code kept", err.code, ERR_INVALID);
}

TEST(long_texts_are_cut_at_characters)
{
    static char text[ERR_TEXT_BYTES * 3];
    for (size_t pad = 0; pad < 3; pad++) {
        struct err err;
        memset(text, 'x', pad);
        for (size_t i = pad; i + 4 < sizeof text; i += 3)
            memcpy(text + i, "\xe2\x82\xac\0", 4);
        err_set(&err, ERR_INTERNAL, "%s", text);
        EXPECT_TRUE("whole characters", str_is_utf8(str_of(err.text)));
        EXPECT_TRUE("most of it", strlen(err.text) >= ERR_TEXT_BYTES - 5);
        for (unsigned i = 0; i < 5; i++) {
            err_prefix(&err, "ab");
            EXPECT_TRUE("still whole", str_is_utf8(str_of(err.text)));
        }
        err_prefix(&err, text);
        EXPECT_TRUE("a prefix too long", strlen(err.text) < ERR_TEXT_BYTES);
    }
}

TEST(what_is_no_character_is_a_question_mark)
{
    struct err err;
    err_set(&err, ERR_INVALID, "%s", "a\x9f\xe2\x82 \xc3\xa9\xc3");
    EXPECT_STR("text", str_of(err.text), STR("a??? \xc3\xa9?"));
}

TEST(what_is_kept_is_a_copy)
{
    struct err err;
    struct err_kept kept = {0};
    EXPECT_STR("zeroed", str_of(err_kept(&kept)->text), STR(""));
    err_set(&err, ERR_TIMEOUT, "after 5 s");
    err_keep(&kept, &err);
    err_set(&err, ERR_BUSY, "else");
    EXPECT_STR("text", str_of(kept.text), STR("after 5 s"));
    EXPECT_STR("whole", str_of(err_kept(&kept)->text), STR("after 5 s"));
    EXPECT_INT("its code", err_kept(&kept)->code, ERR_TIMEOUT);
    err_keep(&kept, err_kept(&kept));
    EXPECT_STR("by itself", str_of(kept.text), STR("after 5 s"));
    err_forget(&kept);
    err_forget(&kept);
    EXPECT_INT("the code stays", kept.code, ERR_TIMEOUT);
    EXPECT_STR("with its name", str_of(err_kept(&kept)->text), STR("timeout"));
    err_keep(&kept, &(struct err){0});
    EXPECT_INT("a success", err_kept(&kept)->code, ERR_OK);
    EXPECT_STR("says nothing", str_of(kept.text), STR(""));
}

TEST(what_is_kept_without_memory_has_its_code)
{
    struct err_kept kept = {0};
    mem_fail_nth(1);
    err_keep(&kept, &(struct err){ERR_DENIED, "not you"});
    mem_fail_nth(0);
    EXPECT_INT("code", err_kept(&kept)->code, ERR_DENIED);
    EXPECT_STR("text", str_of(kept.text), STR("denied"));
    err_forget(&kept);
}

TEST(a_success_is_kept_without_memory)
{
    struct err_kept kept = {0};
    uint64_t before = mem_alloc_count();
    err_keep(&kept, &(struct err){0});
    EXPECT_INT("allocations", mem_alloc_count() - before, 0);
}

RUN_TESTS(T(what_is_kept_is_a_copy), T(what_is_kept_without_memory_has_its_code),
          T(a_success_is_kept_without_memory), T(what_is_no_character_is_a_question_mark),
          T(codes), T(texts), T(long_texts_are_cut_at_characters))
