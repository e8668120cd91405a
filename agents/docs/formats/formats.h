/* SPDX-License-Identifier: MIT */
/* agents/docs/formats/formats.h - files as people have them (PDF, DOCX, XLSX, CSV, JSON) as HTML of
 * headings, paragraphs, lists and tables, which agents/docs/document reads.
 *
 * The bytes are a stranger's and the libraries that read them are large, so this runs in a child
 * process without rights (backends/extract). Blocking. */
#ifndef AGENTS_DOCS_FORMATS_FORMATS_H
#define AGENTS_DOCS_FORMATS_FORMATS_H

#include "agents/docs/formats/format_limits.h"
#include "core/base/buf.h"
#include "core/base/err.h"

enum formats_kind { FORMATS_PDF, FORMATS_DOCX, FORMATS_XLSX, FORMATS_CSV, FORMATS_JSON };

/* The format that a file's name stands for (.pdf, .docx, .xlsx, .csv, .json, .jsonl, .ndjson);
 * false: none. */
MUST_USE bool formats_of_name(struct str name, enum formats_kind *kind);
const char *formats_name(enum formats_kind kind); /* "pdf"; static */
/* Write bytes to out as HTML. ERR_INVALID: it is no such file, or a broken one, or locked by a
 * password; ERR_TOO_LARGE: more than a limit, which err names; ERR_NOT_CONFIGURED: a program that
 * reads it is missing; ERR_NO_MEMORY: out is full. */
MUST_USE enum err_code formats_write_html(enum formats_kind kind, struct str bytes, struct buf *out,
                                          struct err *err);

#endif
