/* SPDX-License-Identifier: MIT */
/* The audit stream's file: lines in their order, whole, whatever the disk and its keeper do. */
#include "server/observe/audit_file.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "tests/lib/test.h"

enum { PATH_BYTES = 256, MOST_BYTES = 1 << 20, PATIENCE = 10000, PAUSE_US = 1000 };

static char folder[PATH_BYTES], path[PATH_BYTES + 16];
static const struct log silent = {.level = LOG_OFF};

static int make_folder(void **state UNUSED)
{
    snprintf(folder, sizeof folder, "%s/askd-audit-XXXXXX",
             getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    snprintf(path, sizeof path, "%s/audit", mkdtemp(folder));
    return 0;
}

/* The bytes of all files whose names begin with prefix, and how many files there are. */
static size_t read_files(const char *prefix, struct buf *out)
{
    size_t count = 0;
    struct dirent **names;
    const int found = scandir(folder, &names, NULL, alphasort);
    for (int i = 0; i < found; i++) {
        char name[2 * PATH_BYTES + 16], bytes[4096];
        snprintf(name, sizeof name, "%s/%s", folder, names[i]->d_name);
        FILE *file =
            strncmp(names[i]->d_name, prefix, strlen(prefix)) == 0 ? fopen(name, "r") : NULL;
        for (size_t n = 1; file != NULL && n > 0;) {
            n = fread(bytes, 1, sizeof bytes, file);
            buf_push(out, str_make(bytes, n));
        }
        count += file != NULL;
        if (file != NULL)
            fclose(file);
        free(names[i]);
    }
    free(names);
    return count;
}

static int remove_folder(void **state UNUSED)
{
    char command[2 * PATH_BYTES];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

static struct audit_file *open_audit(uint64_t rotate_bytes, size_t buffer_bytes)
{
    struct err err = {0};
    const struct audit_file_options options = {path, &silent, rotate_bytes, buffer_bytes};
    struct audit_file *file = audit_file_open(&options, &err);
    assert_non_null(file);
    return file;
}

static void expect_files(const char *prefix, const char *want)
{
    struct buf out;
    buf_init(&out, MOST_BYTES);
    (void)read_files(prefix, &out);
    EXPECT_STR(prefix, buf_str(&out), str_of(want));
    buf_fini(&out);
}

/* Until the file at name has so many bytes. */
static void await_bytes(const char *name, off_t bytes)
{
    struct stat is;
    for (int i = 0; i < PATIENCE; i++) {
        if (stat(name, &is) == 0 && is.st_size == bytes)
            return;
        usleep(PAUSE_US);
    }
    fail_msg("%s never has %ld bytes", name, (long)bytes);
}

static void test_lines_follow_what_is_there(void **state UNUSED)
{
    FILE *before = fopen(path, "w");
    fputs("one\nhalf", before);
    fclose(before);
    struct audit_file *file = open_audit(0, 0);
    assert_true(audit_file_put(file, STR("two\n")));
    assert_true(audit_file_put(file, STR("three\n")));
    audit_file_close(file);
    expect_files("audit", "one\nhalf\ntwo\nthree\n");
}

static void test_a_moved_file_is_begun_anew(void **state UNUSED)
{
    char moved[sizeof path + 8];
    struct audit_file *file = open_audit(0, 0);
    assert_true(audit_file_put(file, STR("one\n")));
    await_bytes(path, 4);
    snprintf(moved, sizeof moved, "%s/moved", folder);
    assert_int_equal(rename(path, moved), 0);
    audit_file_reopen(file);
    await_bytes(path, 0);
    assert_true(audit_file_put(file, STR("two\n")));
    audit_file_close(file);
    expect_files("moved", "one\n");
    expect_files("audit", "two\n");
}

/* Until so many files have been renamed. */
static void await_renamed(size_t count)
{
    for (int i = 0; i < PATIENCE; i++) {
        struct buf out;
        buf_init(&out, MOST_BYTES);
        const size_t found = read_files("audit.", &out);
        buf_fini(&out);
        if (found == count)
            return;
        usleep(PAUSE_US);
    }
    fail_msg("%zu files are never there", count);
}

static void test_a_large_file_is_renamed_and_kept(void **state UNUSED)
{
    struct buf out;
    struct audit_file *file = open_audit(8, 0);
    for (int i = 0; i < 4; i++) {
        char line[32];
        snprintf(line, sizeof line, "line %d..\n", i);
        assert_true(audit_file_put(file, str_of(line)));
        await_renamed((size_t)i + 1);
    }
    audit_file_close(file);
    buf_init(&out, MOST_BYTES);
    assert_int_equal(read_files("audit.", &out), 4);
    assert_int_equal(buf_len(&out), 4 * 9);
    buf_fini(&out);
}

/* A disk that is full, as a limit on the size of files has it: nothing is lost while the buffer has
 * room, a put says when it has none, and all of it is written once there is place again. */
static void test_a_full_disk_keeps_what_it_took(void **state UNUSED)
{
    struct rlimit limit, narrow;
    struct buf want;
    size_t kept = 0;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    narrow = (struct rlimit){10, limit.rlim_max};
    struct audit_file *file = open_audit(0, 64);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &narrow), 0);
    buf_init(&want, MOST_BYTES);
    assert_true(audit_file_put(file, STR("first..\n")));
    buf_push(&want, STR("first..\n"));
    await_bytes(path, 8);
    assert_true(audit_file_put(file, STR("second.\n")));
    buf_push(&want, STR("second.\n"));
    await_bytes(path, 10); /* the thread is stuck in the middle of the second line */
    while (audit_file_put(file, STR("another\n"))) {
        buf_push(&want, STR("another\n"));
        kept++;
    }
    assert_int_equal(kept, 64 / 8);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    audit_file_close(file);
    buf_push_char(&want, '\0');
    expect_files("audit", buf_str(&want).at);
    buf_fini(&want);
}

static void test_a_path_that_is_none(void **state UNUSED)
{
    struct err err = {0};
    const struct audit_file_options options = {"/nowhere/at/all", &silent, 0, 0};
    assert_null(audit_file_open(&options, &err));
    EXPECT_STR("it is named", str_of(err.text),
               STR("ASKD_AUDIT: '/nowhere/at/all' cannot be opened for appending: No such file or "
                   "directory"));
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_FOLDER(test_lines_follow_what_is_there),
        WITH_FOLDER(test_a_moved_file_is_begun_anew),
        WITH_FOLDER(test_a_large_file_is_renamed_and_kept),
        WITH_FOLDER(test_a_full_disk_keeps_what_it_took),
        cmocka_unit_test(test_a_path_that_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
