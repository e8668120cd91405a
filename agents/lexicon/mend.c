/* SPDX-License-Identifier: MIT */
/* agents/lexicon/mend.c - slips of the pen, and words that a schema shortens, by comparing with
 * every known word.
 *
 * Happy path: one word of the index is a slip away, or is the word without letters. Failure: short
 * words are left alone, and two that may be meant are none. */
#include "agents/lexicon/mend.h"

#include "agents/english/synonyms.h"
#include "core/base/stem.h"

enum { LETTERS_LEAST = 5, LETTERS_LONG = 7 };

bool lexicon_mend_is_slip(struct str word, struct str meant)
{
    size_t same = 0, ends = 0, shorter = size_min(word.len, meant.len);
    if (word.len == 0 || meant.len == 0 || word.at[0] != meant.at[0] || shorter + 1 < LETTERS_LEAST)
        return false;
    while (same < shorter && word.at[same] == meant.at[same])
        same++;
    while (ends < shorter - same && word.at[word.len - 1 - ends] == meant.at[meant.len - 1 - ends])
        ends++;
    size_t left = word.len - same - ends, right = meant.len - same - ends;
    if (left + right == 1)
        return true;
    if (left == 1 && right == 1)
        return shorter >= LETTERS_LONG;
    return left == 2 && right == 2 && word.at[same] == meant.at[same + 1] &&
           word.at[same + 1] == meant.at[same];
}

/* *found is the one key of the map that stem is a slip of; several: it is empty. */
static void find_in(const struct lexicon *lexicon, const struct map *map, struct str stem,
                    struct str *found)
{
    struct map_entry entry;
    size_t cursor = 0;
    while (map_next(map, &cursor, &entry)) {
        const struct offline_entry *first = entry.value;
        if (entry.key.len + 1 < stem.len || entry.key.len > stem.len + 1 ||
            str_find_char(entry.key, ' ') != STR_NONE ||
            !lexicon_index_is_seen(lexicon, first->link.owners) ||
            !lexicon_mend_is_slip(stem, entry.key))
            continue;
        if (!str_is_absent(*found) && !str_equal(*found, entry.key)) {
            *found = STR("");
            return;
        }
        *found = entry.key;
    }
}

static bool is_vowel(char c)
{
    return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u' || c == 'y';
}

/* How many consonants stand before the letter c in text, at least from *at on; *at is behind it.
 * -1: c is not there. */
static int consonants_to(struct str text, char c, size_t *at)
{
    int passed = 0;
    for (; *at < text.len; (*at)++) {
        if (text.at[*at] == c) {
            (*at)++;
            return passed;
        }
        passed += !is_vowel(text.at[*at]) && (*at == 0 || text.at[*at] != text.at[*at - 1]);
    }
    return -1;
}

bool lexicon_mend_is_short(struct str word, struct str written)
{
    enum { LEAST = 3, MOST = 5, LEFT_OUT = 3 };
    size_t at = 1;
    int passed = 0;
    if (written.len < LEAST || written.len > MOST || word.len < written.len + 2 ||
        word.at[0] != written.at[0])
        return false;
    if (str_starts_with(word, written)) /* "pol" of policy */
        return word.len >= written.len + LEFT_OUT && !is_vowel(written.at[written.len - 1]);
    for (size_t i = 1; i < written.len; i++) { /* "agt" of agent */
        int before = is_vowel(written.at[i]) ? -1 : consonants_to(word, written.at[i], &at);
        if (before < 0)
            return false;
        passed += before;
    }
    bool whole = at == word.len || (at + 1 == word.len && is_vowel(word.at[at]));
    return passed == 0 || (passed == 1 && whole);
}

/* The one key that shortens the word. */
static struct str find_short(const struct lexicon *lexicon, struct str word)
{
    struct map_entry entry;
    struct str found = {NULL, 0}, others[1];
    size_t cursor = 0;
    while (map_next(&lexicon->names, &cursor, &entry)) {
        if (str_find_char(entry.key, ' ') != STR_NONE || !lexicon_mend_is_short(word, entry.key) ||
            english_synonyms_is_general(entry.key) ||
            english_synonyms_group(entry.key, others, 1) > 0)
            continue;
        if (!str_is_absent(found))
            return (struct str){NULL, 0};
        found = entry.key;
    }
    return found;
}

struct str lexicon_mend_find(const struct lexicon *lexicon, struct str word, bool capital)
{
    char room[STEM_BYTES];
    struct str stem = stem_of(word, room), found = {NULL, 0};
    if (word.len < LETTERS_LEAST)
        return find_short(lexicon, stem);
    find_in(lexicon, &lexicon->names, stem, &found);
    if (str_is_absent(found) && capital)
        find_in(lexicon, &lexicon->values, stem, &found);
    return found.len > 0 ? found : find_short(lexicon, stem);
}
