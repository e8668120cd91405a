/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/column_access.h - how a column may be read, in the words of policy files and
 * of semantic.json. Constant. */
#ifndef AGENTS_SQL_CATALOG_COLUMN_ACCESS_H
#define AGENTS_SQL_CATALOG_COLUMN_ACCESS_H

#include "core/base/str.h"

enum column_access {
    COLUMN_ACCESS_CLEAR,   /* like any other */
    COLUMN_ACCESS_HIDDEN,  /* by nobody: as if it were not there */
    COLUMN_ACCESS_PRIVATE, /* in rows alone: no model and no index sees a value */
    /* masked: a statement sees only what the mask leaves */
    COLUMN_ACCESS_NULL,   /* nothing */
    COLUMN_ACCESS_LAST4,  /* the last four characters, of eight or more */
    COLUMN_ACCESS_HASH,   /* a pseudonym: equal for equal values */
    COLUMN_ACCESS_DOMAIN, /* of an address of e-mail: what follows the @ */
};

/* What words there are, for messages. */
#define COLUMN_ACCESS_WORDS                                                                        \
    "\"hidden\", \"private\", \"null\", \"last4\", \"hash\", \"domain\" or \"clear\""

/* The access that a word names. False: none, and *access is as it was. */
bool column_access_find(struct str word, enum column_access *access);
/* The word; static. */
const char *column_access_name(enum column_access access);

static inline bool column_access_is_mask(enum column_access access)
{
    return access >= COLUMN_ACCESS_NULL;
}

#endif
