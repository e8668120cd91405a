/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog_tenancy.h - which tables hold rows of companies without saying so; for
 * catalog.c only.
 *
 * Sets tenant_key and tenant_reference of every table, once references and tenant columns are
 * known. */
#ifndef AGENTS_SQL_CATALOG_TENANCY_H
#define AGENTS_SQL_CATALOG_TENANCY_H

#include "agents/sql/catalog.h"

/* tables: those of the catalog, still open. ERR_NO_MEMORY. */
MUST_USE enum err_code catalog_tenancy_find(struct catalog *catalog, struct catalog_table *tables,
                                            struct err *err);

#endif
