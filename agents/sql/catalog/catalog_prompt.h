/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/catalog_prompt.h - a catalog's tables as text for a model. Pure; any thread.
 */
#ifndef AGENTS_SQL_CATALOG_CATALOG_PROMPT_H
#define AGENTS_SQL_CATALOG_CATALOG_PROMPT_H

#include "agents/sql/catalog/catalog.h"

/* Whether a prompt leaves a column out. The table is the one that is read: a secure view where
 * there is one. */
struct catalog_omits {
    bool (*is)(const struct catalog_omits *omits, int table, int column);
};
/* Append tables for a prompt: a Markdown header and bullets per table (R61), logical names only
 * (C27), at most max_columns each, with references. Hidden columns are left out, and those that
 * omits names, which may be NULL. */
void catalog_write_prompt(const struct catalog *catalog, const int *tables, size_t count,
                          size_t max_columns, const struct catalog_omits *omits, struct buf *out);

#endif
