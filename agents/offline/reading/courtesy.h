/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/courtesy.h - what is said around a question: greetings, reasons, thanks,
 * and the wish to be told something. */
#ifndef AGENTS_OFFLINE_READING_COURTESY_H
#define AGENTS_OFFLINE_READING_COURTESY_H

#include "agents/english/units.h"
#include "agents/lexicon/link.h"

/* Drop it in place: "hi, could you tell me how many there are, thanks" is "how many there are", "I
 * would like the orders" is "show the orders". What lexicon knows as a table is
 * never taken for a reason. How many tokens are left, at least one of count > 0. Any thread. */
size_t offline_courtesy_drop(const struct lexicon *lexicon, struct offline_token *tokens,
                             size_t count);
/* The unit that is asked for: "in euros" and the like are dropped in place, and *count is how many
 * tokens are left. Of nothing: none is. */
struct english_unit offline_courtesy_drop_unit(struct offline_token *tokens, size_t *count);

#endif
