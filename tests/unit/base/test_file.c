/* SPDX-License-Identifier: MIT */
/* A whole file into a buf: as it is, or why not. */
#include "tests/lib/test.h"

#include <stdlib.h>
#include <unistd.h>

#include "core/base/file.h"

static void make_file(char *path, size_t size)
{
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    for (size_t i = 0; i < size; i++)
        assert_int_equal(write(fd, "x", 1), 1);
    close(fd);
}

TEST(reads_all_or_says_why)
{
    static const struct {
        const char *name;
        size_t size, limit;
        enum err_code want;
    } cases[] = {
        {"empty", 0, 10, ERR_OK},
        {"small", 9, 10, ERR_OK},
        {"to the last byte", 10, 10, ERR_OK},
        {"one too many", 11, 10, ERR_TOO_LARGE},
        {"several pieces", 9000, 10000, ERR_OK},
    };
    TEST_EACH(c, cases) {
        char path[] = "/tmp/askd-file-XXXXXX";
        struct buf out;
        struct err err = {0};
        make_file(path, c->size);
        buf_init(&out, c->limit);
        EXPECT_INT(c->name, file_read(path, &out, &err), c->want);
        if (c->want == ERR_OK)
            EXPECT_INT(c->name, buf_len(&out), c->size);
        else
            EXPECT_TRUE(c->name, strstr(err.text, path) != NULL);
        buf_fini(&out);
        unlink(path);
    }
}

TEST(names_what_is_missing)
{
    struct buf out;
    struct err err = {0};
    buf_init(&out, 10);
    EXPECT_INT("missing", file_read("/nowhere/at/all", &out, &err), ERR_NOT_FOUND);
    EXPECT_TRUE("path and reason", strstr(err.text, "'/nowhere/at/all': No such file") != NULL);
    EXPECT_INT("a folder", file_read("/tmp", &out, &err), ERR_UNAVAILABLE);
    buf_fini(&out);
}

RUN_TESTS(T(reads_all_or_says_why), T(names_what_is_missing))
