/* SPDX-License-Identifier: MIT */
#include "server/http/problem.h"
#include "tests/lib/test.h"

TEST(a_field)
{
    struct problem problem;
    struct buf out;
    buf_init(&out, 4096);
    assert_false(
        problem_field(&problem, "/input/message", "%s: expected \"text\"", "/input/message"));
    problem_write(&problem, "r1", &out);
    EXPECT_STR("body", buf_str(&out),
               STR("{\"type\":\"about:blank\",\"title\":\"Unprocessable Content\",\"status\":422,"
                   "\"code\":\"invalid_request\",\"detail\":\"/input/message: expected "
                   "\\\"text\\\"\",\"pointer\":\"/input/message\",\"retryable\":false,"
                   "\"request_id\":\"r1\"}"));
    buf_fini(&out);
}

TEST(an_overload)
{
    struct problem problem;
    struct buf out;
    buf_init(&out, 4096);
    assert_false(problem_set(&problem, 429, problem_code(429), "full"));
    problem_write(&problem, "", &out);
    EXPECT_STR("body", buf_str(&out),
               STR("{\"type\":\"about:blank\",\"title\":\"Too Many Requests\",\"status\":429,"
                   "\"code\":\"overloaded\",\"detail\":\"full\",\"retryable\":true}"));
    buf_fini(&out);
}

TEST(a_pointer_that_is_too_long_is_cut_at_a_character)
{
    struct problem problem;
    char pointer[400];
    memset(pointer, 'a', sizeof pointer);
    memcpy(pointer + PROBLEM_POINTER_BYTES - 2, "\xC3\xA9", 2);
    pointer[sizeof pointer - 1] = '\0';
    assert_false(problem_field(&problem, pointer, "x"));
    EXPECT_INT("cut", strlen(problem.pointer), PROBLEM_POINTER_BYTES - 2);
}

RUN_TESTS(T(a_field), T(an_overload), T(a_pointer_that_is_too_long_is_cut_at_a_character))
