/* SPDX-License-Identifier: MIT */
/* backends/stores/store_sqlite_alive.c - locks of open file descriptions, one byte for an instance.
 *
 * Happy path: show takes the lock and puts the row; end_leases asks, for each other instance in the
 * table that has runs going on, whether its byte is locked, and ends the leases of those whose is
 * not. Locks of open file descriptions, not of processes: workers of one process see each other's,
 * and closing another descriptor of the file drops none. Two names with one place seem alive as
 * long as one of them is.
 * Failure: no file, no such locks on its file system, or another file in its place: nobody is said
 * to be gone. */
#include "backends/stores/store_sqlite_alive.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/sqlite/sqlite_row.h"
#include "backends/sqlite/sqlite_thread.h"
#include "core/base/crc.h"
#include "core/base/id.h"
#include "core/base/mem.h"

enum { PATH_BYTES = 4096 };

struct store_sqlite_alive {
    char path[PATH_BYTES];
    struct id instance; /* empty: nobody attends */
    int fd;             /* -1: not open */
    uint64_t file;      /* which the file is */
    bool is_shown;
};

struct store_sqlite_alive *store_sqlite_alive_create(const char *path)
{
    static const char suffix[] = "-alive";
    struct store_sqlite_alive *alive = mem_zalloc(1, sizeof *alive);
    size_t len = strlen(path);
    if (alive == NULL)
        return NULL;
    alive->fd = -1;
    if (len + sizeof suffix <= sizeof alive->path) { /* else it has no path, and opens nothing */
        memcpy(alive->path, path, len);
        memcpy(alive->path + len, suffix, sizeof suffix);
    }
    return alive;
}

static void let_go(struct store_sqlite_alive *alive)
{
    if (alive->fd >= 0)
        close(alive->fd);
    alive->fd = -1;
    alive->is_shown = false;
}

void store_sqlite_alive_destroy(struct store_sqlite_alive *alive)
{
    if (alive == NULL)
        return;
    let_go(alive);
    mem_free(alive);
}

void store_sqlite_alive_name(struct store_sqlite_alive *alive, struct str instance)
{
    if (instance.len < sizeof alive->instance.text) {
        memcpy(alive->instance.text, instance.at, instance.len);
        alive->instance.text[instance.len] = '\0';
    }
}

static struct flock lock_of(struct str instance)
{
    return (struct flock){
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = crc_32c(instance), .l_len = 1};
}

/* Whether the file at the path is the one that is open. */
static bool is_in_place(const struct store_sqlite_alive *alive)
{
    struct stat open_one, there;
    return alive->fd >= 0 && fstat(alive->fd, &open_one) == 0 && stat(alive->path, &there) == 0 &&
           open_one.st_ino == there.st_ino && open_one.st_dev == there.st_dev;
}

/* Have the file open and the lock held. */
static bool hold(struct store_sqlite_alive *alive)
{
    struct stat at;
    struct flock lock = lock_of(str_of(alive->instance.text));
    if (!is_in_place(alive))
        let_go(alive);
    if (alive->fd < 0)
        alive->fd = open(alive->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (alive->fd < 0 || fstat(alive->fd, &at) != 0 || fcntl(alive->fd, F_OFD_SETLK, &lock) != 0)
        return false;
    alive->file = (uint64_t)at.st_ino;
    return true;
}

/* Whether nobody holds the lock of another's instance; false when that cannot be known. */
static bool is_gone(const struct store_sqlite_alive *alive, struct str instance)
{
    struct flock lock = lock_of(instance);
    return fcntl(alive->fd, F_OFD_GETLK, &lock) == 0 && lock.l_type == F_UNLCK;
}

/* Run sql for this instance and this file. */
static enum err_code run_for(const struct store_sqlite_alive *alive, struct sqlite3 *db,
                             const char *sql, struct str instance, struct err *err)
{
    struct sqlite_row row = sqlite_row_make(db, sql);
    sqlite_row_text(&row, instance);
    sqlite_row_number(&row, alive->file);
    return sqlite_row_run(&row, err);
}

/* Who is gone and has nothing left to be taken up leaves the table. */
static enum err_code forget_gone(const struct store_sqlite_alive *alive, struct sqlite3 *db,
                                 struct err *err)
{
    return run_for(alive, db,
                   "DELETE FROM alive WHERE instance <> ?1 AND (file <> ?2 OR is_gone(instance))"
                   " AND instance NOT IN (SELECT instance FROM runs WHERE status = 0)",
                   str_of(alive->instance.text), err);
}

/* is_gone(instance), as SQL asks. */
static void tell_gone(sqlite3_context *context, int count UNUSED, sqlite3_value **values)
{
    const struct store_sqlite_alive *alive = sqlite3_user_data(context);
    struct str instance = {(const char *)sqlite3_value_text(values[0]),
                           (size_t)sqlite3_value_bytes(values[0])};
    sqlite3_result_int(context, instance.at != NULL && is_gone(alive, instance));
}

enum err_code store_sqlite_alive_prepare(struct store_sqlite_alive *alive, struct sqlite3 *db,
                                         struct err *err)
{
    int made = sqlite3_create_function(db, "is_gone", 1, SQLITE_UTF8, alive, tell_gone, NULL, NULL);
    alive->is_shown = false; /* it may be another file */
    return made == SQLITE_OK ? ERR_OK : sqlite_thread_fail(db, made, err);
}

void store_sqlite_alive_show(struct store_sqlite_alive *alive, struct sqlite3 *db)
{
    struct err ignored;
    struct str instance = str_of(alive->instance.text);
    if (str_is_empty(instance) || (alive->is_shown && is_in_place(alive)) || !hold(alive))
        return;
    alive->is_shown = run_for(alive, db, "INSERT OR REPLACE INTO alive VALUES (?1, ?2)", instance,
                              &ignored) == ERR_OK &&
                      forget_gone(alive, db, &ignored) == ERR_OK;
}

enum err_code store_sqlite_alive_end_leases(struct store_sqlite_alive *alive, struct sqlite3 *db,
                                            struct err *err)
{
    return alive->is_shown
               ? run_for(alive, db,
                         "UPDATE runs SET lease_until_ms = 0 WHERE status = 0"
                         " AND lease_until_ms > 0 AND instance IN (SELECT instance FROM alive"
                         " WHERE instance <> ?1 AND file = ?2"
                         " AND instance IN (SELECT instance FROM runs WHERE status = 0)"
                         " AND is_gone(instance))",
                         str_of(alive->instance.text), err)
               : ERR_OK;
}
