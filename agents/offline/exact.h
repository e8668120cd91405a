/* SPDX-License-Identifier: MIT */
/* agents/offline/exact.h - the values of a column as they are, for asking whether it lacks one.
 *
 * Part of a lexicon while it is loaded; asked through lexicon_lacks. Case is folded (ASCII). */
#ifndef AGENTS_OFFLINE_EXACT_H
#define AGENTS_OFFLINE_EXACT_H

#include "agents/offline/index.h"

/* Note a value of the column. False: no memory. */
MUST_USE bool offline_exact_add(struct lexicon *lexicon, int table, int column, struct str value);
/* As lexicon_lacks. */
bool offline_exact_lacks(const struct lexicon *lexicon, int table, int column, struct str value);
/* All values of the column were noted. False: no memory. */
MUST_USE bool offline_exact_is_whole(struct lexicon *lexicon, int table, int column);

#endif
