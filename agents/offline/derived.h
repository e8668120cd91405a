/* SPDX-License-Identifier: MIT */
/* agents/offline/derived.h - words of general English that some columns stand for, though they are
 * not called so: what one earns, who is whose manager, what is out of stock. */
#ifndef AGENTS_OFFLINE_DERIVED_H
#define AGENTS_OFFLINE_DERIVED_H

#include "agents/offline/index.h"

/* Enter them. False: no memory. */
MUST_USE bool offline_derived_enter(struct lexicon *lexicon);

#endif
