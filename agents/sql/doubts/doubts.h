/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/doubts.h - what is doubtful about a statement by its form alone: counts, means
 * and groups that say something else than they seem to, and conditions that undo a join.
 *
 * Such a statement is valid and may be meant; whoever wrote it is told, and whoever asked where it
 * stays. No word of the question is needed, so that it is in any language; where words are looked
 * at, they only spare a doubt. Deterministic, no I/O, any thread. */
#ifndef AGENTS_SQL_DOUBTS_DOUBTS_H
#define AGENTS_SQL_DOUBTS_DOUBTS_H

#include "agents/sql/parse/parse.h"

struct sql_doubts_source {
    const struct sql_parse *parse;
    const struct catalog *catalog;
    struct str question; /* or "" */
    struct arena *arena; /* of the texts */
    /* Whether rows have more than one value of the column; NULL: nobody knows, so they have. */
    bool (*has_several)(void *owner, int table, int column);
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
