/* SPDX-License-Identifier: MIT */
/* agents/common/content.c - splits a text, drops words without content, stems, keeps each stem
 * once.
 *
 * Failure: a spent arena gives the words found so far. */
#include "agents/common/content.h"

#include <string.h>

#include "core/words/fold.h"
#include "core/words/function_words.h"
#include "core/words/stem.h"

enum { MAX_SPLIT = 256 };

static const char *const empty_words[] = {
    "a",     "all",   "also",  "am",    "an",    "and",  "any",  "are",   "as",   "at",
    "be",    "been",  "by",    "can",   "could", "did",  "do",   "does",  "each", "every",
    "find",  "for",   "from",  "get",   "give",  "had",  "has",  "have",  "he",   "her",
    "his",   "how",   "i",     "in",    "is",    "it",   "its",  "like",  "list", "many",
    "me",    "more",  "most",  "much",  "my",    "of",   "on",   "or",    "our",  "please",
    "s",     "show",  "some",  "tell",  "than",  "that", "the",  "their", "them", "there",
    "these", "they",  "this",  "those", "to",    "us",   "was",  "we",    "were", "what",
    "when",  "where", "which", "who",   "whose", "will", "with", "would", "you",  "your",
};

static bool is_empty_word(struct str word)
{
    for (size_t i = 0; i < countof(empty_words); i++)
        if (str_equal(word, str_of(empty_words[i])))
            return true;
    char folded[STEM_BYTES + FOLD_BYTES];
    size_t len = 0;
    while (word.len > 0 && len < STEM_BYTES) {
        const struct fold_char c = fold_next(&word);
        memcpy(folded + len, c.text, c.len);
        len += c.len;
    }
    return function_words_is_foreign(str_make(folded, len));
}

int content_find(const struct str *words, size_t count, struct str stem)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(words[i], stem))
            return (int)i;
    return -1;
}

size_t content_words(struct arena *arena, struct str text, struct str *stems, size_t max)
{
    struct str words[MAX_SPLIT];
    size_t count = 0, split = stem_split(arena, text, words, MAX_SPLIT);
    for (size_t i = 0; i < split && count < max; i++) {
        char room[STEM_BYTES];
        struct str stem = stem_of(words[i], room);
        if (is_empty_word(words[i]) || content_find(stems, count, stem) >= 0)
            continue;
        stems[count] = arena_str(arena, stem);
        if (str_is_absent(stems[count]))
            break;
        count++;
    }
    return count;
}
