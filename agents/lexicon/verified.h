/* SPDX-License-Identifier: MIT */
/* agents/lexicon/verified.h - questions with a statement that somebody vouches for: such a question
 * is answered by its statement when it is asked again, also with other numbers, dates or names. */
#ifndef AGENTS_LEXICON_VERIFIED_H
#define AGENTS_LEXICON_VERIFIED_H

#include "agents/lexicon/item.h"
#include "backends/sql.h"

struct semantic_verified;

/* Learn the verified questions of the semantic file; the values must be indexed before. False: no
 * memory. */
MUST_USE bool lexicon_verified_learn(struct lexicon *lexicon, int32_t today);
/* The statement, in arena, for the items (linked, not resolved) of a question; *from is the
 * verified question it belongs to. Absent: no verified question matches, or its statement does not
 * show where the numbers, dates and names of the question belong. */
struct str lexicon_verified_find(const struct lexicon *lexicon, enum sql_dialect dialect,
                                 const struct lexicon_item *items, size_t count,
                                 struct arena *arena, const struct semantic_verified **from);

#endif
