/* SPDX-License-Identifier: MIT */
/* backends/sqlite/sqlite_log.c - a file of SQLite's own around which one call gathers: that which
 * writes.
 *
 * Happy path: heads and pages are appended to the log one behind the other; they are kept, and
 * written when the head of a page says that with this page the commit ends. Whatever else is done
 * with the file, and who lets go of the lock of writers, has them written before: when a cache
 * that is full puts pages into the log before the commit, they may stay here until then.
 * Failure: that of the write, told where SQLite learns of the commit's last page; no memory: not
 * gathered. */
#include "backends/sqlite/sqlite_log.h"

#include <sqlite3.h>
#include <string.h>

#include "core/base/buf.h"

enum {
    MOST_BYTES = 120 * 1024, /* gathered: SQLite's own write takes less than 128 KiB at once */
    HEAD_BYTES = 24,         /* of a page in the log */
    COMMIT_AT = 4,           /* in it: four bytes, 0 but in that of a commit's last page */
    COMMIT_BYTES = 4,
    WRITER_LOCK = 0, /* among those of the memory that connections share */
};

/* The database or its log; SQLite's own file lies behind it. */
struct log_file {
    sqlite3_file base;
    struct log_file *log;      /* of a database: its log; NULL: none is open */
    struct log_file *database; /* of a log */
    struct buf gathered;
    sqlite3_int64 at;  /* where gathered begins */
    sqlite3_int64 end; /* of what was written since the log began anew */
    bool commits;      /* the head gathered last is that of a commit's last page */
};

/* Made once a process and known to SQLite by its name; never freed. */
struct gathering {
    sqlite3_vfs vfs;
    sqlite3_vfs *own; /* SQLite's */
};

static sqlite3_file *inside(sqlite3_file *file)
{
    return (sqlite3_file *)((struct log_file *)file + 1);
}

static struct log_file *log_of(sqlite3_file *file)
{
    return (struct log_file *)file;
}

static int flush(struct log_file *log)
{
    sqlite3_file *file = inside(&log->base);
    struct str bytes = buf_str(&log->gathered);
    if (bytes.len == 0)
        return SQLITE_OK;
    int code = file->pMethods->xWrite(file, bytes.at, (int)bytes.len, log->at);
    buf_clear(&log->gathered);
    return code;
}

/* Of both files: what is gathered is written first. */
#define FORWARD(file, call, ...)                                                                   \
    int flushed = flush(log_of(file));                                                             \
    sqlite3_file *f = inside(file);                                                                \
    return flushed != SQLITE_OK ? flushed : f->pMethods->call(f, __VA_ARGS__)

static int read_file(sqlite3_file *file, void *to, int count, sqlite3_int64 at)
{
    FORWARD(file, xRead, to, count, at);
}

static int truncate_file(sqlite3_file *file, sqlite3_int64 size)
{
    FORWARD(file, xTruncate, size);
}

static int sync_file(sqlite3_file *file, int flags)
{
    FORWARD(file, xSync, flags);
}

static int tell_size(sqlite3_file *file, sqlite3_int64 *size)
{
    FORWARD(file, xFileSize, size);
}

static int lock_file(sqlite3_file *file, int level)
{
    FORWARD(file, xLock, level);
}

static int unlock_file(sqlite3_file *file, int level)
{
    FORWARD(file, xUnlock, level);
}

static int check_lock(sqlite3_file *file, int *is_locked)
{
    FORWARD(file, xCheckReservedLock, is_locked);
}

static int control_file(sqlite3_file *file, int op, void *arg)
{
    FORWARD(file, xFileControl, op, arg);
}

static int tell_sector(sqlite3_file *file)
{
    return inside(file)->pMethods->xSectorSize(inside(file));
}

static int tell_device(sqlite3_file *file)
{
    return inside(file)->pMethods->xDeviceCharacteristics(inside(file));
}

static int close_file(sqlite3_file *file)
{
    struct log_file *log = log_of(file);
    int flushed = flush(log);
    buf_fini(&log->gathered);
    if (log->database != NULL)
        log->database->log = NULL;
    int closed = inside(file)->pMethods->xClose(inside(file));
    return flushed != SQLITE_OK ? flushed : closed;
}

/* ---- the database ---- */

static int write_database(sqlite3_file *file, const void *from, int count, sqlite3_int64 at)
{
    return inside(file)->pMethods->xWrite(inside(file), from, count, at);
}

static int map_shared(sqlite3_file *file, int region, int size, int extend, void volatile **at)
{
    return inside(file)->pMethods->xShmMap(inside(file), region, size, extend, at);
}

/* Whoever has the writers' lock next may write where we would. */
static int lock_shared(sqlite3_file *file, int first, int count, int flags)
{
    struct log_file *log = log_of(file)->log;
    if (log != NULL && first == WRITER_LOCK && (flags & SQLITE_SHM_UNLOCK) != 0)
        (void)flush(log); /* of no commit: nobody misses it */
    return inside(file)->pMethods->xShmLock(inside(file), first, count, flags);
}

static void order_shared(sqlite3_file *file)
{
    inside(file)->pMethods->xShmBarrier(inside(file));
}

