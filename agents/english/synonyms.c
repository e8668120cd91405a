/* SPDX-License-Identifier: MIT */
/* agents/english/synonyms.c - lookups in the vocabulary and in the tables of number words.
 *
 * Happy path: a lookup finds its row. Failure: a lookup that finds none says so; no state, no
 * memory. */
#include "agents/english/synonyms.h"

#include "agents/english/vocabulary.h"

static const char *const numbers[] = {
    "zero",     "one",     "two",     "three",     "four",     "five",     "six",
    "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",   "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
};

static const char *const tens[] = {"thirty",  "forty",  "fifty", "sixty",
                                   "seventy", "eighty", "ninety"};

static const char *const months[] = {
    "january", "february", "march",     "april",   "may",      "june",
    "july",    "august",   "september", "october", "november", "december",
};

/* The group that has the stem, or NULL. */
static const struct vocabulary_word *find_group(struct str stem)
{
    for (size_t g = 0; g < vocabulary_synonym_count; g++)
        for (size_t i = 0; i < VOCABULARY_GROUP && vocabulary_synonyms[g][i].stem != NULL; i++)
            if (str_equal(stem, str_of(vocabulary_synonyms[g][i].stem)))
                return vocabulary_synonyms[g];
    return NULL;
}

struct str english_synonyms_of(struct str stem)
{
    const struct vocabulary_word *group = find_group(stem);
    return group == NULL ? stem : str_of(group[0].stem);
}

size_t english_synonyms_group(struct str stem, struct str *words, size_t max)
{
    const struct vocabulary_word *group = find_group(stem);
    size_t count = 0;
    for (; group != NULL && count < VOCABULARY_GROUP && count < max && group[count].stem != NULL;
         count++)
        words[count] = str_of(group[count].written);
    return count;
}

struct str english_synonyms_opposite(struct str stem)
{
    for (size_t i = 0; i < vocabulary_opposite_count; i++) {
        if (str_equal(stem, str_of(vocabulary_opposites[i][0])))
            return str_of(vocabulary_opposites[i][1]);
        if (str_equal(stem, str_of(vocabulary_opposites[i][1])))
            return str_of(vocabulary_opposites[i][0]);
    }
    return (struct str){NULL, 0};
}

bool english_synonyms_number(struct str word, double *value)
{
    for (size_t i = 0; i < countof(numbers); i++)
        if (str_equal_nocase(word, str_of(numbers[i]))) {
            *value = (double)i;
            return true;
        }
    for (size_t i = 0; i < countof(tens); i++)
        if (str_equal_nocase(word, str_of(tens[i]))) {
            *value = (double)(10 * i + 30);
            return true;
        }
    return false;
}

double english_synonyms_multiplier(struct str word)
{
    return str_equal(word, STR("hundred"))    ? 1e2
           : str_equal(word, STR("thousand")) ? 1e3
           : str_equal(word, STR("million"))  ? 1e6
                                              : 0;
}

int english_synonyms_month(struct str word)
{
    for (size_t i = 0; i < countof(months); i++) {
        struct str month = str_of(months[i]);
        if (str_equal(word, month) || str_equal(word, str_slice(month, 0, 3)))
            return (int)i + 1;
    }
    return str_equal(word, STR("sept")) ? 9 : 0;
}

int english_synonyms_ordinal(struct str word)
{
    static const char *const names[][2] = {
        {"first", "1st"}, {"second", "2nd"}, {"third", "3rd"}, {"fourth", "4th"}};
    for (size_t i = 0; i < countof(names); i++)
        if (str_equal(word, str_of(names[i][0])) || str_equal(word, str_of(names[i][1])))
            return (int)i + 1;
    return 0;
}

bool english_synonyms_is_general(struct str stem)
{
    return vocabulary_has(VOCABULARY_GENERAL, stem);
}

bool english_synonyms_knows(struct str stem)
{
    return english_synonyms_is_general(stem) || find_group(stem) != NULL;
}

bool english_synonyms_is_price(struct str stem)
{
    return vocabulary_has(VOCABULARY_PRICES, stem);
}

bool english_synonyms_is_amount(struct str stem)
{
    return vocabulary_has(VOCABULARY_AMOUNTS, stem);
}
