/* SPDX-License-Identifier: MIT */
/* agents/offline/grammar/lattice.h - tokens -> every span of them that may mean something, with all
 * it may mean: function words, mentions of the schema, numbers, periods, literals.
 *
 * Places are those of tokens without fillers. Pure; the result is in the arena. */
#ifndef AGENTS_OFFLINE_GRAMMAR_LATTICE_H
#define AGENTS_OFFLINE_GRAMMAR_LATTICE_H

#include "agents/english/tokens.h"
#include "agents/offline/grammar/sense.h"

enum { LATTICE_PLACES = 40 };

struct lattice_edge {
    size_t from, to; /* places */
    int symbol, cost;
    const struct sense *sense;
    struct lattice_edge *next;
};

struct lattice {
    const struct offline_token *tokens[LATTICE_PLACES]; /* without fillers */
    size_t count;
    struct lattice_edge *edges, *last; /* the nearest meanings of a span first */
    size_t edge_count;
};

/* ERR_TOO_LARGE: there are more places than LATTICE_PLACES; ERR_NO_MEMORY. */
MUST_USE enum err_code lattice_make(struct arena *arena, const struct lexicon *lexicon,
                                    const struct offline_token *tokens, size_t count, int32_t today,
                                    struct lattice *lattice);

#endif
