/* SPDX-License-Identifier: MIT */
/* agents/offline/answers/turn.h - one question of a conversation on its way to an answer; read by
 * the grammar, composed, or refused with a reason. */
#ifndef AGENTS_OFFLINE_ANSWERS_TURN_H
#define AGENTS_OFFLINE_ANSWERS_TURN_H

#include "agents/lexicon/link.h"
#include "agents/offline/answers/understood.h"
#include "agents/offline/grammar/chart.h"

struct turn {
    const struct offline_source *source;
    struct arena *arena;
    struct str question;
    const struct offline_token *tokens;
    size_t token_count;
    struct lexicon_item *items;
    size_t item_count;
    struct english_unit unit; /* that is asked for, whatever amounts are kept in */
};

/* An answer that says nothing yet. */
void offline_turn_clear(struct offline_answer *answer);
/* Tokens and items of the question. ERR_TOO_LARGE: it has too many words; ERR_NO_MEMORY. */
MUST_USE enum err_code offline_turn_open(struct turn *turn);
/* Copy an answer, whose reason is in its reading. */
void offline_turn_put(struct offline_answer *to, const struct offline_answer *from);
/* Leave the question open: each of options, which the arena has, is one of its readings; ERR_OK. */
enum err_code offline_turn_offer(struct offline_answer *answer, struct offline_answer *options,
                                 size_t count);
/* Write the reason why there is no answer; ERR_OK. */
enum err_code offline_turn_refuse(struct offline_answer *answer, struct str why);
/* The answer of one sense, or the reason why it has none. ways: as in compose.h, or NULL. */
MUST_USE enum err_code offline_turn_answer(const struct turn *turn, const struct sense *sense,
                                           struct jointree_ways *ways,
                                           struct offline_answer *answer);
/* The answer of the cheapest sense that has one. Where another costs as much, or nearly, and asks
 * for something else, there is none, and each of them is an option. ways: of the sense that is
 * answered, or else of the cheapest. */
MUST_USE enum err_code offline_turn_choose(const struct turn *turn,
                                           const struct chart_result *readings,
                                           struct jointree_ways *ways,
                                           struct offline_answer *answer);
/* The question by itself, with nothing asked back. */
MUST_USE enum err_code offline_turn_read(struct turn *turn, struct jointree_ways *ways,
                                         struct offline_answer *answer);

#endif
