/* SPDX-License-Identifier: MIT */
/* agents/docs/formats/pdf.h - the text of a PDF as HTML, page by page, by pdftotext.
 * Errors are those of formats.h. Blocking. */
#ifndef AGENTS_DOCS_FORMATS_PDF_H
#define AGENTS_DOCS_FORMATS_PDF_H

#include "core/base/buf.h"
#include "core/base/err.h"

MUST_USE enum err_code pdf_write_html(struct str bytes, struct buf *out, struct err *err);

#endif
