/* SPDX-License-Identifier: MIT */
/* agents/offline/names.h - the names of a table and of its columns, as people say them. */
#ifndef AGENTS_OFFLINE_NAMES_H
#define AGENTS_OFFLINE_NAMES_H

#include "agents/offline/index.h"

/* Enter them into the index. False: no memory. */
MUST_USE bool offline_names_enter(struct lexicon *lexicon, int table);

#endif
