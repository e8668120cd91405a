/* SPDX-License-Identifier: MIT */
/* agents/offline/link.h - tokens -> items: cues, numbers, dates, literals, and mentions of the
 * schema with everything they may mean.
 *
 * Every token ends in exactly one item, so that what nobody understood can be named. */
#ifndef AGENTS_OFFLINE_LINK_H
#define AGENTS_OFFLINE_LINK_H

#include "agents/offline/dates.h"
#include "agents/offline/index.h"
#include "agents/offline/words.h"

enum { OFFLINE_MEANINGS = 24 };

enum offline_item_kind {
    ITEM_CUE,
    ITEM_MENTION,
    ITEM_NUMBER,
    ITEM_DATE,
    ITEM_LITERAL, /* quoted text or a code no value matches */
    ITEM_UNKNOWN,
};

struct offline_item {
    enum offline_item_kind kind;
    struct str text;      /* span in the question */
    enum offline_cue cue; /* of a cue; of a mention: the weak cue it also is */
    int arg;
    bool plural;  /* the last word ends in s and stems shorter */
    bool inverse; /* a value said by its opposite: "unpaid" */
    double number;
    struct str unit;
    struct offline_range range;
    struct offline_link links[OFFLINE_MEANINGS];
    size_t link_count;
    struct offline_link is; /* after offline_resolve_items */
};

/* Items of a question, in arena, at most as many as tokens, with room for twice as many. */
MUST_USE enum err_code offline_link_items(struct arena *arena, const struct lexicon *lexicon,
                                          const struct offline_token *tokens, size_t count,
                                          int32_t today, struct offline_item **items,
                                          size_t *item_count);

#endif
