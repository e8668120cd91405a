/* SPDX-License-Identifier: MIT */
/* agents/semantic/file.h - semantic.json -> model: every member typed and limited, every mistake
 * with its JSON pointer. Names and expressions are not looked at: bind.h does that. */
#ifndef AGENTS_SEMANTIC_FILE_H
#define AGENTS_SEMANTIC_FILE_H

#include "agents/semantic/model.h"

/* The model of a file's text, the caller's. ERR_INVALID: it is no JSON, or report has mistakes (err
 * holds the first); ERR_NO_MEMORY. */
MUST_USE enum err_code semantic_file_read(struct str json, struct semantic **out,
                                          struct semantic_report *report, struct err *err);
/* The same from a path. Reading errors are ERR_INVALID, too: the file is the deployment's own. */
MUST_USE enum err_code semantic_file_load(const char *path, struct semantic **out,
                                          struct semantic_report *report, struct err *err);

#endif
