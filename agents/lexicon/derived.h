/* SPDX-License-Identifier: MIT */
/* agents/lexicon/derived.h - words of general English that some columns stand for, though they are
 * not called so: what one earns, who is whose manager, what is out of stock. */
#ifndef AGENTS_LEXICON_DERIVED_H
#define AGENTS_LEXICON_DERIVED_H

#include "agents/lexicon/index.h"

/* Enter them. False: no memory. */
MUST_USE bool lexicon_derived_enter(struct lexicon *lexicon);

#endif
