/* SPDX-License-Identifier: MIT */
/* agents/offline/compose/keyed.h - parts of a statement: FROM and WHERE over a join tree, and
 * subqueries tied to a row of it (NOT EXISTS, key IN (... GROUP BY key HAVING ...)). */
#ifndef AGENTS_OFFLINE_COMPOSE_KEYED_H
#define AGENTS_OFFLINE_COMPOSE_KEYED_H

#include "agents/offline/compose/compose_schema.h"
#include "agents/offline/compose/render.h"

struct keyed {
    const struct compose_schema *schema;
    struct render render;
    unsigned alias; /* last one given */
    bool apart;     /* the groups keep rows apart that the joins repeat */
    struct err *err;
};

/* FROM root JOIN ... for the joined nodes. */
void offline_keyed_from(struct keyed *k, const struct jointree *tree);
/* Conditions of filters (those with out or numerator set left out) and of related branches, each
 * led by " WHERE " or " AND "; *first says which comes next. */
void offline_keyed_where(struct keyed *k, const struct jointree *tree,
                         const struct reading_filter *filters, size_t filter_count, bool *first);
void offline_keyed_lead(struct keyed *k, bool *first);
/* NOT EXISTS about the row of anchor. */
MUST_USE enum err_code offline_keyed_not(struct keyed *k, const struct jointree *tree, int anchor,
                                         const struct reading_scope *scope);
/* key IN (SELECT key ... GROUP BY key HAVING ...) about the row of anchor. */
MUST_USE enum err_code offline_keyed_having(struct keyed *k, const struct jointree *tree,
                                            int anchor, const struct reading_scope *scope);
/* LEFT JOIN (SELECT key, COUNT(*) AS n ... GROUP BY key) AS c ON c.k = anchor.key. */
MUST_USE enum err_code offline_keyed_counts(struct keyed *k, const struct jointree *tree,
                                            int anchor, const struct reading_scope *scope);
/* (SELECT COUNT(*) ... WHERE key = anchor.key) */
MUST_USE enum err_code offline_keyed_amount(struct keyed *k, const struct jointree *tree,
                                            int anchor, const struct reading_scope *scope);
/* Tables a scope speaks of, appended to those of wanted. */
void offline_keyed_tables(const struct reading_scope *scope, struct jointree_wanted *wanted);
/* Append an aggregate: AVG(t1.x), COUNT(*), COUNT(DISTINCT t1.id) where rows repeat. ERR_INVALID: a
 * sum would count rows twice. */
MUST_USE enum err_code offline_keyed_aggregate(struct keyed *k, const struct jointree *tree,
                                               enum offline_agg agg, struct reading_column on);

#endif
