/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/column_access.c - a table of words. Cannot fail. */
#include "agents/sql/catalog/column_access.h"

static const char *const names[] = {
    [COLUMN_ACCESS_CLEAR] = "clear",     [COLUMN_ACCESS_HIDDEN] = "hidden",
    [COLUMN_ACCESS_PRIVATE] = "private", [COLUMN_ACCESS_NULL] = "null",
    [COLUMN_ACCESS_LAST4] = "last4",     [COLUMN_ACCESS_HASH] = "hash",
    [COLUMN_ACCESS_DOMAIN] = "domain",
};

bool column_access_find(struct str word, enum column_access *access)
{
    for (size_t i = 0; i < countof(names); i++) {
        if (!str_equal(word, str_of(names[i])))
            continue;
        *access = (enum column_access)i;
        return true;
    }
    return false;
}

const char *column_access_name(enum column_access access)
{
    return names[access];
}
