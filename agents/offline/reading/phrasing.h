/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/phrasing.h - questions that say last what others say first: "orders of
 * Ada, how many?". */
#ifndef AGENTS_OFFLINE_READING_PHRASING_H
#define AGENTS_OFFLINE_READING_PHRASING_H

#include "agents/english/tokens.h"

/* Put what is asked for before what it is asked of, in place. How many tokens are left: words that
 * only hold the two together go. Any thread. */
size_t offline_phrasing_arrange(struct offline_token *tokens, size_t count);

#endif
