/* SPDX-License-Identifier: MIT */
/* server/page/page_examples.h - questions that the database at hand can answer, made of its own
 * names.
 *
 * At most one of each kind: rows by a category, a ranking over a reference, a sum by month, the
 * newest rows. What the catalog has nothing for is left out. Pure; any thread. */
#ifndef SERVER_PAGE_PAGE_EXAMPLES_H
#define SERVER_PAGE_PAGE_EXAMPLES_H

#include "agents/lexicon/lexicon.h"
#include "proto/json_write.h"

enum { PAGE_EXAMPLES_MAX = 4 };

/* Append up to PAGE_EXAMPLES_MAX strings to the array json is in. */
void page_examples_write(const struct lexicon *lexicon, struct json_write *json);

#endif
