/* SPDX-License-Identifier: MIT */
/* core/words/function_words.c - two lists, in order. Failure: none. */
#include "core/words/function_words.h"

static const char *const english[] = {
    "a",       "about",   "above", "after", "again",   "all",   "also",   "am",     "an",
    "and",     "any",     "are",   "as",    "at",      "be",    "been",   "before", "being",
    "below",   "between", "both",  "but",   "by",      "can",   "cannot", "could",  "did",
    "do",      "does",    "doing", "down",  "each",    "for",   "from",   "had",    "has",
    "have",    "having",  "he",    "her",   "here",    "him",   "his",    "how",    "i",
    "if",      "in",      "into",  "is",    "it",      "its",   "itself", "just",   "may",
    "me",      "might",   "more",  "most",  "must",    "my",    "no",     "nor",    "not",
    "of",      "off",     "on",    "once",  "only",    "or",    "other",  "our",    "out",
    "over",    "please",  "s",     "same",  "shall",   "she",   "should", "so",     "some",
    "such",    "t",       "than",  "that",  "the",     "their", "them",   "then",   "there",
    "these",   "they",    "this",  "those", "through", "to",    "too",    "under",  "until",
    "up",      "us",      "very",  "was",   "we",      "were",  "what",   "when",   "where",
    "whether", "which",   "while", "who",   "whom",    "whose", "why",    "will",   "with",
    "would",   "you",     "your"};

/* German, Spanish, French, Portuguese, Italian, Dutch; without those that are English words with a
 * sense of their own ("hat", "son", "mes"). */
static const char *const others[] = {
    "aan",     "als",     "au",       "auf",     "aus",      "aux",     "avec",    "avez",
    "avons",   "bei",     "bis",      "ce",      "ces",      "cette",   "che",     "chi",
    "com",     "combien", "comment",  "con",     "cual",     "cuales",  "cuando",  "cuanta",
    "cuantas", "cuanto",  "cuantos",  "cui",     "da",       "dal",     "dalla",   "dans",
    "das",     "dass",    "dat",      "de",      "dei",      "del",     "della",   "delle",
    "dem",     "den",     "der",      "des",     "desde",    "di",      "die",     "dies",
    "diese",   "dieser",  "dieses",   "dit",     "donde",    "dos",     "dove",    "du",
    "durch",   "een",     "ein",      "eine",    "einem",    "einen",   "einer",   "eines",
    "el",      "ella",    "elle",     "em",      "en",       "entre",   "er",      "es",
    "est",     "esta",    "estan",    "este",    "et",       "fur",     "gibt",    "gli",
    "ha",      "habe",    "haben",    "hast",    "hasta",    "hatte",   "hay",     "het",
    "hoe",     "hoeveel", "ich",      "ihr",     "ihre",     "ik",      "il",      "im",
    "ist",     "je",      "kann",     "konnen",  "la",       "las",     "le",      "les",
    "leur",    "lo",      "los",      "lui",     "mais",     "mein",    "meine",   "met",
    "mich",    "mir",     "mit",      "mon",     "montre",   "montrez", "muestra", "muestrame",
    "naar",    "nach",    "nao",      "nas",     "nei",      "nella",   "nicht",   "niet",
    "noch",    "nous",    "nuestra",  "nuestro", "nur",      "oder",    "onde",    "ons",
    "onze",    "os",      "ou",       "par",     "para",     "pas",     "pela",    "pelo",
    "perche",  "pero",    "por",      "porque",  "pourquoi", "quais",   "qual",    "quale",
    "quali",   "quand",   "quando",   "quanta",  "quantas",  "quante",  "quanti",  "quanto",
    "quantos", "que",     "quel",     "quelle",  "quelles",  "quels",   "quem",    "qui",
    "quien",   "sa",      "sao",      "se",      "sein",     "seine",   "seit",    "sem",
    "ser",     "ses",     "seu",      "sich",    "sie",      "sind",    "sobre",   "soll",
    "sono",    "sont",    "su",       "sua",     "sur",      "sus",     "tem",     "tengo",
    "tiene",   "tienen",  "todas",    "todos",   "tot",      "uber",    "uit",     "um",
    "uma",     "un",      "una",      "und",     "une",      "uno",     "uns",     "unser",
    "unsere",  "unter",   "van",      "viele",   "vom",      "von",     "voor",    "vor",
    "vous",    "waar",    "wann",     "wanneer", "warum",    "wat",     "welche",  "welchem",
    "welchen", "welcher", "welches",  "welke",   "wenn",     "wer",     "werd",    "werden",
    "wie",     "wieviel", "wieviele", "wir",     "wird",     "wo",      "wurde",   "wurden",
    "y",       "zeig",    "zeige",    "zijn",    "zu",       "zum",     "zur"};

bool function_words_has(struct str word)
{
    return str_is_listed(word, english, countof(english)) || function_words_is_foreign(word);
}

bool function_words_is_foreign(struct str word)
{
    return str_is_listed(word, others, countof(others));
}
