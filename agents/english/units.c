/* SPDX-License-Identifier: MIT */
/* agents/english/units.c - searches the lists of units for a word.
 *
 * Happy path: one of them has it. Failure: none has, which is the answer. */
#include "agents/english/units.h"

#include "agents/english/vocabulary.h"
#include "core/words/stem.h"

static bool has_written(enum vocabulary_list list, struct str word)
{
    const char *const *at = vocabulary_lists[list];
    while (*at != NULL && !str_equal_nocase(word, str_of(*at)))
        at++;
    return *at != NULL;
}

struct english_unit english_units_find(struct str word)
{
    static const struct {
        enum vocabulary_list list;
        struct english_unit unit;
    } units[] = {
        {VOCABULARY_CENTS, {UNIT_OF_MONEY, 1}},
        {VOCABULARY_PERCENTS, {UNIT_OF_PARTS, 1}},
        {VOCABULARY_MILLISECONDS, {UNIT_OF_TIME, 1}},
        {VOCABULARY_SECONDS, {UNIT_OF_TIME, 1000}},
        {VOCABULARY_MINUTES, {UNIT_OF_TIME, 60 * 1000}},
        {VOCABULARY_HOURS, {UNIT_OF_TIME, 60 * 60 * 1000}},
        {VOCABULARY_DAYS, {UNIT_OF_TIME, ENGLISH_UNITS_DAY}},
        {VOCABULARY_WEEKS, {UNIT_OF_TIME, 7 * ENGLISH_UNITS_DAY}},
    };
    char stem[STEM_BYTES];
    for (size_t i = 0; i < countof(units); i++)
        if (has_written(units[i].list, word))
            return units[i].unit;
    return vocabulary_has(VOCABULARY_CURRENCIES, stem_of(word, stem))
               ? (struct english_unit){UNIT_OF_MONEY, 100}
               : (struct english_unit){UNIT_OF_NOTHING, 0};
}
