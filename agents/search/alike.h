/* SPDX-License-Identifier: MIT */
/* agents/search/alike.h - the verified questions that are most like the one asked, with their
 * statements, as a prompt shows them.
 *
 * Alike are questions that share words of content, rare ones counting more. A deployment's verified
 * questions are few, so each is compared. Pure. */
#ifndef AGENTS_SEARCH_ALIKE_H
#define AGENTS_SEARCH_ALIKE_H

#include "agents/services/services.h"

struct semantic_verified;

enum { ALIKE_MOST = 5 };

struct alike_query {
    const struct knowledge *knows;
    struct str question;
    const int *tables; /* only questions whose statements read nothing else; NULL: any */
    size_t table_count;
    struct str today; /* takes the place of {today}; empty: nobody knows the day */
};

/* Write to found the most alike usable ones, best first; at most ALIKE_MOST. Those that share
 * nothing with the question are left out. */
size_t alike_find(const struct alike_query *query, struct arena *arena,
                  const struct semantic_verified *found[ALIKE_MOST]);
/* "- question" and its statement below it, for each; in arena. Empty: there are none. */
struct str alike_write(const struct alike_query *query, struct arena *arena);

#endif
