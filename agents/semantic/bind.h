/* SPDX-License-Identifier: MIT */
/* agents/semantic/bind.h - a model's names and expressions against a catalog.
 *
 * Expressions and verified statements are judged by the guard as they would be sent. What does not
 * hold is said and left unused. Pure. */
#ifndef AGENTS_SEMANTIC_BIND_H
#define AGENTS_SEMANTIC_BIND_H

#include "agents/semantic/model.h"
#include "agents/sql/catalog/catalog_change.h"
#include "agents/sql/guard/policy.h"

/* What the model changes of a catalog that is being built (comments, PII, tenant columns), in the
 * model's arena. Returns how many; NULL and 0: none, or no memory. */
const struct catalog_change *semantic_bind_changes(struct semantic *semantic, size_t *count);
/* Its lookup flags in the join graph's format; empty: none. */
void semantic_bind_lookups(const struct semantic *semantic, struct buf *out);
/* Find everything in the catalog, which outlives the model. Each mistake is a line of report. */
void semantic_bind_catalog(struct semantic *semantic, const struct catalog *catalog,
                           const struct sql_policy *policy, enum sql_dialect dialect,
                           struct semantic_report *report);

#endif
