/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/averages.c - whose average something is compared with.
 *
 * Happy path: a value behind "the average" picks the rows that are averaged; "of their city" those
 * that are like the row itself. Failure: rows that are further away are meant. */
#include "agents/offline/reading/averages.h"

/* The one column of table that refers to a row of to; CATALOG_NONE: none, or several. */
static int reference_to(const struct catalog *catalog, int table, int to)
{
    const struct catalog_table *t = &catalog->tables[table];
    int found = CATALOG_NONE;
    for (size_t i = 0; i < t->reference_count; i++) {
        if (t->references[i].to_table != to || t->references[i].column_count != 1)
            continue;
        if (found != CATALOG_NONE)
            return CATALOG_NONE;
        found = t->references[i].columns[0];
    }
    return found;
}

bool offline_averages_read(struct parse *p, int table, struct reading_mean *mean)
{
    if (offline_parse_is(p, offline_parse_next(p, p->at), LINK_TABLE) && table != READING_NONE &&
        p->items[offline_parse_next(p, p->at)].is.table == table)
        p->at = offline_parse_next(p, p->at) + 1; /* "the average book" */
    size_t value = offline_parse_next(p, p->at), noun = offline_parse_next(p, value + 1);
    if (offline_parse_is_cue(p, noun, CUE_SAME))
        noun = offline_parse_next(p, noun + 1);
    *mean = (struct reading_mean){.of = MEAN_ALL};
    if (table == READING_NONE)
        return true;
    if (offline_parse_is(p, value, LINK_VALUE) && p->items[value].is.table == table) {
        *mean = (struct reading_mean){MEAN_OF_VALUE, p->items[value].is.column,
                                      p->items[value].is.value};
        p->at = value + 1;
        if (offline_parse_is(p, p->at, LINK_TABLE) && p->items[p->at].is.table == table)
            p->at++;
        return true;
    }
    bool other = offline_parse_is(p, noun, LINK_TABLE) && p->items[noun].is.table != table;
    bool own = offline_parse_is(p, noun, LINK_COLUMN) && p->items[noun].is.table == table &&
               !offline_parse_is_measure(p, &p->items[noun].is);
    if (!offline_parse_is_cue(p, value, CUE_PREP) || (!other && !own))
        return true;
    int column =
        own ? p->items[noun].is.column : reference_to(p->catalog, table, p->items[noun].is.table);
    if (column == CATALOG_NONE)
        return offline_parse_stop(p, "whose average is meant is not clear");
    *mean = (struct reading_mean){MEAN_OF_LIKE, column, STR("")};
    p->at = noun + 1;
    return true;
}
