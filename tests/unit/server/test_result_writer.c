/* SPDX-License-Identifier: MIT */
/* tests/unit/server/test_result_writer.c - files of results, whole and in pieces. The workbook's
 * archive is read by somebody else's program in tests/node/results. */
#include "server/results/result_writer.h"

#include "core/base/mem.h"
#include "tests/lib/test.h"

enum { MANY = 4000, OUT_BYTES = 4 * 1024 * 1024 };

#define TEXT(value)                                                                                \
    {                                                                                              \
        .type = SQL_TEXT, .text = { "" value "", sizeof(value) - 1 }                               \
    }

static const struct str columns[] = {STR("name"), STR("a,b")};

static struct sql_result result_of(const struct sql_value *values, size_t rows)
{
    return (struct sql_result){
        .columns = columns, .column_count = 2, .values = values, .row_count = rows};
}

/* The whole file; how many pieces it came in. */
static size_t write_all(const char *format, const struct sql_result *result, struct buf *out,
                        bool *failed)
{
    struct result_writer writer;
    size_t pieces = 1;
    result_writer_init(&writer, result_format_find(str_of(format)), result);
    while (result_writer_step(&writer, out))
        pieces++;
    *failed = writer.failed;
    result_writer_fini(&writer);
    return pieces;
}

static const struct {
    const char *name, *format;
    struct sql_value values[2];
    const char *want;
} cases[] = {
    {"numbers",
     "csv",
     {{.type = SQL_INT, .integer = -5}, {.type = SQL_REAL, .real = 1.5}},
     "name,\"a,b\"\r\n-5,1.5\r\n"},
    {"quotes",
     "csv",
     {TEXT("say \"hi\""), TEXT("two\nlines")},
     "name,\"a,b\"\r\n\"say \"\"hi\"\"\",\"two\nlines\"\r\n"},
    {"nothing and an empty text", "csv", {{.type = SQL_NULL}, TEXT("")}, "name,\"a,b\"\r\n,\r\n"},
    {"a formula", "csv", {TEXT("=1+1"), TEXT("@SUM(A1)")}, "name,\"a,b\"\r\n'=1+1,'@SUM(A1)\r\n"},
    {"a quoted formula",
     "csv",
     {TEXT("=A1,\"x\""), TEXT("-")},
     "name,\"a,b\"\r\n\"'=A1,\"\"x\"\"\",'-\r\n"},
    {"a formula behind a line, a wide one",
     "csv",
     {TEXT("\n=1+1"), TEXT("\xef\xbc\x9d"
                           "1+1")},
     "name,\"a,b\"\r\n\"'\n=1+1\",'\xef\xbc\x9d"
     "1+1\r\n"},
    {"a number as text is no formula",
     "csv",
     {TEXT("-12.5"), TEXT("+3")},
     "name,\"a,b\"\r\n-12.5,+3\r\n"},
    {"JSON",
     "json",
     {TEXT("x"), {.type = SQL_BOOL, .integer = 1}},
     "{\"columns\":[\"name\",\"a,b\"],\"rows\":[[\"x\",true]],\"row_count\":1,"
     "\"truncated\":false}"},
};

TEST(each_value_as_its_format_has_it)
{
    TEST_EACH(c, cases) {
        const struct sql_result result = result_of(c->values, 1);
        struct buf out;
        bool failed;
        buf_init(&out, OUT_BYTES);
        (void)write_all(c->format, &result, &out, &failed);
        EXPECT_TRUE(c->name, !failed);
        EXPECT_STR(c->name, buf_str(&out), str_of(c->want));
        buf_fini(&out);
    }
}

TEST(no_rows_are_a_file_as_well)
{
    static const char *const formats[] = {"csv", "json", "xlsx"};
    const struct sql_result result = result_of(NULL, 0);
    for (size_t i = 0; i < countof(formats); i++) {
        struct buf out;
        bool failed;
        buf_init(&out, OUT_BYTES);
        EXPECT_INT(formats[i], write_all(formats[i], &result, &out, &failed), 1);
        EXPECT_TRUE(formats[i], !failed && buf_len(&out) > 0);
        buf_fini(&out);
    }
}

static struct sql_value *many_values(void)
{
    static struct sql_value values[2 * MANY];
    for (size_t i = 0; i < countof(values); i++)
        values[i] = i % 2 == 0 ? (struct sql_value)TEXT("a text of some length")
                               : (struct sql_value){.type = SQL_INT, .integer = (int64_t)i};
    return values;
}

TEST(a_large_file_comes_in_small_pieces)
{
    static const char *const formats[] = {"csv", "json", "xlsx"};
    const struct sql_result result = result_of(many_values(), MANY);
    for (size_t i = 0; i < countof(formats); i++) {
        struct result_writer writer;
        struct buf out;
        size_t most = 0;
        buf_init(&out, OUT_BYTES);
        result_writer_init(&writer, result_format_find(str_of(formats[i])), &result);
        for (bool goes_on = true; goes_on;) { /* what was written is gone by the next piece */
            goes_on = result_writer_step(&writer, &out);
            most = size_max(most, buf_len(&out));
            buf_clear(&out);
        }
        EXPECT_TRUE(formats[i], !writer.failed && most < 64 * 1024);
        result_writer_fini(&writer);
        buf_fini(&out);
    }
}

TEST(no_memory_is_no_file)
{
    const struct sql_result result = result_of(many_values(), 100);
    static const char *const formats[] = {"csv", "json", "xlsx"};
    for (size_t i = 0; i < countof(formats); i++) {
        bool failed = true;
        for (uint64_t n = 1; failed; n++) {
            struct buf out;
            buf_init(&out, OUT_BYTES);
            mem_fail_nth(n);
            (void)write_all(formats[i], &result, &out, &failed);
            mem_fail_nth(0);
            EXPECT_TRUE(formats[i], failed || buf_ok(&out));
            buf_fini(&out);
            EXPECT_TRUE("it ends", n < 100);
        }
    }
}

TEST(an_output_that_is_full_is_no_file)
{
    const struct sql_result result = result_of(many_values(), MANY);
    struct buf out;
    bool failed = false;
    buf_init(&out, 2000);
    (void)write_all("csv", &result, &out, &failed);
    EXPECT_TRUE("it says so", failed);
    buf_fini(&out);
}

TEST(no_other_formats)
{
    EXPECT_TRUE("pdf", result_format_find(STR("pdf")) == NULL);
    EXPECT_TRUE("nothing", result_format_find(STR("")) == NULL);
}

RUN_TESTS(T(each_value_as_its_format_has_it), T(no_rows_are_a_file_as_well),
          T(a_large_file_comes_in_small_pieces), T(no_memory_is_no_file),
          T(an_output_that_is_full_is_no_file), T(no_other_formats))
