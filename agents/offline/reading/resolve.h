/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/resolve.h - what each mention means, chosen by what stands around it. */
#ifndef AGENTS_OFFLINE_READING_RESOLVE_H
#define AGENTS_OFFLINE_READING_RESOLVE_H

#include "agents/lexicon/link.h"

enum { OFFLINE_TIED = 4 };

struct offline_tie { /* meanings of one item that fit equally well */
    size_t item;
    struct lexicon_link links[OFFLINE_TIED];
    size_t count;
};

/* Set every mention's .is. ERR_INVALID: several meanings fit equally well; err names two of them,
 * *tie (which may be NULL) has them all. */
MUST_USE enum err_code offline_resolve_items(const struct lexicon *lexicon,
                                             struct lexicon_item *items, size_t count,
                                             struct offline_tie *tie, struct err *err);
/* The same for a question that goes on from one about these tables. */
MUST_USE enum err_code offline_resolve_items_near(const struct lexicon *lexicon,
                                                  struct lexicon_item *items, size_t count,
                                                  const int *tables, size_t table_count,
                                                  struct offline_tie *tie, struct err *err);
/* Each resolved metric stands for "total of its column": an aggregate and what it is taken of.
 * items has room for twice count. Returns how many there are then. */
size_t offline_resolve_metrics(struct lexicon_item *items, size_t count);

#endif
