/* SPDX-License-Identifier: MIT */
/* agents/offline/grammar/grammar.h - tokens of a question -> its readings by the grammar, cheapest
 * first, each complete: every word has a use. Pure and deterministic. */
#ifndef AGENTS_OFFLINE_GRAMMAR_GRAMMAR_H
#define AGENTS_OFFLINE_GRAMMAR_GRAMMAR_H

#include "agents/english/tokens.h"
#include "agents/offline/grammar/chart.h"

/* Readings of the question as goal: SYMBOL_QUERY, or SYMBOL_CHANGE of the question before. An empty
 * result is no error: the grammar does not have it. */
MUST_USE enum err_code grammar_read(struct arena *arena, const struct lexicon *lexicon,
                                    const struct offline_token *tokens, size_t count, int32_t today,
                                    enum grammar_symbol goal, struct chart_result *result);

#endif
