/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog_names.h - the name index of a catalog that is being frozen; for catalog.c
 * only.
 */
#ifndef AGENTS_SQL_CATALOG_NAMES_H
#define AGENTS_SQL_CATALOG_NAMES_H

#include "agents/sql/catalog.h"

enum { CATALOG_NAME_BYTES = 512 }; /* of one name */

/* Make table i findable. ERR_INVALID: there is one like it; ERR_NO_MEMORY. */
MUST_USE enum err_code catalog_names_index(struct catalog *catalog, int i, struct err *err);

#endif
