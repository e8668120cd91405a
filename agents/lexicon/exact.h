/* SPDX-License-Identifier: MIT */
/* agents/lexicon/exact.h - the values of a column as they are, for asking whether it lacks one.
 *
 * Part of a lexicon while it is loaded; asked through lexicon_lacks. Case is folded (ASCII). A set
 * of hashes: 8 bytes a value, and two values in 2^64 that meet make a column lack one value less.
 */
#ifndef AGENTS_LEXICON_EXACT_H
#define AGENTS_LEXICON_EXACT_H

#include "core/base/str.h"

struct lexicon_exact { /* zeroed is empty */
    /* private */
    uint64_t *slots; /* 0: free */
    size_t cap, count;
};

void lexicon_exact_fini(struct lexicon_exact *exact);
/* Note a value of the column, of an owner (owned.h), or of everybody: 0. False: no memory. */
MUST_USE bool lexicon_exact_add(struct lexicon_exact *exact, int table, int column,
                                struct str value, uint64_t owner);
/* All values of the column were noted. False: no memory. */
MUST_USE bool lexicon_exact_is_whole(struct lexicon_exact *exact, int table, int column);
/* As lexicon_lacks, for what everybody has and company. */
bool lexicon_exact_lacks(const struct lexicon_exact *exact, int table, int column, struct str value,
                         uint64_t company);

#endif
