/* SPDX-License-Identifier: MIT */
/* agents/lexicon/derived.h - words of general English that stand for columns with other names: what
 * somebody earns, who is whose manager, what is out of stock. */
#ifndef AGENTS_LEXICON_DERIVED_H
#define AGENTS_LEXICON_DERIVED_H

#include "agents/lexicon/index.h"

/* Enter such words for the columns of lexicon. False: no memory. */
MUST_USE bool lexicon_derived_enter(struct lexicon *lexicon);

#endif
