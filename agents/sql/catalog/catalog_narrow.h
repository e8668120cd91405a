/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/catalog_narrow.h - a catalog as one policy lets it be seen: what the policy
 * closes is hidden in it, so whoever reads the catalog (prompts, searches, the guard) sees no more.
 * Tables and columns keep their indices. */
#ifndef AGENTS_SQL_CATALOG_CATALOG_NARROW_H
#define AGENTS_SQL_CATALOG_CATALOG_NARROW_H

#include "agents/sql/catalog/visible.h"

/* Make a catalog in which what policy closes is hidden: tables it does not list, and its hidden
 * columns; and columns are masked as it says, in a table, in the view that stands for it, and, by
 * their names, in other views. sees.catalog must outlive it; the caller
 * destroys it. NULL: no memory. */
struct catalog *catalog_narrow_create(struct sql_visible sees);
void catalog_narrow_destroy(struct catalog *narrow);

#endif
