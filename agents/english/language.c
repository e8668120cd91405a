/* SPDX-License-Identifier: MIT */
/* agents/english/language.c - function words are counted.
 *
 * Happy path: the language that knows most words of the question, at least two and more than
 * English does, is its language; a letter of another alphabet is enough.
 * Failure: none; in doubt a question is English. */
#include "agents/english/language.h"

#include <string.h>

#include "agents/english/spellings.h"
#include "agents/english/words.h"

enum { WORD_BYTES = 24, QUESTION_WORDS = 40, LEAST = 2 };

static const struct language {
    const char *questions, *says, *lacks; /* sections of the spellings */
    const char *name;                     /* what English calls it */
} languages[] = {
    {"de.questions", "de.says", "de.lacks", "German"},
    {"es.questions", "es.says", "es.lacks", "Spanish"},
    {"fr.questions", "fr.says", "fr.lacks", "French"},
    {"pt.questions", "pt.says", "pt.lacks", "Portuguese"},
    {"it.questions", "it.says", "it.lacks", "Italian"},
    {"nl.questions", "nl.says", "nl.lacks", "Dutch"},
};

struct words {
    char text[QUESTION_WORDS][WORD_BYTES]; /* small letters, without marks */
    size_t len[QUESTION_WORDS], count;
};

char english_language_plain(char second)
{
    static const struct {
        const char *marks;
        char plain;
    } letters[] = {{"\xa0\xa1\xa2\xa3\xa4\xa5", 'a'}, {"\xa7", 'c'}, {"\xa8\xa9\xaa\xab", 'e'},
                   {"\xac\xad\xae\xaf", 'i'},         {"\xb1", 'n'}, {"\xb2\xb3\xb4\xb5\xb6", 'o'},
                   {"\xb9\xba\xbb\xbc", 'u'}};
    char small = (char)((unsigned char)second | 0x20);
    for (size_t i = 0; i < countof(letters); i++)
        if (strchr(letters[i].marks, small) != NULL)
            return letters[i].plain;
    return second == '\x9f' ? 's' : 0;
}

static void split(struct str question, struct words *words)
{
    size_t len = 0;
    words->count = 0;
    for (size_t i = 0; i <= question.len && words->count < QUESTION_WORDS; i++) {
        char c = i < question.len ? question.at[i] : ' ';
        if ((unsigned char)c == 0xc3 && i + 1 < question.len)
            c = english_language_plain(question.at[++i]);
        if (str_is_alpha(c)) {
            if (len < WORD_BYTES)
                words->text[words->count][len++] = str_lower(c);
        } else if (len > 0) {
            words->len[words->count++] = len;
            len = 0;
        }
    }
}

/* Whether any letter is of an alphabet that English does not have: Greek, Cyrillic, and all beyond.
 */
static bool has_other_alphabet(struct str question)
{
    size_t letters = 0;
    for (size_t i = 0; i + 1 < question.len; i++) {
        unsigned char c = (unsigned char)question.at[i];
        letters += c >= 0xcd && c < 0xe2;
        letters += c >= 0xe3 && c < 0xef;
    }
    return letters > LEAST;
}

static size_t count_english(const struct words *words)
{
    size_t count = 0, length;
    for (size_t i = 0; i < words->count; i++) {
        struct str word = str_make(words->text[i], words->len[i]);
        count += english_words_phrase(&word, 1, &length) != NULL;
    }
    return count;
}

static size_t count_of(const struct words *words, const char *section)
{
    size_t count = 0;
    for (const struct english_spelling *e = spellings_table; e->section != NULL; e++)
        for (size_t i = 0; strcmp(e->section, section) == 0 && i < words->count; i++)
            count += str_equal(str_make(words->text[i], words->len[i]), str_of(e->word));
    return count;
}

static struct str sentence_of(const char *section)
{
    for (const struct english_spelling *e = spellings_table; e->section != NULL; e++)
        if (strcmp(e->section, section) == 0)
            return str_of(e->word);
    return (struct str){NULL, 0};
}

struct guess {
    const struct language *is; /* NULL: English knows as many of the words as any other */
    size_t most, next;         /* how many it knows, and the language that knows most but for it */
};

static struct guess guess_of(const struct words *words)
{
    struct guess guess = {.most = count_english(words)};
    for (size_t i = 0; i < countof(languages); i++) {
        const size_t count = count_of(words, languages[i].questions);
        if (count > guess.most)
            guess = (struct guess){&languages[i], count, guess.most};
        else
            guess.next = size_max(guess.next, count);
    }
    return guess;
}

/* The language of the question; NULL: English, or none that is known. */
static const struct language *language_of(struct str question)
{
    struct words words;
    split(question, &words);
    const struct guess guess = guess_of(&words);
    return guess.most < LEAST ? NULL : guess.is;
}

struct str english_language_other(struct str question)
{
    if (has_other_alphabet(question))
        return STR("I understand questions in English only.");
    const struct language *is = language_of(question);
    return is == NULL ? (struct str){NULL, 0} : sentence_of(is->says);
}

struct str english_language_lacks(struct str question)
{
    const struct language *is = language_of(question);
    return is == NULL ? STR("The documents do not say, and I can't answer that without a language "
                            "model.")
                      : sentence_of(is->lacks);
}

bool english_language_is_lacking(struct str answer)
{
    bool is = str_starts_with(answer, STR("The documents do not say"));
    for (size_t i = 0; i < countof(languages); i++)
        is = is || str_starts_with(answer, sentence_of(languages[i].lacks));
    return is;
}

struct str english_language_name(struct str question)
{
    struct words words;
    split(question, &words);
    const struct guess guess = guess_of(&words);
    if (guess.most < LEAST || guess.most == guess.next || 2 * guess.most < words.count ||
        has_other_alphabet(question))
        return (struct str){NULL, 0};
    return guess.is == NULL ? STR("English") : str_of(guess.is->name);
}

bool english_language_is(struct str question)
{
    struct words words;
    split(question, &words);
    return count_english(&words) >= LEAST && str_is_absent(english_language_other(question));
}
