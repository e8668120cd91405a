/* SPDX-License-Identifier: MIT */
/* agents/lexicon/item.h - the row of items that a question is read as: each a cue, a number, a
 * date, a literal, or a mention of the schema with all its meanings. A type; no functions. */
#ifndef AGENTS_LEXICON_ITEM_H
#define AGENTS_LEXICON_ITEM_H

#include "agents/english/dates.h"
#include "agents/lexicon/index.h"
#include "agents/english/words.h"

enum { OFFLINE_MEANINGS = 24 };

enum lexicon_item_kind {
    ITEM_CUE,
    ITEM_MENTION,
    ITEM_NUMBER,
    ITEM_DATE,
    ITEM_LITERAL, /* quoted text or a code no value matches */
    ITEM_UNKNOWN,
};

struct lexicon_item {
    enum lexicon_item_kind kind;
    struct str text;      /* span in the question */
    bool mended;          /* of a mention: it is a slip of the pen for what it means */
    enum offline_cue cue; /* of a cue; of a mention: the weak cue of the same words */
    int arg;
    bool plural;  /* the last word ends in s and stems shorter */
    bool inverse; /* a value said by its opposite: "unpaid" */
    double number;
    struct str unit;
    struct offline_range range;
    struct lexicon_link links[OFFLINE_MEANINGS];
    size_t link_count;
    struct lexicon_link is; /* the meaning offline_resolve_items chose */
};

#endif
