/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/naming.h - the words of a name of a schema, and what they give away. Pure. */
#ifndef AGENTS_SQL_CATALOG_NAMING_H
#define AGENTS_SQL_CATALOG_NAMING_H

#include "core/base/str.h"

/* The next word of a camelCase or snake_case name, taken off *rest; absent at the end. */
struct str sql_naming_next_word(struct str *rest);
/* Whether word is one of count words, in any case. */
bool sql_naming_is_one_of(struct str word, const char *const *list, size_t count);
/* Whether the column says who touched the row: createdBy, voided_by, creator. */
bool sql_naming_is_audit(struct str column);

#endif
