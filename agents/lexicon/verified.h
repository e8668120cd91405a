/* SPDX-License-Identifier: MIT */
/* agents/lexicon/verified.h - questions whose statements somebody vouches for: asked again, also
 * with other numbers, dates or names, they are answered by them. */
#ifndef AGENTS_LEXICON_VERIFIED_H
#define AGENTS_LEXICON_VERIFIED_H

#include "agents/lexicon/item.h"
#include "backends/sql.h"

struct semantic_verified;

/* Learn the semantic file's, once the values are indexed. False: no memory. */
MUST_USE bool lexicon_verified_learn(struct lexicon *lexicon, int32_t today);
/* The statement for the items (linked, not resolved) of a question, in arena; *from is where it is
 * from. Absent: there is none, or it does not say where its numbers, dates and names belong. */
struct str lexicon_verified_find(const struct lexicon *lexicon, enum sql_dialect dialect,
                                 const struct lexicon_item *items, size_t count,
                                 struct arena *arena, const struct semantic_verified **from);

#endif
