/* SPDX-License-Identifier: MIT */
/* backends/models/think_filter.h - takes out of a model's text what it thought aloud before it
 * answered: <think>...</think> as reasoning models write it where their server has no parser.
 *
 * A block is taken out at the beginning of the text, blanks before and after it, too; further ones
 * right behind it. The same words later on are text. Fed in pieces cut anywhere. No allocation;
 * once the text has begun, one comparison a piece. */
#ifndef BACKENDS_MODELS_THINK_FILTER_H
#define BACKENDS_MODELS_THINK_FILTER_H

#include "core/base/str.h"

enum think_state {
    THINK_BEFORE,  /* only blanks so far */
    THINK_OPENING, /* what may become a tag */
    THINK_INSIDE,
    THINK_TEXT
};

enum { THINK_KEPT_BYTES = 48 }; /* blanks and a tag; more blanks are text */

struct think_filter {
    enum think_state state;
    bool has_thought;
    char kept[THINK_KEPT_BYTES]; /* BEFORE: blanks; OPENING: and what has come of the tag */
    size_t kept_len, tag_at;
    struct str end; /* INSIDE: the tag that ends it */
    size_t matched; /* of end */
};

/* starts_inside: the model's template opens the block, so that only its end is in the text. */
void think_filter_init(struct think_filter *filter, bool starts_inside);
/* Take a piece: returns what of it is text, perhaps none, a view of piece. *before is what had been
 * held back and is text after all, to be said first; mostly empty; a view of filter until the next
 * call. */
struct str think_filter_feed(struct think_filter *filter, struct str piece, struct str *before);
/* The text is over: what was held back and is text. */
struct str think_filter_end(struct think_filter *filter);

#endif
