/* SPDX-License-Identifier: MIT */
/* agents/lexicon/exact.h - the values of a column as they are spelled, to tell whether the column
 * lacks a value.
 *
 * Filled while a lexicon is loaded; asked through column_values.h. Case is folded (ASCII). A set of
 * hashes, 8 bytes a value: where two values have the same hash (one chance in 2^64) the column
 * seems to have a value that it lacks. */
#ifndef AGENTS_LEXICON_EXACT_H
#define AGENTS_LEXICON_EXACT_H

#include "core/base/str.h"

struct lexicon_exact { /* zeroed is empty */
    /* private */
    uint64_t *slots; /* 0: free */
    size_t cap, count;
};

void lexicon_exact_fini(struct lexicon_exact *exact);
/* Note a value of the column. owner: the company that has it (a hash, owned.h); 0: everybody.
 * False: no memory. */
MUST_USE bool lexicon_exact_add(struct lexicon_exact *exact, int table, int column,
                                struct str value, uint64_t owner);
/* Note that all values of the column are in the set. False: no memory. */
MUST_USE bool lexicon_exact_is_whole(struct lexicon_exact *exact, int table, int column);
/* Whether lexicon_exact_is_whole was said of the column. */
bool lexicon_exact_is_read(const struct lexicon_exact *exact, int table, int column);
/* Whether value was noted for everybody or for company. */
bool lexicon_exact_has(const struct lexicon_exact *exact, int table, int column, struct str value,
                       uint64_t company);
/* Whether the column is whole and has value neither for everybody nor for company. */
bool lexicon_exact_lacks(const struct lexicon_exact *exact, int table, int column, struct str value,
                         uint64_t company);

#endif
