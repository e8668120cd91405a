/* SPDX-License-Identifier: MIT */
/* agents/offline/second_look/periods.c - reads each period of the question, and counts them.
 *
 * Happy path: there is one. Failure: without memory, or in another language, there is none. */
#include "agents/offline/second_look/periods.h"

#include "agents/english/language.h"

static bool is_year(const struct offline_range *range)
{
    int year, month, day, next;
    english_dates_split(range->first, &year, &month, &day);
    const bool begins = month == 1 && day == 1;
    english_dates_split(range->end, &next, &month, &day);
    return begins && month == 1 && day == 1;
}

bool offline_periods_find(struct str question, int32_t today, struct arena *arena,
                          struct offline_period *period)
{
    struct offline_token *tokens;
    size_t count, found = 0;
    if (!str_is_absent(english_language_other(question)) ||
        english_tokens_of(arena, question, &tokens, &count) != ERR_OK)
        return false;
    for (size_t at = 0; at < count;) {
        struct offline_range range;
        const size_t len = english_dates_match(tokens, count, at, today, &range);
        if (len == 0) {
            at++;
            continue;
        }
        const struct offline_token *last = &tokens[at + len - 1];
        *period = (struct offline_period){
            .range = range,
            .words = str_make(tokens[at].text.at,
                              (size_t)(last->text.at + last->text.len - tokens[at].text.at)),
            .is_rolling = range.first == today || range.end == today + 1};
        found++;
        at += len;
    }
    /* one day may be one of several: "from 28 to 29 June" */
    return found == 1 && period->range.first != OFFLINE_DAY_NONE &&
           period->range.end > period->range.first + 1 && !is_year(&period->range);
}
