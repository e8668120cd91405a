/* SPDX-License-Identifier: MIT */
/* The log of writes in one write a commit: what is in the files is what SQLite's own way puts
 * there, and others see it, also when transactions spill, roll back and alternate. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "backends/sqlite/sqlite_log.h"
#include "tests/lib/test.h"

enum { MOST_PATH = 128, ROUNDS = 400, MOST_SQL = 256 };

struct files {
    char folder[MOST_PATH / 2], path[MOST_PATH];
    sqlite3 *one, *other; /* by our way; by SQLite's own */
};

static void run(sqlite3 *db, const char *sql)
{
    char *text = NULL;
    int code = sqlite3_exec(db, sql, NULL, NULL, &text);
    if (code != SQLITE_OK)
        fprintf(stderr, "%s: %s\n", sql, text == NULL ? "?" : text);
    EXPECT_INT("runs", code, SQLITE_OK);
    sqlite3_free(text);
}

static sqlite3_int64 ask(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    sqlite3_int64 number = -1;
    EXPECT_INT("prepares", sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    if (sqlite3_step(statement) == SQLITE_ROW)
        number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return number;
}

static sqlite3 *open_file(const struct files *files, const char *way)
{
    sqlite3 *db = NULL;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    EXPECT_INT("opens", sqlite3_open_v2(files->path, &db, flags, way), SQLITE_OK);
    run(db, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=50");
    return db;
}

static void begin(struct files *files)
{
    snprintf(files->folder, sizeof files->folder, "/tmp/askd-log-XXXXXX");
    assert_non_null(mkdtemp(files->folder));
    snprintf(files->path, sizeof files->path, "%s/a.db", files->folder);
    assert_non_null(sqlite_log_name());
    files->one = open_file(files, sqlite_log_name());
    files->other = open_file(files, NULL);
    run(files->one, "CREATE TABLE t (n INTEGER PRIMARY KEY, bytes BLOB)");
}

static void end(struct files *files)
{
    static const char *const tails[] = {"", "-wal", "-shm"};
    sqlite3_close(files->one);
    sqlite3_close(files->other);
    for (size_t i = 0; i < countof(tails); i++) {
        char name[MOST_PATH + 8];
        snprintf(name, sizeof name, "%s%s", files->path, tails[i]);
        unlink(name);
    }
    rmdir(files->folder);
}

static void expect_sound(struct files *files, sqlite3_int64 rows)
{
    EXPECT_INT("rows, here", ask(files->one, "SELECT count(*) FROM t"), rows);
    EXPECT_INT("rows, there", ask(files->other, "SELECT count(*) FROM t"), rows);
    EXPECT_INT("sound",
               ask(files->other, "SELECT 1 FROM pragma_integrity_check"
                                 " WHERE integrity_check = 'ok'"),
               1);
}

/* A copy of the files, as a process that died leaves them, opened by SQLite's own way. */
static sqlite3_int64 count_after_death(const struct files *files)
{
    struct files copy = {.one = NULL};
    char command[MOST_PATH * 8];
    snprintf(copy.path, sizeof copy.path, "%s/b.db", files->folder);
    snprintf(command, sizeof command, "cp %s %s && cp %s-wal %s-wal", files->path, copy.path,
             files->path, copy.path);
    assert_int_equal(system(command), 0);
    sqlite3 *db = open_file(&copy, NULL);
    sqlite3_int64 count = ask(db, "SELECT count(*) FROM t");
    sqlite3_close(db);
    unlink(copy.path);
    return count;
}

TEST(a_commit_is_there_at_once)
{
    struct files files;
    begin(&files);
    for (int i = 1; i <= 60; i++) {
        run(files.one, "INSERT INTO t (bytes) VALUES (randomblob(9000))");
        EXPECT_INT("seen", ask(files.other, "SELECT count(*) FROM t"), i);
        if (i % 10 == 0)
            EXPECT_INT("kept", count_after_death(&files), i);
    }
    expect_sound(&files, 60);
    end(&files);
}

TEST(larger_than_what_is_gathered)
{
    static const int sizes[] = {4000, 100000, 122880, 131072, 200000, 262144, 1000000, 3000000};
    struct files files;
    char sql[MOST_SQL];
    begin(&files);
    for (size_t i = 0; i < countof(sizes); i++) {
        snprintf(sql, sizeof sql, "INSERT INTO t (bytes) VALUES (randomblob(%d))", sizes[i]);
        run(files.one, sql);
        expect_sound(&files, (sqlite3_int64)i + 1);
    }
    EXPECT_INT("kept", count_after_death(&files), countof(sizes));
    end(&files);
}

/* Pages that a full cache puts into the log before the commit, which then does not come, must not
 * be written over what another writer commits there. */
TEST(spilled_and_rolled_back)
{
    struct files files;
    begin(&files);
    run(files.one, "PRAGMA cache_size=10");
    for (int i = 1; i <= 30; i++) {
        run(files.one, "BEGIN; INSERT INTO t (bytes) SELECT randomblob(3000) FROM"
                       " (VALUES (1),(2),(3),(4),(5),(6),(7),(8),(9),(10),(11),(12));"
                       "SAVEPOINT s; UPDATE t SET bytes = randomblob(3500); ROLLBACK TO s;"
                       "INSERT INTO t (bytes) VALUES (randomblob(50000)); ROLLBACK");
        run(files.other, "INSERT INTO t (bytes) VALUES (randomblob(5000))");
        expect_sound(&files, i);
    }
    end(&files);
}

/* Both write in turns, what and how much by chance. */
TEST(by_chance)
{
    static const char *const steps[][2] = {
        /* around a size */
        {"INSERT INTO t (bytes) VALUES (randomblob(", "))"},
        {"BEGIN; INSERT INTO t (bytes) VALUES (randomblob(",
         ")); SAVEPOINT s; UPDATE t SET bytes = randomblob(length(bytes)) WHERE n % 3 = 0;"
         " RELEASE s; COMMIT"},
        {"BEGIN; INSERT INTO t (bytes) VALUES (randomblob(", ")); ROLLBACK"},
        {"BEGIN; INSERT INTO t (bytes) VALUES (randomblob(",
         ")); SAVEPOINT s; DELETE FROM t WHERE n % 2 = 0; ROLLBACK TO s; COMMIT"},
        {"BEGIN; UPDATE t SET bytes = randomblob(", ") WHERE n % 5 = 0; COMMIT"},
    };
    struct files files;
    uint32_t seed = 12345;
    sqlite3_int64 rows = 0;
    begin(&files);
    run(files.one, "PRAGMA cache_size=12");
    for (int i = 0; i < ROUNDS; i++) {
        char sql[MOST_SQL];
        seed = seed * 1664525 + 1013904223;
        unsigned step = (seed >> 16) % countof(steps), size = (seed >> 8) % 20000;
        snprintf(sql, sizeof sql, "%s%u%s", steps[step][0], size, steps[step][1]);
        run(seed >> 31 ? files.one : files.other, sql);
        rows += step == 0 || step == 1 || step == 3;
        EXPECT_INT("here", ask(files.one, "SELECT count(*) FROM t"), rows);
        if (i % 40 == 0)
            expect_sound(&files, rows);
        if (i % 40 == 20)
            EXPECT_INT("kept", count_after_death(&files), rows);
    }
    expect_sound(&files, rows);
    end(&files);
}

RUN_TESTS(T(a_commit_is_there_at_once), T(larger_than_what_is_gathered), T(spilled_and_rolled_back),
          T(by_chance))
