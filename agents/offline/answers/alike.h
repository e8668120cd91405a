/* SPDX-License-Identifier: MIT */
/* agents/offline/answers/alike.h - whether two statements of the composer say the same. */
#ifndef AGENTS_OFFLINE_ANSWERS_ALIKE_H
#define AGENTS_OFFLINE_ANSWERS_ALIKE_H

#include "core/base/str.h"

/* Whether two statements differ at most by the quotes of names, by parentheses that change nothing
 * and by what their outputs are called: a filter of the semantic file that is the engine's own
 * reading, a metric that is the sum of its column. False, too, without memory. */
bool offline_alike(struct str one, struct str other);

#endif
