/* SPDX-License-Identifier: MIT */
/* server/observe/audit_file.c - two buffers that change places: one is filled, one is written.
 *
 * Happy path: the thread wakes up, takes the filled buffer and appends it to the file.
 * Failure paths:
 * - the disk takes no more, or the file cannot be opened: logged once, tried again each second with
 *   the bytes that are left; the other buffer fills meanwhile, and then puts are refused;
 * - a last line without its end, of a process that was killed: it gets one before the next line;
 * - the close comes while the disk takes nothing: what is left is lost, and logged as such. */
#include "server/observe/audit_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/mem.h"

enum { RETRY_SECONDS = 1, MOST_SAME_SECOND = 100, STAMP_BYTES = 32 };

struct audit_file {
    const char *path;
    const struct log *log;
    uint64_t rotate_bytes;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* under the lock */
    struct buf filling;
    bool closing, reopen;
    /* the thread's */
    struct buf writing;
    size_t written; /* bytes of writing */
    int fd;         /* below 0: it could not be opened */
    bool has_failed;
};

static void say_failed(struct audit_file *file, const char *what)
{
    if (!file->has_failed)
        LOG(file->log, ERROR, "audit.failed", "path=\"%s\" what=%s error=\"%s\" kept_bytes=%zu",
            file->path, what, strerror(errno), buf_len(&file->writing) - file->written);
    file->has_failed = true;
}

/* End a line that another process left without its end. */
static void end_last_line(int fd)
{
    char last = '\n';
    const off_t size = lseek(fd, 0, SEEK_END);
    if (size > 0 && pread(fd, &last, 1, size - 1) == 1 && last != '\n')
        (void)!write(fd, "\n", 1);
}

static bool open_file(struct audit_file *file)
{
    struct stat is;
    file->fd = open(file->path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600);
    if (file->fd < 0) /* a pipe or a terminal that is for writing only */
        file->fd = open(file->path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
    if (file->fd >= 0 && fstat(file->fd, &is) == 0 && S_ISREG(is.st_mode))
        end_last_line(file->fd);
    return file->fd >= 0;
}

/* The line that is half written is written whole into the next file. */
static void close_file(struct audit_file *file)
{
    const struct str bytes = buf_str(&file->writing);
    while (file->written < bytes.len && file->written > 0 && bytes.at[file->written - 1] != '\n')
        file->written--;
    if (file->fd >= 0)
        close(file->fd);
    file->fd = -1;
}

/* Rename the file to a name that is free; where there is none, it grows on. Nobody else may have
 * put another file in its place meanwhile. */
static void rotate(struct audit_file *file)
{
    char stamp[STAMP_BYTES], name[4096];
    struct stat here, there;
    struct tm utc;
    const time_t now = time(NULL);
    if (file->fd < 0 || fstat(file->fd, &here) != 0 || !S_ISREG(here.st_mode) ||
        (uint64_t)here.st_size < file->rotate_bytes)
        return;
    const bool is_same =
        stat(file->path, &there) == 0 && here.st_ino == there.st_ino && here.st_dev == there.st_dev;
    if (is_same) {
        (void)gmtime_r(&now, &utc);
        (void)strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", &utc);
        bool is_free = false;
        for (unsigned i = 0; i < MOST_SAME_SECOND && !is_free; i++) {
            int length = i == 0 ? snprintf(name, sizeof name, "%s.%s", file->path, stamp)
                                : snprintf(name, sizeof name, "%s.%s-%u", file->path, stamp, i);
            is_free = length < (int)sizeof name && access(name, F_OK) != 0;
        }
        if (!is_free || rename(file->path, name) != 0)
            return;
    }
    close_file(file);
}

/* Append what is being written. False: something is left. */
static bool write_all(struct audit_file *file)
{
    if (file->fd < 0 && !open_file(file)) {
        say_failed(file, "open");
        return false;
    }
    while (buf_len(&file->writing) > file->written) {
        const struct str left = str_from(buf_str(&file->writing), file->written);
        const ssize_t count = write(file->fd, left.at, left.len);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0) {
            say_failed(file, "write");
            return false;
        }
        file->written += (size_t)count;
    }
    if (file->has_failed)
        LOG(file->log, WARN, "audit.again", "path=\"%s\"", file->path);
    file->has_failed = false;
    rotate(file);
    return true;
}

