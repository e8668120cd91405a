/* SPDX-License-Identifier: MIT */
/* agents/docs/formats/docx.h - a document of Word as HTML: headings by their styles, paragraphs,
 * lists, tables. Errors are those of formats.h. Blocking. */
#ifndef AGENTS_DOCS_FORMATS_DOCX_H
#define AGENTS_DOCS_FORMATS_DOCX_H

#include "core/base/buf.h"
#include "core/base/err.h"

MUST_USE enum err_code docx_write_html(struct str bytes, struct buf *out, struct err *err);

#endif
