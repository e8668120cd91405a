/* SPDX-License-Identifier: MIT */
/* agents/offline/answers/follow.c - pronouns, words that lead over, and questions that are too
 * short to stand alone.
 *
 * Happy path: a word of a list, or the kind of the first item, decides. Failure: none; a question
 * without them stands by itself. */
#include "agents/offline/answers/follow.h"

enum { ONES_AT = 3 };

static bool is_word(const struct lexicon_item *item, const char *word)
{
    return str_equal_nocase(item->text, str_of(word));
}

static bool is_among(const struct lexicon_item *item, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_word(item, words[i]))
            return true;
    return false;
}

static bool is_pronoun(const struct lexicon_item *item)
{
    static const char *const pronouns[] = {"them", "those", "these", "they"};
    return item->kind == ITEM_CUE && is_among(item, pronouns, countof(pronouns));
}

/* "The ones", at the beginning: the rows before. */
static bool is_ones(const struct lexicon_item *items, size_t i)
{
    return i > 0 && i <= ONES_AT && (is_word(&items[i], "ones") || is_word(&items[i], "one")) &&
           items[i - 1].kind == ITEM_CUE && items[i - 1].cue == CUE_SKIP;
}

/* "What about", "and", "only": what leads over, at the beginning. */
static bool leads_over(const struct lexicon_item *item)
{
    static const char *const words[] = {"and",  "what", "how",  "about", "only", "now",
                                        "just", "but",  "then", "or",    "same"};
    return is_among(item, words, countof(words));
}

static bool is_lead(const struct lexicon_item *item)
{
    static const char *const first[] = {"and", "only", "now", "just", "but", "then", "same"};
    return is_among(item, first, countof(first));
}

/* "Descending", "reversed", "the other way round". */
static bool is_reversal(const struct lexicon_item *items, size_t count)
{
    static const char *const words[] = {"reversed", "reverse", "reversely", "opposite"};
    bool other = false, way = false;
    for (size_t i = 0; i < count; i++) {
        if (is_among(&items[i], words, countof(words)))
            return true;
        other = other || is_word(&items[i], "other");
        way = way || (other && is_word(&items[i], "way"));
    }
    return way;
}

/* "By month", "in May", "top 3", "how many?": too short to be asked alone, most often. */
static bool is_fragment(const struct lexicon_item *items, size_t count)
{
    static const enum offline_cue opens[] = {CUE_BY,  CUE_PER,  CUE_EACH,  CUE_ORDER, CUE_DIR,
                                             CUE_TOP, CUE_PREP, CUE_GRAIN, CUE_SUPER, CUE_COUNT,
                                             CUE_REL, CUE_NEG,  CUE_OR};
    if (count == 0 || items[0].kind == ITEM_DATE || is_reversal(items, count))
        return count > 0;
    for (size_t i = 0; i < countof(opens); i++)
        if (items[0].kind == ITEM_CUE && items[0].cue == opens[i])
            return true;
    return false;
}

enum offline_follow offline_follow_is(const struct lexicon_item *items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_pronoun(&items[i]) || is_ones(items, i) || is_word(&items[i], "instead"))
            return FOLLOW_MUST;
    if (count > 1 && leads_over(&items[0]) &&
        (is_word(&items[1], "about") || is_word(&items[1], "for")))
        return FOLLOW_MUST;
    return count > 0 && (is_lead(&items[0]) || is_fragment(items, count)) ? FOLLOW_MAY : FOLLOW_NOT;
}
