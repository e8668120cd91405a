/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/sensitive.h - what a name says about how private its values are.
 *
 * Names are split into words (camelCase, snake_case, digits), so "token_count" is no token and
 * "passengerId" no password. A guess for databases nobody annotated. Pure. */
#ifndef AGENTS_SQL_CATALOG_SENSITIVE_H
#define AGENTS_SQL_CATALOG_SENSITIVE_H

#include "core/base/str.h"

enum sensitive {
    SENSITIVE_NOT,
    SENSITIVE_PII,    /* may be read, is never sampled or indexed */
    SENSITIVE_SECRET, /* nobody may read it */
};

/* How private the values of a column of this name are. */
enum sensitive sensitive_column(struct str name);
/* Whether a table is made of secrets (api_keys, credentials). */
bool sensitive_table(struct str name);

#endif
