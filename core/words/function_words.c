/* SPDX-License-Identifier: MIT */
/* core/words/function_words.c - one list, in order. Failure: none. */
#include "core/words/function_words.h"

static const char *const words[] = {
    "a",       "about", "above",  "after",   "again", "all",   "als",   "also",   "am",
    "an",      "and",   "any",    "are",     "as",    "at",    "auf",   "be",     "been",
    "before",  "being", "below",  "between", "both",  "but",   "by",    "can",    "cannot",
    "con",     "could", "de",     "dem",     "den",   "der",   "des",   "did",    "die",
    "do",      "does",  "doing",  "down",    "du",    "each",  "ein",   "eine",   "el",
    "en",      "es",    "et",     "for",     "from",  "had",   "has",   "have",   "having",
    "he",      "her",   "here",   "him",     "his",   "how",   "i",     "ich",    "if",
    "im",      "in",    "into",   "is",      "ist",   "it",    "its",   "itself", "just",
    "la",      "las",   "le",     "les",     "los",   "may",   "me",    "might",  "mit",
    "more",    "most",  "must",   "my",      "nicht", "no",    "nor",   "not",    "of",
    "off",     "on",    "once",   "only",    "or",    "other", "our",   "out",    "over",
    "par",     "para",  "please", "por",     "qui",   "s",     "same",  "shall",  "she",
    "should",  "sie",   "so",     "some",    "such",  "t",     "than",  "that",   "the",
    "their",   "them",  "then",   "there",   "these", "they",  "this",  "those",  "through",
    "to",      "too",   "un",     "und",     "under", "une",   "until", "up",     "us",
    "very",    "von",   "was",    "we",      "wer",   "were",  "what",  "when",   "where",
    "whether", "which", "while",  "who",     "whom",  "whose", "why",   "wie",    "will",
    "with",    "would", "y",      "you",     "your",  "zu",
};

bool function_words_has(struct str word)
{
    return str_is_listed(word, words, countof(words));
}
