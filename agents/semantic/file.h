/* SPDX-License-Identifier: MIT */
/* agents/semantic/file.h - semantic.json -> model: the type and limit of every member are checked,
 * and every mistake is reported with its JSON pointer. bind.h checks names and expressions. */
#ifndef AGENTS_SEMANTIC_FILE_H
#define AGENTS_SEMANTIC_FILE_H

#include "agents/semantic/model.h"

/* Make the model of the text of a file; the caller owns it. ERR_INVALID: the text is not JSON, or
 * report has mistakes (err holds the first); ERR_NO_MEMORY. */
MUST_USE enum err_code semantic_file_read(struct str json, struct semantic **out,
                                          struct semantic_report *report, struct err *err);
/* Read the file at path, then as semantic_file_read. Errors of reading are ERR_INVALID as well,
 * because the file belongs to the deployment. */
MUST_USE enum err_code semantic_file_load(const char *path, struct semantic **out,
                                          struct semantic_report *report, struct err *err);

#endif