static int unmap_shared(sqlite3_file *file, int removes)
{
    return inside(file)->pMethods->xShmUnmap(inside(file), removes);
}

static int fetch(sqlite3_file *file, sqlite3_int64 at, int count, void **page)
{
    return inside(file)->pMethods->xFetch(inside(file), at, count, page);
}

static int unfetch(sqlite3_file *file, sqlite3_int64 at, void *page)
{
    return inside(file)->pMethods->xUnfetch(inside(file), at, page);
}

static const sqlite3_io_methods database_methods = {
    3,           close_file,   read_file,    write_database, truncate_file, sync_file,   tell_size,
    lock_file,   unlock_file,  check_lock,   control_file,   tell_sector,   tell_device, map_shared,
    lock_shared, order_shared, unmap_shared, fetch,          unfetch,
};

/* ---- the log ---- */

/* Keep what is appended. False: it is to be written now. */
static bool gather(struct log_file *log, const void *from, size_t count, sqlite3_int64 at)
{
    bool is_empty = buf_len(&log->gathered) == 0;
    if (is_empty && (count != HEAD_BYTES || at < log->end)) /* a head is written anew */
        return false;
    if (buf_len(&log->gathered) + count > MOST_BYTES ||
        buf_reserve(&log->gathered, count) == NULL) {
        log->gathered.failed = false;
        return false;
    }
    if (is_empty)
        log->at = at;
    buf_push(&log->gathered, str_make(from, count));
    return true;
}

static bool is_commit(const void *head)
{
    static const char none[COMMIT_BYTES];
    return memcmp((const char *)head + COMMIT_AT, none, COMMIT_BYTES) != 0;
}

static int write_log(sqlite3_file *file, const void *from, int count, sqlite3_int64 at)
{
    struct log_file *log = log_of(file);
    sqlite3_int64 next = log->at + (sqlite3_int64)buf_len(&log->gathered);
    int code = SQLITE_OK;
    if (at == 0) /* the log begins anew */
        log->end = 0;
    if (buf_len(&log->gathered) > 0 && at != next)
        code = flush(log);
    bool is_kept = code == SQLITE_OK && gather(log, from, (size_t)count, at);
    if (code == SQLITE_OK && !is_kept)
        code = flush(log);
    if (code == SQLITE_OK && !is_kept)
        code = inside(file)->pMethods->xWrite(inside(file), from, count, at);
    if (code == SQLITE_OK && at + count > log->end)
        log->end = at + count;
    if (code == SQLITE_OK && is_kept && count != HEAD_BYTES && log->commits)
        code = flush(log);
    log->commits = count == HEAD_BYTES && is_commit(from);
    return code;
}

static const sqlite3_io_methods log_methods = {
    .iVersion = 1,
    .xClose = close_file,
    .xRead = read_file,
    .xWrite = write_log,
    .xTruncate = truncate_file,
    .xSync = sync_file,
    .xFileSize = tell_size,
    .xLock = lock_file,
    .xUnlock = unlock_file,
    .xCheckReservedLock = check_lock,
    .xFileControl = control_file,
    .xSectorSize = tell_sector,
    .xDeviceCharacteristics = tell_device,
};

/* ---- opening ---- */

static bool is_database(const sqlite3_file *file)
{
    return file != NULL && file->pMethods == &database_methods;
}

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *given)
{
    struct log_file *log = log_of(file);
    sqlite3_vfs *own = container_of(vfs, struct gathering, vfs)->own;
    if ((flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL)) == 0)
        return own->xOpen(own, name, file, flags, given);
    memset(log, 0, sizeof *log);
    buf_init(&log->gathered, MOST_BYTES);
    inside(file)->pMethods = NULL;
    int code = own->xOpen(own, name, inside(file), flags, given);
    if (code != SQLITE_OK) {
        if (inside(file)->pMethods != NULL)
            inside(file)->pMethods->xClose(inside(file));
        return code;
    }
    file->pMethods = (flags & SQLITE_OPEN_WAL) != 0 ? &log_methods : &database_methods;
    sqlite3_file *database =
        (flags & SQLITE_OPEN_WAL) != 0 ? sqlite3_database_file_object(name) : NULL;
    if (!is_database(database))
        return code;
    log->database = log_of(database);
    log->database->log = log;
    return code;
}

const char *sqlite_log_name(void)
{
    static const char name[] = "askd";
    struct gathering *gathering;
    sqlite3_vfs *own = sqlite3_vfs_find(NULL);
    if (sqlite3_vfs_find(name) != NULL)
        return name;
    if (own == NULL || (gathering = sqlite3_malloc(sizeof *gathering)) == NULL)
        return NULL;
    *gathering = (struct gathering){*own, own};
    gathering->vfs.pNext = NULL;
    gathering->vfs.zName = name;
    gathering->vfs.szOsFile = own->szOsFile + (int)sizeof(struct log_file);
    gathering->vfs.xOpen = open_file;
    return sqlite3_vfs_register(&gathering->vfs, 0) == SQLITE_OK ? name : NULL;
}
