/* SPDX-License-Identifier: MIT */
/* agents/lexicon/notation.h - prefixes of columns that tell their type, and nothing of what is in
 * them: strName, dtmArrival, curAmount.
 *
 * Known by the schema alone: nearly all columns begin with one of a few short words, each of which
 * stands before columns of one type, in several tables. Any thread. */
#ifndef AGENTS_LEXICON_NOTATION_H
#define AGENTS_LEXICON_NOTATION_H

#include "agents/sql/catalog/catalog.h"
#include "core/base/arena.h"

enum { NOTATION_PREFIXES = 24 };

struct lexicon_notation {
    struct str prefixes[NOTATION_PREFIXES];
    size_t count; /* 0: columns are not called so */
};

/* Find the prefixes of a schema; they are kept in arena. False: no memory. */
bool lexicon_notation_find(struct arena *arena, const struct catalog *catalog,
                           struct lexicon_notation *notation);
/* A column's name without its prefix, a view of name; the whole name where it has none. */
struct str lexicon_notation_rest(const struct lexicon_notation *notation, struct str name);

#endif
