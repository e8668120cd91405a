/* SPDX-License-Identifier: MIT */
/* agents/offline/second_look/periods.c - finds the period, then asks whether the statement has it.
 *
 * Happy path: its days are written at both ends, or are computed. Failure: several periods, a whole
 * year (plain.c looks at years), or no memory: nothing is said. */
#include "agents/offline/second_look/periods.h"

#include <stdio.h>

#include "agents/english/dates.h"
#include "agents/english/language.h"
#include "agents/offline/second_look/conditions.h"

enum { DAY_BYTES = 11, REMARK_BYTES = 240, WORDS_BYTES = 60 };

struct period {
    struct offline_range range;
    struct str words; /* as it is said */
};

static bool is_year(const struct offline_range *range)
{
    int year, month, day, next;
    english_dates_split(range->first, &year, &month, &day);
    const bool begins = month == 1 && day == 1;
    english_dates_split(range->end, &next, &month, &day);
    return begins && month == 1 && day == 1;
}

/* The only period that the tokens name, with both ends; false: there is none, or several. */
static bool find(const struct offline_token *tokens, size_t count, int32_t today,
                 struct period *period)
{
    size_t found = 0;
    for (size_t at = 0; at < count;) {
        struct offline_range range;
        const size_t len = english_dates_match(tokens, count, at, today, &range);
        if (len == 0) {
            at++;
            continue;
        }
        const struct offline_token *last = &tokens[at + len - 1];
        period->range = range;
        period->words = str_make(tokens[at].text.at,
                                 (size_t)(last->text.at + last->text.len - tokens[at].text.at));
        found++;
        at += len;
    }
    /* one day may be one of several: "from 28 to 29 June" */
    return found == 1 && period->range.first != OFFLINE_DAY_NONE &&
           period->range.end > period->range.first + 1 && !is_year(&period->range);
}

/* Whether the statement compares with a day that is written. */
static bool writes_days(const struct claims *claims)
{
    for (size_t i = 0; i < claims->comparison_count; i++) {
        const struct str text = claims->comparisons[i].text;
        if (claims->comparisons[i].is_text && text.len >= DAY_BYTES - 1 && text.at[4] == '-' &&
            text.at[7] == '-')
            return true;
    }
    return false;
}

void offline_periods_compare(const struct lexicon *lexicon, struct str question, int32_t today,
                             const struct sql_parse *parse, struct arena *arena,
                             offline_compare_fn *say, void *owner)
{
    struct offline_token *tokens;
    size_t count;
    struct period period;
    struct claims *claims = arena_alloc(arena, sizeof *claims);
    char first[DAY_BYTES], last[DAY_BYTES], told[REMARK_BYTES], shown[REMARK_BYTES];
    if (claims == NULL || !str_is_absent(english_language_other(question)) ||
        english_tokens_of(arena, question, &tokens, &count) != ERR_OK ||
        !find(tokens, count, today, &period))
        return;
    offline_claims_read(lexicon, parse, claims);
    const struct reading_filter filter = {
        .on = {READING_NONE, READING_NONE, NULL, 0}, .op = OP_RANGE, .range = period.range};
    if (!writes_days(claims) || offline_conditions_agree(claims, &filter))
        return;
    english_dates_text(period.range.first, first);
    english_dates_text(period.range.end - 1, last);
    const struct str words = str_utf8_prefix(period.words, WORDS_BYTES);
    snprintf(told, sizeof told,
             "'%.*s' in the question is from %s to %s, the statement has other days",
             STR_ARG(words), first, last);
    snprintf(shown, sizeof shown, "'%.*s' is from %s to %s, and the answer may be of other days",
             STR_ARG(words), first, last);
    say(owner, &(struct offline_remark){.told = str_of(told), .shown = str_of(shown)});
}
