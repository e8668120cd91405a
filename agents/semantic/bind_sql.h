/* SPDX-License-Identifier: MIT */
/* agents/semantic/bind_sql.h - a model's expressions and statements through the guard. Private to
 * bind.c. */
#ifndef AGENTS_SEMANTIC_BIND_SQL_H
#define AGENTS_SEMANTIC_BIND_SQL_H

#include "agents/semantic/bind.h"

struct binding {
    struct semantic *semantic;
    const struct catalog *catalog;
    const struct sql_policy *policy;
    enum sql_dialect dialect;
    struct semantic_report *report;
};

/* The table, or CATALOG_NONE and a line at pointer. */
int semantic_bind_table(struct binding *b, struct str pointer, struct str name);
/* Make named[i] usable, or say why it is not. */
void semantic_bind_sql_named(struct binding *b, size_t i);
void semantic_bind_sql_verified(struct binding *b, size_t i);

#endif
