/* SPDX-License-Identifier: MIT */
/* agents/offline/grammar/grammar.c - lattice, then chart.
 *
 * Happy path: readings. Failure: a question that is too long has none; no memory. */
#include "agents/offline/grammar/grammar.h"

enum err_code grammar_read(struct arena *arena, const struct lexicon *lexicon,
                           const struct offline_token *tokens, size_t count, int32_t today,
                           enum grammar_symbol goal, struct chart_result *result)
{
    struct lattice lattice;
    *result = (struct chart_result){.count = 0};
    enum err_code code = lattice_make(arena, lexicon, tokens, count, today, &lattice);
    if (code == ERR_TOO_LARGE)
        return ERR_OK;
    return code == ERR_OK ? chart_parse(arena, lexicon, today, &lattice, goal, result) : code;
}
