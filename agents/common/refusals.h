/* SPDX-License-Identifier: MIT */
/* agents/common/refusals.h - how a question that cannot be answered is refused, the same in every
 * graph. Any thread. */
#ifndef AGENTS_COMMON_REFUSALS_H
#define AGENTS_COMMON_REFUSALS_H

#include "core/base/arena.h"

/* "I can't answer that: reason."; a reason that is a sentence of its own (it begins with a
 * capital, or a letter beyond ASCII)
 * stands alone. In arena; absent: no memory. */
struct str refusals_sentence(struct arena *arena, struct str reason);

#endif
