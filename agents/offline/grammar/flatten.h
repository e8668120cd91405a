/* SPDX-License-Identifier: MIT */
/* agents/offline/grammar/flatten.h - the sense of a question -> a reading (reading.h), which is
 * composed, described and compared. */
#ifndef AGENTS_OFFLINE_GRAMMAR_FLATTEN_H
#define AGENTS_OFFLINE_GRAMMAR_FLATTEN_H

#include "agents/offline/grammar/sense.h"

/* False: reading->cannot says why the sense is none. */
MUST_USE bool grammar_flatten(const struct lexicon *lexicon, const struct sense *sense,
                              struct offline_reading *reading);

#endif
