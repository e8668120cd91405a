/* SPDX-License-Identifier: MIT */
/* agents/search/fuse.h - two rankings of passages made one by reciprocal rank fusion and scores.
 * Pure. */
#ifndef AGENTS_SEARCH_FUSE_H
#define AGENTS_SEARCH_FUSE_H

#include "agents/search/hybrid.h"

struct fuse_ranking { /* best first; ids are unique within it */
    const struct passage_hit *hits;
    size_t count;
    bool answered; /* false: this search was not asked, or failed */
};

/* The best top of both, copied into arena with everything they point at: score as hybrid.h says,
 * over the rankings that answered; similarity from near. Ties: the more similar, then by id.
 * Returns how many; *hits is NULL when memory is spent. */
size_t fuse_rankings(struct arena *arena, const struct fuse_ranking *near,
                     const struct fuse_ranking *words, size_t top, const struct hybrid_hit **hits);

#endif
