/* SPDX-License-Identifier: MIT */
/* agents/lexicon/remarks.c - short comments as further names of columns.
 *
 * Happy path: what stands before the first sign of a comment is a few words, and these are entered
 * like a name: whole, without a unit, turned around "of", and by its parts.
 * Failure: no memory; a comment that only explains codes, or is a sentence, is no name. */
#include "agents/lexicon/remarks.h"

#include "agents/english/verbs.h"
#include "agents/english/vocabulary.h"
#include "agents/lexicon/glossary.h"
#include "core/words/stem.h"

enum { SCORE = 90, CHARS = 48, WORDS = REMARKS_WORDS };

static bool is_among(struct str word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(word, str_of(words[i])))
            return true;
    return false;
}

/* Words that begin what is no name, and words that names leave out. */
static bool opens_no_name(struct str word)
{
    static const char *const openers[] = {
        "in",         "into", "back", "from", "to",         "if",     "when",   "set",  "foreign",
        "references", "fk",   "pk",   "see",  "deprecated", "unused", "this",   "only", "for",
        "by",         "at",   "used", "must", "not",        "may",    "primary"};
    return is_among(word, openers, countof(openers));
}

static bool says_nothing(struct str word)
{
    static const char *const empty[] = {"the", "a",   "an",  "its", "their",  "of",
                                        "max", "min", "our", "is",  "current"};
    return is_among(word, empty, countof(empty));
}

/* Where the words of a name end: at the first sign that is none of a word. */
static size_t end_of_name(struct str comment)
{
    size_t end = 0;
    while (end < comment.len && (str_is_alpha(comment.at[end]) || comment.at[end] == ' ' ||
                                 comment.at[end] == '-' || comment.at[end] == '_'))
        end++;
    return end;
}

size_t lexicon_remarks_words(struct arena *arena, struct str comment, struct str *words)
{
    struct str split[WORDS + 1];
    comment = str_trim(comment);
    size_t end = end_of_name(comment), count = 0;
    bool cut = end < comment.len && comment.at[end] == '=';
    if (end == 0 || end > CHARS || cut ||
        (end < comment.len && (unsigned char)comment.at[end] >= 128))
        return 0;
    char *lower = arena_alloc(arena, end);
    if (lower == NULL)
        return 0;
    for (size_t i = 0; i < end; i++)
        lower[i] = str_lower(comment.at[i]);
    size_t n = stem_split(arena, str_make(lower, end), split, WORDS + 1);
    if (n == 0 || n > WORDS || opens_no_name(split[0]))
        return 0;
    for (size_t i = 0; i < n; i++)
        words[count++] = split[i];
    return count;
}

static bool is_past(struct str word)
{
    return (word.len > 4 && str_ends_with(word, STR("ed"))) ||
           vocabulary_has(VOCABULARY_PASTS, word);
}

/* A name without words that say nothing, and without its unit; how many words are left. */
static size_t drop_empty(const struct str *words, size_t count, struct str *kept)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (!says_nothing(words[i]))
            kept[n++] = words[i];
    return n > 1 && english_verbs_is_unit(kept[n - 1]) ? n - 1 : n;
}

/* "date of offence": the offence date. */
static bool enter_turned(struct lexicon *lexicon, const struct str *words, size_t count,
                         struct lexicon_link link)
{
    const struct str turned[] = {words[count - 1], words[0]};
    return count != 3 || !str_equal(words[1], STR("of")) ||
           lexicon_index_enter(lexicon, turned, 2, link);
}

static bool enter_name(struct lexicon *lexicon, const struct str *words, size_t count,
                       struct lexicon_link link)
{
    struct str kept[WORDS];
    size_t n = drop_empty(words, count, kept);
    if (!lexicon_index_enter(lexicon, words, count, link) ||
        !enter_turned(lexicon, words, count, link) ||
        (n > 0 && n < count && !lexicon_index_enter(lexicon, kept, n, link)))
        return false;
    for (size_t i = 0; i < n && n > 1; i++)
        if (!lexicon_index_enter_part(lexicon, kept[i], link))
            return false;
    return true;
}

static bool enter_column(struct lexicon *lexicon, int table, int column)
{
    const struct catalog *catalog = lexicon->catalog;
    struct str words[WORDS];
    struct str comment = catalog->tables[table].columns[column].comment;
    size_t count = lexicon_remarks_words(&lexicon->arena, comment, words);
    struct lexicon_link link = {LINK_COLUMN, table, column, STR(""), false, SCORE, NULL, {0, 0}};
    if (count == 0)
        return arena_ok(&lexicon->arena);
    if (lexicon_index_reference(catalog, table, column) != NULL)
        link.kind = LINK_ROLE;
    else if (lexicon_index_is_boolean(catalog, table, column))
        link.kind = LINK_BOOL;
    if (lexicon_index_is_date(catalog, table, column) && is_past(words[0])) {
        link.kind = LINK_MOMENT;
        return lexicon_index_enter(lexicon, words, 1, link);
    }
    return enter_name(lexicon, words, count, link);
}

bool lexicon_remarks_enter(struct lexicon *lexicon)
{
    const struct catalog *catalog = lexicon->catalog;
    for (size_t t = 0; t < catalog->table_count; t++)
        for (size_t c = 0; lexicon->facts[t].visible && c < catalog->tables[t].column_count; c++)
            if (!catalog->tables[t].columns[c].hidden && !catalog->tables[t].columns[c].pii &&
                !lexicon_glossary_hides(lexicon, (int)t, (int)c) &&
                !enter_column(lexicon, (int)t, (int)c))
                return false;
    return true;
}
