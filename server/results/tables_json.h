/* SPDX-License-Identifier: MIT */
/* server/results/tables_json.h - what statements may read, as the guard has it, as JSON. Pure. */
#ifndef SERVER_RESULTS_TABLES_JSON_H
#define SERVER_RESULTS_TABLES_JSON_H

#include "agents/services/services.h"

/* One JSON object: all tables by name, or with table its columns and references. ERR_NOT_FOUND:
 * there is no such table; ERR_UNAVAILABLE: nothing is known about the database. */
MUST_USE enum err_code tables_json_write(const struct knowledge *knows, struct str table,
                                         struct buf *out, struct err *err);
/* One JSON object: all tables with columns and references, with what people call them ("label") and
 * the columns that a row is called by ("names"). ERR_UNAVAILABLE as above. */
MUST_USE enum err_code tables_json_write_all(const struct knowledge *knows, struct buf *out,
                                             struct err *err);

#endif
