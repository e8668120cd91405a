/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/sensitive.h - what a name says about how private its values are.
 *
 * Names are split into words (camelCase, snake_case, digits; a word that is nothing but known words
 * run together is parted, too), so "token_count" is no token, "monkey" no key, and "authtoken" is
 * one. A guess for databases nobody annotated. Pure. */
#ifndef AGENTS_SQL_CATALOG_SENSITIVE_H
#define AGENTS_SQL_CATALOG_SENSITIVE_H

#include "core/base/str.h"

enum sensitive {
    SENSITIVE_NOT,
    SENSITIVE_PII,    /* may be read, is never sampled or indexed */
    SENSITIVE_SECRET, /* nobody may read it */
};

/* How private the values of a column of this name are. may_be_text: its type can hold a secret's
 * text; names that are honest for numbers and dates (session_id, cookies) count only then. */
enum sensitive sensitive_column(struct str name, bool may_be_text);
/* Whether a table is made of secrets (api_keys, credentials, user_tokens). */
bool sensitive_table(struct str name);
/* Whether a table may be one of logins or of lessons (sessions), which its columns tell; and
 * whether a column is one that only a table of logins has (user_agent, payload). */
bool sensitive_may_be_logins(struct str table);
bool sensitive_is_of_logins(struct str column);

#endif
