/* SPDX-License-Identifier: MIT */
/* server/cli/docs/docs_files.c - folders walked, names made, duplicates found.
 *
 * Failure: a path that cannot be read is named in the error; a file of another format is passed
 * over when it is in a folder, and refused when it was given by name. */
#include "server/cli/docs/docs_files.h"
#include "server/documents/document_add.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct finding {
    struct arena *arena;
    enum docs_kind kind;
    struct docs_file *files;
    size_t count, cap;
    struct str folder;
    struct err *err;
};

static enum err_code add(struct finding *finding, const char *path, struct str name, bool skipped)
{
    if (name.len > DOCS_MAX_NAME || !str_is_utf8(name))
        return err_set(finding->err, ERR_INVALID,
                       "%s: a document's name is at most %d bytes of UTF-8", path, DOCS_MAX_NAME);
    if (finding->count == DOCS_MAX_FILES)
        return err_set(finding->err, ERR_TOO_LARGE, "more than %d files", DOCS_MAX_FILES);
    if (finding->count == finding->cap) {
        size_t cap = finding->cap == 0 ? 64 : finding->cap * 2;
        struct docs_file *files = arena_array(finding->arena, cap, sizeof *files);
        if (files == NULL)
            return err_set(finding->err, ERR_NO_MEMORY, "no memory for the list of files");
        if (finding->count > 0)
            memcpy(files, finding->files, finding->count * sizeof *files);
        finding->files = files;
        finding->cap = cap;
    }
    const char *kept = arena_cstr(finding->arena, str_of(path));
    struct str kept_name = arena_str(finding->arena, name);
    if (kept == NULL || str_is_absent(kept_name))
        return err_set(finding->err, ERR_NO_MEMORY, "no memory for the list of files");
    finding->files[finding->count++] =
        (struct docs_file){kept, kept_name, finding->folder, skipped};
    return ERR_OK;
}

const char *docs_files_endings(enum docs_kind kind)
{
    return document_add_is_records(kind)
               ? ".csv, .json or .jsonl"
               : ".md, .html, .txt, .pdf, .docx, .xlsx, .csv, .json or .jsonl";
}

/* ---- folders ---- */

static enum err_code walk(struct finding *finding, const char *path, unsigned depth);

/* Anything but a regular file or a folder is passed over; so are links. */
static enum err_code add_member(struct finding *finding, const char *path, unsigned depth)
{
    struct stat stat;
    if (lstat(path, &stat) != 0)
        return ERR_OK; /* the file was removed meanwhile */
    if (S_ISDIR(stat.st_mode))
        return walk(finding, path, depth + 1);
    if (!S_ISREG(stat.st_mode))
        return ERR_OK;
    return add(finding, path, str_from(str_of(path), finding->folder.len + 1),
               !document_add_has_format(finding->kind, str_of(path)));
}

static enum err_code walk(struct finding *finding, const char *path, unsigned depth)
{
    enum err_code code = ERR_OK;
    char member[PATH_MAX];
    if (depth > DOCS_MAX_DEPTH)
        return err_set(finding->err, ERR_TOO_LARGE, "%s: more than %d folders deep", path,
                       DOCS_MAX_DEPTH);
    DIR *folder = opendir(path);
    if (folder == NULL)
        return err_set(finding->err, ERR_NOT_FOUND, "%s: %s", path, strerror(errno));
    for (struct dirent *entry; code == ERR_OK && (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        int length = snprintf(member, sizeof member, "%s/%s", path, entry->d_name);
        if (length < 0 || (size_t)length >= sizeof member)
            code = err_set(finding->err, ERR_INVALID, "%s: a path in it is too long", path);
        else
            code = add_member(finding, member, depth);
    }
    closedir(folder);
    return code;
}

/* ---- all paths ---- */

static enum err_code add_path(struct finding *finding, const char *given)
{
    char path[PATH_MAX];
    struct stat stat_of;
    if (realpath(given, path) == NULL || stat(path, &stat_of) != 0)
        return err_set(finding->err, ERR_NOT_FOUND, "%s: %s", given, strerror(errno));
    if (S_ISDIR(stat_of.st_mode)) {
        finding->folder = arena_str(finding->arena, str_of(path));
        return walk(finding, path, 0);
    }
    finding->folder = STR("");
    const char *slash = strrchr(path, '/');
    if (!document_add_has_format(finding->kind, str_of(path)))
        return err_set(finding->err, ERR_INVALID, "%s: expected %s", given,
                       docs_files_endings(finding->kind));
    return add(finding, path, str_of(slash == NULL ? path : slash + 1), false);
}

bool docs_files_folder(struct arena *arena, const char *path, struct str *folder)
{
    char absolute[PATH_MAX];
    struct stat stat_of;
    if (realpath(path, absolute) == NULL || stat(absolute, &stat_of) != 0 ||
        !S_ISDIR(stat_of.st_mode))
        return false;
    *folder = arena_str(arena, str_of(absolute));
    return !str_is_absent(*folder);
}

static int by_name(const void *a, const void *b)
{
    return str_compare(((const struct docs_file *)a)->name, ((const struct docs_file *)b)->name);
}

enum err_code docs_files_find(struct arena *arena, enum docs_kind kind, const char *const *paths,
                              size_t path_count, struct docs_file **files, size_t *count,
                              struct err *err)
{
    struct finding finding = {.arena = arena, .kind = kind, .err = err};
    enum err_code code = ERR_OK;
    for (size_t i = 0; code == ERR_OK && i < path_count; i++)
        code = add_path(&finding, paths[i]);
    if (code != ERR_OK)
        return code;
    if (finding.count > 0)
        qsort(finding.files, finding.count, sizeof *finding.files, by_name);
    for (size_t i = 1; i < finding.count; i++)
        if (str_equal(finding.files[i - 1].name, finding.files[i].name) &&
            strcmp(finding.files[i - 1].path, finding.files[i].path) != 0)
            return err_set(err, ERR_INVALID,
                           "%s and %s would both be called '%.*s': add the folder that holds both",
                           finding.files[i - 1].path, finding.files[i].path,
                           STR_ARG(finding.files[i].name));
    *files = finding.files;
    *count = finding.count;
    return ERR_OK;
}
