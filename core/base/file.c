/* SPDX-License-Identifier: MIT */
/* core/base/file.c - open, read in pieces to the end, close. */
#include "core/base/file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static enum err_code read_all(FILE *file, const char *path, struct buf *out, struct err *err)
{
    char piece[4096];
    size_t got;
    while ((got = fread(piece, 1, sizeof piece, file)) > 0)
        buf_push(out, str_make(piece, got));
    if (ferror(file) != 0)
        return err_set(err, ERR_UNAVAILABLE, "'%s': %s", path, strerror(errno));
    if (!buf_ok(out))
        return err_set(err, ERR_TOO_LARGE, "'%s' is over %zu bytes", path, out->limit);
    return ERR_OK;
}

enum err_code file_read(const char *path, struct buf *out, struct err *err)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return err_set(err, ERR_NOT_FOUND, "'%s': %s", path, strerror(errno));
    enum err_code code = read_all(file, path, out, err);
    fclose(file);
    return code;
}

enum err_code file_make_folders(const char *path, unsigned mode, struct err *err)
{
    char folder[PATH_MAX];
    size_t length = strlen(path);
    if (length >= sizeof folder)
        return err_set(err, ERR_INVALID, "the path of a file is too long");
    for (size_t i = 1; i < length; i++) {
        if (path[i] != '/')
            continue;
        memcpy(folder, path, i);
        folder[i] = '\0';
        if (mkdir(folder, (mode_t)mode) != 0 && errno != EEXIST)
            return err_set(err, ERR_UNAVAILABLE, "%s: %s", folder, strerror(errno));
    }
    return ERR_OK;
}
