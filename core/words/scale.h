/* SPDX-License-Identifier: MIT */
/* core/words/scale.h - words that multiply the number in front of them, in several languages:
 * "million", "Mio", "mille". Pure; any thread. */
#ifndef CORE_WORDS_SCALE_H
#define CORE_WORDS_SCALE_H

#include "core/base/str.h"

/* 1e6 of "million", "Mio", "millones", in any case; 1: the word is none of scale. */
double scale_of(struct str word);

#endif
