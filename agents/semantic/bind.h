/* SPDX-License-Identifier: MIT */
/* agents/semantic/bind.h - finds the names and expressions of a semantic model in a catalog.
 *
 * The guard judges expressions and verified statements as they would be sent. An entry that is
 * wrong is reported and left unused. Pure. */
#ifndef AGENTS_SEMANTIC_BIND_H
#define AGENTS_SEMANTIC_BIND_H

#include "agents/semantic/model.h"
#include "agents/sql/catalog/catalog_change.h"
#include "agents/sql/guard/policy.h"

/* The changes that the model makes to a catalog that is being built (comments, PII, tenant
 * columns), in the model's arena. Returns them, *count many; NULL and 0: none, or no memory. */
const struct catalog_change *semantic_bind_changes(struct semantic *semantic, size_t *count);
/* Append the lookup flags of the model in the format of a join graph; nothing when there are none.
 */
void semantic_bind_lookups(const struct semantic *semantic, struct buf *out);
/* Find every name of the model in catalog, which must outlive the model. Each mistake is a line of
 * report. */
void semantic_bind_catalog(struct semantic *semantic, const struct catalog *catalog,
                           const struct sql_policy *policy, enum sql_dialect dialect,
                           struct semantic_report *report);

#endif