static void swap(struct audit_file *file)
{
    const struct buf filled = file->filling;
    file->filling = file->writing;
    buf_clear(&file->filling);
    file->writing = filled;
    file->written = 0;
}

/* Wait until there is something to do. */
static void wait_for_work(struct audit_file *file)
{
    struct timespec until;
    const bool is_stuck = buf_len(&file->writing) > file->written;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += RETRY_SECONDS;
    while (!file->closing && !file->reopen) {
        if (is_stuck && pthread_cond_timedwait(&file->changed, &file->lock, &until) != 0)
            return;
        if (!is_stuck && buf_len(&file->filling) > 0)
            return;
        if (!is_stuck)
            pthread_cond_wait(&file->changed, &file->lock);
    }
}

static void *run(void *context)
{
    struct audit_file *file = context;
    bool is_last = false;
    pthread_mutex_lock(&file->lock);
    while (!is_last) {
        wait_for_work(file);
        const bool closing = file->closing, reopen = file->reopen;
        file->reopen = false;
        if (buf_len(&file->writing) == file->written)
            swap(file);
        pthread_mutex_unlock(&file->lock);
        if (reopen)
            close_file(file);
        const bool is_done = write_all(file);
        pthread_mutex_lock(&file->lock);
        is_last = closing && (!is_done || buf_len(&file->filling) == 0);
    }
    pthread_mutex_unlock(&file->lock);
    return NULL;
}

static void free_file(struct audit_file *file)
{
    close_file(file);
    buf_fini(&file->filling);
    buf_fini(&file->writing);
    mem_free(file);
}

struct audit_file *audit_file_open(const struct audit_file_options *options, struct err *err)
{
    struct audit_file *file = mem_zalloc(1, sizeof *file);
    const size_t room =
        options->buffer_bytes == 0 ? AUDIT_FILE_BUFFER_BYTES : options->buffer_bytes;
    if (file == NULL) {
        err_set(err, ERR_NO_MEMORY, "no memory for the audit stream");
        return NULL;
    }
    file->path = options->path;
    file->log = options->log;
    file->rotate_bytes =
        options->rotate_bytes == 0 ? AUDIT_FILE_ROTATE_BYTES : options->rotate_bytes;
    buf_init(&file->filling, room);
    buf_init(&file->writing, room);
    if (!open_file(file)) {
        err_set(err, ERR_INVALID, "ASKD_AUDIT: '%s' cannot be opened for appending: %s", file->path,
                strerror(errno));
        free_file(file);
        return NULL;
    }
    CHECK(pthread_mutex_init(&file->lock, NULL) == 0 &&
          pthread_cond_init(&file->changed, NULL) == 0);
    if (pthread_create(&file->thread, NULL, run, file) == 0)
        return file;
    err_set(err, ERR_NO_MEMORY, "no thread for the audit stream");
    free_file(file);
    return NULL;
}

void audit_file_close(struct audit_file *file)
{
    if (file == NULL)
        return;
    pthread_mutex_lock(&file->lock);
    file->closing = true;
    pthread_cond_signal(&file->changed);
    pthread_mutex_unlock(&file->lock);
    pthread_join(file->thread, NULL);
    const size_t left = buf_len(&file->writing) - file->written + buf_len(&file->filling);
    if (left > 0)
        LOG(file->log, ERROR, "audit.lost", "path=\"%s\" bytes=%zu", file->path, left);
    pthread_cond_destroy(&file->changed);
    pthread_mutex_destroy(&file->lock);
    free_file(file);
}

bool audit_file_put(struct audit_file *file, struct str line)
{
    pthread_mutex_lock(&file->lock);
    const size_t before = buf_len(&file->filling);
    buf_push(&file->filling, line);
    const bool is_kept = buf_ok(&file->filling);
    if (!is_kept) { /* what was there stays */
        file->filling.failed = false;
        buf_truncate(&file->filling, before);
    }
    pthread_cond_signal(&file->changed);
    pthread_mutex_unlock(&file->lock);
    return is_kept;
}

void audit_file_reopen(struct audit_file *file)
{
    pthread_mutex_lock(&file->lock);
    file->reopen = true;
    pthread_cond_signal(&file->changed);
    pthread_mutex_unlock(&file->lock);
}
