/* SPDX-License-Identifier: MIT */
/* agents/offline/grammar/chart.h - a bounded chart parser: lattice -> whole readings with costs.
 *
 * Every span keeps the cheapest few senses of each symbol, so the work is bounded by the length of
 * the question, not by its ambiguity; CHART_EDGES bounds all of it. Pure and deterministic. */
#ifndef AGENTS_OFFLINE_GRAMMAR_CHART_H
#define AGENTS_OFFLINE_GRAMMAR_CHART_H

#include "agents/offline/grammar/lattice.h"
#include "agents/offline/grammar/tables.h"

enum { CHART_EDGES = 24000, CHART_READINGS = 8 };

struct chart_reading {
    const struct sense *sense;
    int cost;
};

struct chart_result {
    struct chart_reading readings[CHART_READINGS]; /* cheapest first, all different */
    size_t count;
    size_t edges;       /* that were made */
    struct str unknown; /* without readings: a word that nothing knows, or absent */
    struct str lost; /* ... the word behind the longest beginning that is understood, or absent */
    bool cut_short;  /* ... all of it is such a beginning */
    struct str readable, rest; /* ... a beginning that is a question, and what follows; or absent */
    bool spent;                /* CHART_EDGES were too few: there may be other readings */
};

MUST_USE enum err_code chart_parse(struct arena *arena, const struct lexicon *lexicon,
                                   int32_t today, const struct lattice *lattice,
                                   enum grammar_symbol goal, struct chart_result *result);

#endif
