/* SPDX-License-Identifier: MIT */
/* agents/lexicon/mend.c - slips of the pen, and words that a schema shortens, by comparing with
 * every known word; and words near to one that names something.
 *
 * Happy path: one word of the index is a slip away, is near, or is the word without letters.
 * Failure: short words are no slips, and two that may be meant are none. */
#include "agents/lexicon/mend.h"

#include "agents/english/synonyms.h"
#include "agents/english/vocabulary.h"
#include "core/words/stem.h"

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

bool lexicon_mend_is_skeleton(struct str word, struct str written, struct lexicon_skeleton *is)
{
    size_t at = 1;
    *is = (struct lexicon_skeleton){.skipped = 0};
    if (written.len < 2 || word.len <= written.len || word.at[0] != written.at[0])
        return false;
    for (size_t i = 1; i < written.len; i++)
        if (stem_is_vowel(written.at[i]) && (written.at[i] != 'y' || i + 1 < written.len))
            return false;
    for (size_t i = 1; i < word.len; i++)
        if (at < written.len && word.at[i] == written.at[at])
            at++;
        else if (!stem_is_vowel(word.at[i]) && word.at[i] != word.at[i - 1])
            *(at < written.len ? &is->skipped : &is->cut) += 1;
    return at == written.len;
}

bool lexicon_mend_is_short(struct str word, struct str written)
{
    enum { LEAST = 3, MOST = 5, LEFT_OUT = 3 };
    struct lexicon_skeleton is;
    if (written.len < LEAST || written.len > MOST)
        return false;
    if (str_starts_with(word, written)) /* "pol" of policy */
        return word.len >= written.len + LEFT_OUT && !stem_is_vowel(written.at[written.len - 1]);
    return lexicon_mend_is_skeleton(word, written, &is) && /* "agt" of agent */
           (is.skipped == 0 || (is.skipped == 1 && is.cut == 0));
}

/* The one key of a map of names that shortens the word; several: it is empty. */
static void find_short_in(const struct map *map, struct str word, struct str *found)
{
    struct map_entry entry;
    size_t cursor = 0;
    while (map_next(map, &cursor, &entry)) {
        const struct offline_entry *first = entry.value;
        if (first->link.kind == LINK_VALUE || str_find_char(entry.key, ' ') != STR_NONE ||
            !lexicon_mend_is_short(word, entry.key) || english_synonyms_knows(entry.key) ||
            (!str_is_absent(*found) && str_equal(*found, entry.key)))
            continue;
        *found = str_is_absent(*found) ? entry.key : STR("");
        if (found->len == 0)
            return;
    }
}

/* The one name, or word of names, that shortens the word. */
static struct str find_short(const struct lexicon *lexicon, struct str word)
{
    struct str found = {NULL, 0};
    find_short_in(&lexicon->names, word, &found);
    if (str_is_absent(found))
        find_short_in(&lexicon->parts, word, &found);
    return found.len > 0 ? found : (struct str){NULL, 0};
}

/* The table, column or role that the word names; NULL: none. */
static const struct offline_entry *find_named(const struct lexicon *lexicon, struct str word)
{
    enum { WORTH = 70 };
    char stem[STEM_BYTES];
    const struct offline_entry *e = map_find(&lexicon->names, stem_of(word, stem));
    for (; e != NULL; e = e->next)
        if (e->link.score >= WORTH && (e->link.kind == LINK_TABLE || e->link.kind == LINK_COLUMN ||
                                       e->link.kind == LINK_ROLE))
            return e;
    return NULL;
}

/* Whether word may be a form of a noun with the same stem: "stays", "booked", but no "lost" loss.
 */
static bool is_form_of(struct str word, struct str noun)
{
    return str_equal(word, noun) || str_ends_with(word, STR("s")) ||
           str_ends_with(word, STR("ed")) || str_ends_with(word, STR("ing"));
}

/* The line of words near to a word; NULL: there is none. */
static const char *const *find_line(struct str word)
{
    char own[STEM_BYTES], other[STEM_BYTES];
    struct str stem = stem_of(word, own);
    for (size_t n = 0; n < vocabulary_near_count; n++) {
        struct str noun = str_of(vocabulary_near[n][0]);
        if (str_equal(stem, stem_of(noun, other)) && is_form_of(word, noun))
            return vocabulary_near[n];
    }
    return NULL;
}

bool lexicon_mend_is_common(struct str word)
{
    char stem[STEM_BYTES];
    if (english_synonyms_knows(stem_of(word, stem)))
        return true;
    for (size_t n = 0; n < vocabulary_near_count; n++)
        for (size_t i = 0; i < VOCABULARY_GROUP && vocabulary_near[n][i] != NULL; i++)
            if (str_equal(word, str_of(vocabulary_near[n][i])))
                return true;
    return false;
}

/* A table before a column; of two tables, none. */
struct str lexicon_mend_near(const struct lexicon *lexicon, struct str word)
{
    const char *const *line = find_line(word);
    struct str found = {NULL, 0};
    int table = CATALOG_NONE;
    for (size_t i = 1; line != NULL && i < VOCABULARY_GROUP && line[i] != NULL; i++) {
        const struct offline_entry *e = find_named(lexicon, str_of(line[i]));
        if (e == NULL)
            continue;
        bool rows = e->link.kind == LINK_TABLE;
        if (rows && table != CATALOG_NONE && table != e->link.table)
            return (struct str){NULL, 0};
        if (str_is_absent(found) || (rows && table == CATALOG_NONE))
            found = str_of(line[i]);
        table = rows ? e->link.table : table;
    }
    return found;
}

struct str lexicon_mend_find(const struct lexicon *lexicon, struct str word, bool capital)
{
    char room[STEM_BYTES];
    struct str stem = stem_of(word, room), found = lexicon_mend_near(lexicon, word);
    if (found.len > 0)
        return found;
    if (word.len < LETTERS_LEAST)
        return find_short(lexicon, stem);
    find_in(lexicon, &lexicon->names, stem, &found);
    if (str_is_absent(found) && capital)
        find_in(lexicon, &lexicon->values, stem, &found);
    return found.len > 0 ? found : find_short(lexicon, stem);
}
