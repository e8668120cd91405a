/* SPDX-License-Identifier: MIT */
/* agents/docs/formats/xlsx.h - a workbook of Excel as HTML: a heading and a table for each sheet;
 * dates as dates. Errors are those of formats.h. Blocking. */
#ifndef AGENTS_DOCS_FORMATS_XLSX_H
#define AGENTS_DOCS_FORMATS_XLSX_H

#include "core/base/buf.h"
#include "core/base/err.h"

MUST_USE enum err_code xlsx_write_html(struct str bytes, struct buf *out, struct err *err);

#endif
