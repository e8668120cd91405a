/* SPDX-License-Identifier: MIT */
/* agents/held/written.c - looks words up in lists, and at what stands around digits.
 *
 * Happy path: a word is found in its list in any case. Failure: a word of no list means nothing. */
#include "agents/held/written.h"

static const char *const percents[] = {
    "%", "percent", "percentage", "pct", "Prozent", "por ciento", "pour cent", "por cento",
};

size_t held_written_blank(struct str text)
{
    static const char *const blanks[] = {"\xC2\xA0", "\xE2\x80\xAF", "\xE2\x80\x89"};
    for (size_t i = 0; i < countof(blanks); i++)
        if (str_starts_with(text, str_of(blanks[i])))
            return str_of(blanks[i]).len;
    return 0;
}

/* The bytes of the letter at i; 0: none. Latin letters with marks are 0xC3 and a second byte. */
static size_t letter_at(struct str text, size_t i)
{
    if (i < text.len && str_is_alpha(text.at[i]))
        return 1;
    return i + 1 < text.len && (unsigned char)text.at[i] == 0xC3 ? 2 : 0;
}

struct str held_written_word(struct str text)
{
    size_t len = 0, letter;
    while ((letter = letter_at(text, len)) > 0)
        len += letter;
    return str_slice(text, 0, len);
}

bool held_written_percent(struct str text, size_t *len)
{
    for (size_t i = 0; i < countof(percents); i++) {
        struct str word = str_of(percents[i]);
        bool is_whole = word.len == 1 || letter_at(text, word.len) == 0;
        *len = word.len;
        if (text.len >= word.len && is_whole &&
            str_equal_nocase(str_slice(text, 0, word.len), word))
            return true;
    }
    return false;
}

bool held_written_is_item(struct str text, size_t begin, size_t end)
{
    while (begin > 0 && text.at[begin - 1] == ' ')
        begin--;
    return (begin == 0 || text.at[begin - 1] == '\n') && end + 1 < text.len &&
           (text.at[end] == '.' || text.at[end] == ')') && text.at[end + 1] == ' ';
}

static bool is_within_mark(char c)
{
    return str_is_digit(c) || c == ' ' || c == ',';
}

bool held_written_is_mark(struct str text, size_t begin, size_t end)
{
    while (begin > 0 && is_within_mark(text.at[begin - 1]))
        begin--;
    while (end < text.len && is_within_mark(text.at[end]))
        end++;
    return begin > 0 && text.at[begin - 1] == '[' && end < text.len && text.at[end] == ']';
}
