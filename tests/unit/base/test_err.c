/* SPDX-License-Identifier: MIT */
/* Codes and texts: one line, cut at a character, prefixes. */
#include "tests/lib/test.h"

#include "core/base/err.h"

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

RUN_TESTS(T(what_is_no_character_is_a_question_mark), T(codes), T(texts),
          T(long_texts_are_cut_at_characters))
