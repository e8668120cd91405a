/* SPDX-License-Identifier: MIT */
/* agents/offline/item.h - what a question is read as: a row of items, each a cue, a number, a date,
 * a literal, or a mention of the schema with all its meanings. A type; no functions. */
#ifndef AGENTS_OFFLINE_ITEM_H
#define AGENTS_OFFLINE_ITEM_H

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

#endif
