/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/view_probe.h - do the secure views show what their tables hold?
 *
 * With a wrong key, or none, AES_DECRYPT gives NULL and no error: answers would be wrong without a
 * word. Therefore a few rows of each table are read beside the same rows of its view (C26). */
#ifndef AGENTS_SQL_CATALOG_VIEW_PROBE_H
#define AGENTS_SQL_CATALOG_VIEW_PROBE_H

#include "agents/sql/catalog/catalog.h"
#include "backends/sql.h"

struct view_probe {
    struct op op;        /* "sql.view_probe" */
    struct buf warnings; /* one a line, the caller's to fini; empty: all is well, or unknown */
    /* private */
    void *impl;
};

/* Probe each view of catalog's secure-view map, one after the other, one or two statements each,
 * at most two seconds a statement and twenty in all. variables as every statement gets them (the
 * company is taken from the table's own rows); kept until done. A view that cannot be probed is a
 * warning, not a failure: ERR_CANCELLED, ERR_NO_MEMORY. */
void view_probe_start(struct view_probe *probe, struct sql *sql, const struct catalog *catalog,
                      const struct sql_variable *variables, size_t variable_count,
                      struct op_waiter waiter);

#endif
