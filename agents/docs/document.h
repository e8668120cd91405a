/* SPDX-License-Identifier: MIT */
/* agents/docs/document.h - a document as what its format means: fields, title, blocks of text.
 *
 * Holds what Markdown, HTML and plain text have in common; agents/docs/chunk cuts it into chunks.
 * Everything is made in the caller's arena. Any thread. */
#ifndef AGENTS_DOCS_DOCUMENT_H
#define AGENTS_DOCS_DOCUMENT_H

#include "agents/docs/block.h"
#include "core/base/arena.h"
#include "core/base/buf.h"
#include "core/base/err.h"

enum docs_format { DOCS_MARKDOWN, DOCS_HTML, DOCS_PLAIN };

enum { DOCS_MAX_FIELDS = 8 };

struct docs_field {
    struct str name, value;
};

struct docs_document {
    struct str title;                          /* front matter's, else first heading; or absent */
    struct docs_field fields[DOCS_MAX_FIELDS]; /* front matter besides the title */
    size_t field_count;
    const struct docs_block *blocks;
    size_t block_count;
};

/* The format a file's name stands for (.md, .markdown, .html, .htm, .txt); false: none. */
MUST_USE bool docs_document_format(struct str name, enum docs_format *format);
/* Read bytes into *out. ERR_INVALID: not UTF-8, or front matter with a mistake (err names the
 * line); ERR_TOO_LARGE: more than DOCS_MAX_BYTES; ERR_NO_MEMORY: the arena is spent. */
MUST_USE enum err_code docs_document_read(struct arena *arena, enum docs_format format,
                                          struct str bytes, struct docs_document *out,
                                          struct err *err);

#endif
