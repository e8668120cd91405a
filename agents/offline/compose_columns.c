/* SPDX-License-Identifier: MIT */
/* agents/offline/compose_columns.c - what a list shows of a table: its labels, with its key where
 * they do not tell rows apart, or all that may be shown.
 *
 * Failure: none; what does not fit is left out. */
#include "agents/offline/compose.h"

size_t offline_compose_columns(const struct lexicon *lexicon, int table, bool labels_only,
                               int *columns, size_t max)
{
    const struct offline_facts *facts = &lexicon->facts[table];
    const struct catalog_table *t = &lexicon->catalog->tables[table];
    size_t count = 0;
    for (size_t i = 0; i < facts->label_count && count < max; i++)
        columns[count++] = facts->labels[i];
    if (labels_only) {
        bool unique = false;
        for (size_t i = 0; i < count; i++)
            unique = unique || t->columns[columns[i]].unique;
        if (!unique && facts->key != CATALOG_NONE && count < max)
            columns[count++] = facts->key;
        return count;
    }
    for (size_t c = 0; c < t->column_count && count < max; c++) {
        bool known = t->columns[c].hidden || t->columns[c].pii ||
                     t->columns[c].type == CATALOG_BLOB || (int)c == t->tenant_column;
        for (size_t i = 0; i < count && !known; i++)
            known = columns[i] == (int)c;
        if (!known)
            columns[count++] = (int)c;
    }
    return count;
}
