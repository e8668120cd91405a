/* SPDX-License-Identifier: MIT */
/* agents/docs/formats/archive.c - libzip over a buffer.
 *
 * Happy path: entries are found by name and read in pieces; what was unpacked is counted, whatever
 * the archive says of its sizes. Failure: no archive, too much, a wrong checksum (libzip's). */
#include "agents/docs/formats/archive.h"

#include <zip.h>

#include "agents/docs/formats/format_limits.h"
#include "core/base/mem.h"

enum { MOST_FILES = 20000, PIECE_BYTES = 256 * 1024 };

struct archive {
    zip_t *zip;
    size_t unpacked;
};

struct archive *archive_open(struct str bytes, struct err *err)
{
    zip_error_t why;
    struct archive *archive = mem_zalloc(1, sizeof *archive);
    zip_error_init(&why);
    zip_source_t *source =
        archive == NULL ? NULL : zip_source_buffer_create(bytes.at, bytes.len, 0, &why);
    if (source == NULL) {
        mem_free(archive);
        zip_error_fini(&why);
        err_set(err, ERR_NO_MEMORY, "no memory for the archive");
        return NULL;
    }
    archive->zip = zip_open_from_source(source, ZIP_RDONLY, &why);
    if (archive->zip == NULL) {
        zip_source_free(source);
        mem_free(archive);
        archive = NULL;
        err_set(err, ERR_INVALID,
                "it is no file of its format: not an archive, cut short, or locked by a password");
    } else if (zip_get_num_entries(archive->zip, 0) > MOST_FILES) {
        err_set(err, ERR_TOO_LARGE, "it holds more than %d files", MOST_FILES);
        archive_close(archive);
        archive = NULL;
    }
    zip_error_fini(&why);
    return archive;
}

void archive_close(struct archive *archive)
{
    if (archive == NULL)
        return;
    zip_discard(archive->zip);
    mem_free(archive);
}

static enum err_code read_all(struct archive *archive, zip_file_t *file, struct buf *out,
                              struct err *err)
{
    for (;;) {
        char *room = buf_reserve(out, PIECE_BYTES);
        if (room == NULL)
            return err_set(err, ERR_TOO_LARGE, "a part of it unpacks to more than %zu MiB",
                           out->limit >> 20);
        zip_int64_t count = zip_fread(file, room, PIECE_BYTES);
        if (count < 0)
            return err_set(err, ERR_INVALID, "a part of it is broken, or locked by a password");
        if (count == 0)
            return ERR_OK;
        buf_commit(out, (size_t)count);
        archive->unpacked += (size_t)count;
        if (archive->unpacked > FORMATS_MAX_EXPANDED)
            return err_set(err, ERR_TOO_LARGE, "it unpacks to more than %d MiB",
                           FORMATS_MAX_EXPANDED >> 20);
    }
}

enum err_code archive_read(struct archive *archive, const char *path, struct buf *out,
                           struct err *err)
{
    buf_clear(out);
    if (zip_name_locate(archive->zip, path, ZIP_FL_NOCASE) < 0)
        return err_set(err, ERR_NOT_FOUND, "it has no part %s", path);
    zip_file_t *file = zip_fopen(archive->zip, path, ZIP_FL_NOCASE);
    if (file == NULL)
        return err_set(err, ERR_INVALID, "its part %s is broken, or locked by a password", path);
    enum err_code code = read_all(archive, file, out, err);
    zip_fclose(file);
    return code;
}
