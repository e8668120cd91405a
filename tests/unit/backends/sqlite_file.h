/* SPDX-License-Identifier: MIT */
/* tests/unit/backends/sqlite_file.h - a database file of its own for a test, made and removed. */
#ifndef TESTS_UNIT_BACKENDS_SQLITE_FILE_H
#define TESTS_UNIT_BACKENDS_SQLITE_FILE_H

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/lib/test.h"

struct sqlite_file {
    char folder[64], path[96];
};

static inline void sqlite_file_run(const struct sqlite_file *file, const char *sql)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(file->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static inline void sqlite_file_name(struct sqlite_file *file)
{
    const char *base = getenv("TMPDIR");
    snprintf(file->folder, sizeof file->folder, "%.40s/askd_XXXXXX", base ? base : "/tmp");
    assert_non_null(mkdtemp(file->folder));
    snprintf(file->path, sizeof file->path, "%s/test.db", file->folder);
}

static inline void sqlite_file_make(struct sqlite_file *file, const char *sql)
{
    sqlite_file_name(file);
    sqlite_file_run(file, sql);
}

static inline void sqlite_file_write(const struct sqlite_file *file, const char *bytes)
{
    FILE *out = fopen(file->path, "wb");
    assert_non_null(out);
    fwrite(bytes, 1, strlen(bytes), out);
    fclose(out);
}

static inline void sqlite_file_remove(struct sqlite_file *file)
{
    static const char *const suffixes[] = {"", "-wal", "-shm", "-journal", "-index1"};
    for (size_t i = 0; i < countof(suffixes); i++) {
        char path[112];
        snprintf(path, sizeof path, "%s%s", file->path, suffixes[i]);
        unlink(path);
    }
    rmdir(file->folder);
}

#endif
