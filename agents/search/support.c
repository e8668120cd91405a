/* SPDX-License-Identifier: MIT */
/* agents/search/support.c - compares stems and numbers of a sentence with those of each passage.
 *
 * Numbers are compared as written without grouping commas, so "1,200" equals "1200" and "12" is not
 * in "2012". Failure: spent memory supports less, so that more sentences count as unsupported. */
#include "agents/search/support.h"

#include "agents/common/content.h"

enum { MAX_NUMBERS = 32, NUMBER_BYTES = 32 };

struct words { /* of one passage */
    struct str *stems;
    size_t count;
    struct str text;
};

struct support {
    struct words *passages;
    size_t count;
};

/* content_words keeps 64 of a text; a passage has more, so it is read piece by piece. */
static void read_words(struct arena *arena, struct str text, struct words *words)
{
    size_t cap = text.len / 3 + 1;
    words->text = text;
    words->stems = arena_array(arena, cap, sizeof *words->stems);
    while (words->stems != NULL && text.len > 0) {
        struct str stems[CONTENT_MAX_WORDS], piece = str_slice(text, 0, 200);
        while (piece.len < text.len && !str_is_blank(text.at[piece.len]))
            piece.len++;
        size_t found = content_words(arena, piece, stems, CONTENT_MAX_WORDS);
        for (size_t i = 0; i < found && words->count < cap; i++)
            if (content_find(words->stems, words->count, stems[i]) < 0)
                words->stems[words->count++] = stems[i];
        text = str_from(text, piece.len);
    }
}

struct support *support_create(struct arena *arena, const struct str *passages, size_t count)
{
    struct support *support = arena_alloc(arena, sizeof *support);
    if (support == NULL)
        return NULL;
    support->count = size_min(count, SUPPORT_MAX_PASSAGES);
    support->passages = arena_array(arena, support->count + 1, sizeof *support->passages);
    if (support->passages == NULL)
        return NULL;
    for (size_t i = 0; i < support->count; i++)
        read_words(arena, passages[i], &support->passages[i]);
    return support;
}

/* ---- numbers ---- */

static bool is_number_byte(char c)
{
    return str_is_digit(c) || c == '.' || c == ',';
}

/* The next number of *rest without grouping commas into to; 0: there is none. "[3]" is a mark. */
static size_t next_number(struct str *rest, char *to)
{
    struct str text = *rest;
    size_t i = 0, length = 0;
    while (i < text.len && !str_is_digit(text.at[i]))
        i++;
    size_t begin = i;
    while (i < text.len && is_number_byte(text.at[i])) {
        if (text.at[i] != ',' && length < NUMBER_BYTES)
            to[length++] = text.at[i];
        i++;
    }
    bool is_mark = begin > 0 && text.at[begin - 1] == '[' && i < text.len && text.at[i] == ']';
    *rest = str_from(text, i);
    while (length > 0 && to[length - 1] == '.')
        length--;
    if (is_mark)
        return next_number(rest, to);
    return length;
}

static bool has_number(struct str text, struct str number)
{
    char digits[NUMBER_BYTES];
    for (;;) {
        size_t length = next_number(&text, digits);
        if (length == 0)
            return false;
        if (str_equal(str_make(digits, length), number))
            return true;
    }
}

static bool has_numbers(struct str text, struct str sentence)
{
    char digits[NUMBER_BYTES];
    for (unsigned i = 0; i < MAX_NUMBERS; i++) {
        size_t length = next_number(&sentence, digits);
        if (length == 0)
            return true;
        if (!has_number(text, str_make(digits, length)))
            return false;
    }
    return true;
}

/* ---- sentences ---- */

static bool is_word(struct str stem)
{
    for (size_t i = 0; i < stem.len; i++)
        if (!str_is_digit(stem.at[i]))
            return true;
    return false;
}

int support_find(const struct support *support, struct arena *arena, struct str sentence,
                 bool *says_nothing)
{
    struct str stems[CONTENT_MAX_WORDS];
    size_t words = 0, count = content_words(arena, sentence, stems, CONTENT_MAX_WORDS);
    int best = SUPPORT_NONE;
    double most = 0;
    for (size_t i = 0; i < count; i++)
        words += is_word(stems[i]);
    *says_nothing = words == 0 && has_numbers(STR(""), sentence);
    if (*says_nothing)
        return support->count > 0 ? 0 : SUPPORT_NONE;
    for (size_t p = 0; p < support->count; p++) {
        size_t found = 0;
        for (size_t i = 0; i < count; i++)
            found += is_word(stems[i]) && content_find(support->passages[p].stems,
                                                       support->passages[p].count, stems[i]) >= 0;
        double share = words == 0 ? 1 : (double)found / (double)words;
        if (share < SUPPORT_SHARE || share <= most ||
            !has_numbers(support->passages[p].text, sentence))
            continue;
        most = share;
        best = (int)p;
    }
    return best;
}
