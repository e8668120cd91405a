/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/doubts.h - what is doubtful about a statement by its form: counts, means and
 * groups that say something else than they seem to, conditions that undo a join; and about its form
 * beside the numbers, days and names that the question says.
 *
 * Such a statement is valid and may be meant; whoever wrote it is told, and whoever asked where it
 * stays. Deterministic, no I/O, any thread. */
#ifndef AGENTS_SQL_DOUBTS_DOUBTS_H
#define AGENTS_SQL_DOUBTS_DOUBTS_H

#include "agents/sql/parse/parse.h"

struct sql_doubts_period { /* first <= day < end (core/base/calendar.h) */
    int64_t first, end;
    struct str words; /* as it is said */
    bool is_rolling;  /* it begins or ends today, and either end may be a day off */
};

enum { SQL_DOUBTS_PIECES_MOST = 16 };

struct sql_doubts_rule { /* the condition on rows of a table that count, e.g. deleted_at IS NULL */
    struct {
        struct str text;
        int column; /* behind the text; CATALOG_NONE: none */
    } pieces[SQL_DOUBTS_PIECES_MOST];
    size_t count;
    bool is_mark; /* the other rows are marked as deleted */
};

struct sql_doubts_source {
    const struct sql_parse *parse;
    const struct catalog *catalog;
    struct str question; /* or "" */
    struct arena *arena; /* of the texts */
    bool is_read; /* others have said what the question asks for: its numbers, days, values and
                     denials are not looked at */
    bool ties_only; /* of proofs: only whether others share the first place */
    /* Whether rows have more than one value of the column; NULL: nobody knows, so they have. */
    bool (*has_several)(void *owner, int table, int column);
    /* Write words in which people speak of the column (CATALOG_NONE: of the table) beside those of
     * its name, at most max; how many. NULL: there are none. */
    size_t (*words)(void *owner, int table, int column, struct str *words, size_t max);
    /* Write the values of a column that has few, at most max; how many. NULL: nobody knows. */
    size_t (*values)(void *owner, int table, int column, struct str *values, size_t max);
    /* Whether a text of the statement says what the word of the question does. NULL: nobody knows.
     */
    bool (*says)(void *owner, struct str text, struct str word);
    /* The only period that the question names by what day it is, such as "last week". False: there
     * is none. NULL: nobody knows. */
    bool (*period)(void *owner, struct str question, struct sql_doubts_period *period);
    /* Which rows of the table count. False: all of them do. NULL: nobody knows. */
    bool (*counted)(void *owner, int table, struct sql_doubts_rule *rule);
    void *owner;
};

struct sql_doubt {
    const char *kind; /* a word for each kind */
    struct str told;  /* for whoever wrote the statement */
    struct str shown; /* for whoever asked */
};

/* Called once for each doubt, which is borrowed for the call; texts are of the arena, and absent
 * where it has no memory. */
typedef void sql_doubts_fn(void *owner, const struct sql_doubt *doubt);

void sql_doubts_find(const struct sql_doubts_source *source, sql_doubts_fn *say, void *owner);

#endif
