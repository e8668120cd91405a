/* SPDX-License-Identifier: MIT */
/* agents/docs/formats/tables.h - CSV and JSON as HTML: records as a table, other JSON as a list of
 * paths and values. Errors are those of formats.h. */
#ifndef AGENTS_DOCS_FORMATS_TABLES_H
#define AGENTS_DOCS_FORMATS_TABLES_H

#include "core/base/buf.h"
#include "core/base/err.h"

MUST_USE enum err_code tables_write_csv(struct str bytes, struct buf *out, struct err *err);
MUST_USE enum err_code tables_write_json(struct str bytes, struct buf *out, struct err *err);

#endif
