/* SPDX-License-Identifier: MIT */
/* server/cli/docs/docs_files.h - the paths of a command line -> the files to add, and their names
 * as documents.
 *
 * A folder stands for every file below it, of which those of no format are marked as skipped; its
 * documents are named by their path below the folder, a file that is given by itself by its last
 * part. Blocking. */
#ifndef SERVER_CLI_DOCS_DOCS_FILES_H
#define SERVER_CLI_DOCS_DOCS_FILES_H

#include "agents/docs/formats/formats.h"
#include "agents/docs/items.h"

struct docs_file {
    const char *path;  /* to open; absolute */
    struct str name;   /* of the document: "guides/core.md" */
    struct str folder; /* the given folder it was found below, absolute; empty: the file itself was
                          given */
    bool skipped;      /* found in a folder, and of no format of the kind */
};

enum { DOCS_MAX_FILES = 100 * 1000, DOCS_MAX_DEPTH = 32 };

/* The endings of the kind's formats: ".md, .html or ..."; static. */
const char *docs_files_endings(enum docs_kind kind);
/* Find all files of paths for kind, sorted by name, in arena. Hidden files, and links that leave
 * the folder or come back, are passed over. ERR_NOT_FOUND: a path is not there; ERR_INVALID: a
 * given file has no format of the kind (err lists the formats), a name is too long, or two files
 * have one name; ERR_TOO_LARGE. */
MUST_USE enum err_code docs_files_find(struct arena *arena, enum docs_kind kind,
                                       const char *const *paths, size_t path_count,
                                       struct docs_file **files, size_t *count, struct err *err);
/* Whether path is a folder that can be found, and then its absolute path in arena. */
MUST_USE bool docs_files_folder(struct arena *arena, const char *path, struct str *folder);

#endif
