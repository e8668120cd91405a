/* SPDX-License-Identifier: MIT */
/* agents/lexicon/mend.h - a word that nobody knows, and the one known word that was meant.
 * Any thread. */
#ifndef AGENTS_LEXICON_MEND_H
#define AGENTS_LEXICON_MEND_H

#include "agents/lexicon/index.h"

/* Whether two words are one slip of the pen apart: a letter left out, doubled or put in, two that
 * changed places, in long words one for another. The first letter is right. */
bool lexicon_mend_is_slip(struct str word, struct str meant);
struct lexicon_skeleton {
    size_t skipped, cut; /* consonants of the word that are left out between others, at its end */
};

/* Whether what is written, small, is consonants of the word in their order, from its first letter
 * on: "clm" of claim. */
bool lexicon_mend_is_skeleton(struct str word, struct str written, struct lexicon_skeleton *is);
/* Whether a name that is written so shortens the word, both small: "pol" of policy, "agt" of agent.
 */
bool lexicon_mend_is_short(struct str word, struct str written);
/* Whether a word is a noun that many things are called by, and tells nothing inside of a name. */
bool lexicon_mend_is_common(struct str word);
/* The one name that is near to word, such as "venue" to "stadium"; absent: none, or several. The
 * view is static. */
struct str lexicon_mend_near(const struct lexicon *lexicon, struct str word);
/* The word, or its stem, of the one name that is near to word; else of the one name (or, of a word
 * with a capital, value) that word is a slip of, or that shortens it; absent: none, or several. The
 * view is of the lexicon, or static. */
struct str lexicon_mend_find(const struct lexicon *lexicon, struct str word, bool capital);

#endif
