/* SPDX-License-Identifier: MIT */
/* core/words/fold.c - one character at a time, by tables.
 *
 * Happy path: decode, fold by block, encode. Failure paths: a byte that is not UTF-8 is a sign of
 * one byte, so that any input comes to an end. */
#include "core/words/fold.h"

#include <string.h>

/* U+00C0 to U+017F as ASCII; "" has no letter for it. */
static const char latin[][3] = {
    "a", "a", "a",  "a",  "a", "a", "ae", "c",  "e",  "e", "e", "e", "i",  "i",  "i", "i", "d", "n",
    "o", "o", "o",  "o",  "o", "",  "o",  "u",  "u",  "u", "u", "y", "th", "ss", "a", "a", "a", "a",
    "a", "a", "ae", "c",  "e", "e", "e",  "e",  "i",  "i", "i", "i", "d",  "n",  "o", "o", "o", "o",
    "o", "",  "o",  "u",  "u", "u", "u",  "y",  "th", "y", "a", "a", "a",  "a",  "a", "a", "c", "c",
    "c", "c", "c",  "c",  "c", "c", "d",  "d",  "d",  "d", "e", "e", "e",  "e",  "e", "e", "e", "e",
    "e", "e", "g",  "g",  "g", "g", "g",  "g",  "g",  "g", "h", "h", "h",  "h",  "i", "i", "i", "i",
    "i", "i", "i",  "i",  "i", "i", "ij", "ij", "j",  "j", "k", "k", "k",  "l",  "l", "l", "l", "l",
    "l", "l", "l",  "l",  "l", "n", "n",  "n",  "n",  "n", "n", "n", "n",  "n",  "o", "o", "o", "o",
    "o", "o", "oe", "oe", "r", "r", "r",  "r",  "r",  "r", "s", "s", "s",  "s",  "s", "s", "s", "s",
    "t", "t", "t",  "t",  "t", "t", "u",  "u",  "u",  "u", "u", "u", "u",  "u",  "u", "u", "u", "u",
    "w", "w", "y",  "y",  "y", "z", "z",  "z",  "z",  "z", "z", "s",
};
_Static_assert(countof(latin) == 0x180 - 0xC0, "one entry for each of U+00C0 to U+017F");

static const struct {
    uint16_t from, to;
} accented[] = {
    /* Greek with tonos, final sigma */
    {0x386, 0x3B1},
    {0x388, 0x3B5},
    {0x389, 0x3B7},
    {0x38A, 0x3B9},
    {0x38C, 0x3BF},
    {0x38E, 0x3C5},
    {0x38F, 0x3C9},
    {0x390, 0x3B9},
    {0x3AC, 0x3B1},
    {0x3AD, 0x3B5},
    {0x3AE, 0x3B7},
    {0x3AF, 0x3B9},
    {0x3B0, 0x3C5},
    {0x3C2, 0x3C3},
    {0x3CA, 0x3B9},
    {0x3CB, 0x3C5},
    {0x3CC, 0x3BF},
    {0x3CD, 0x3C5},
    {0x3CE, 0x3C9},
    /* Cyrillic io and short i */
    {0x419, 0x438},
    {0x439, 0x438},
    {0x401, 0x435},
    {0x451, 0x435},
};

/* Blocks of what is neither letter nor ideograph, and of ideographs; in order. */
static const struct {
    uint32_t from, to;
    enum fold_kind kind;
} blocks[] = {
    {0x80, 0xA9, FOLD_SIGN},          {0xAB, 0xB4, FOLD_SIGN},
    {0xB6, 0xB9, FOLD_SIGN},          {0xBB, 0xBF, FOLD_SIGN},
    {0xD7, 0xD7, FOLD_SIGN},          {0xF7, 0xF7, FOLD_SIGN},
    {0xE00, 0xEFF, FOLD_IDEOGRAPH},   {0x1000, 0x109F, FOLD_IDEOGRAPH},
    {0x1780, 0x17FF, FOLD_IDEOGRAPH}, {0x2000, 0x206F, FOLD_SIGN},
    {0x20A0, 0x20CF, FOLD_SIGN},      {0x2190, 0x2BFF, FOLD_SIGN},
    {0x2E00, 0x2E7F, FOLD_SIGN},      {0x2E80, 0x2FDF, FOLD_IDEOGRAPH},
    {0x2FF0, 0x3004, FOLD_SIGN},      {0x3005, 0x3007, FOLD_IDEOGRAPH},
    {0x3008, 0x3040, FOLD_SIGN},      {0x3041, 0x9FFF, FOLD_IDEOGRAPH},
    {0xAC00, 0xD7AF, FOLD_IDEOGRAPH}, {0xE000, 0xF8FF, FOLD_SIGN},
    {0xF900, 0xFAFF, FOLD_IDEOGRAPH}, {0xFE10, 0xFE6F, FOLD_SIGN},
    {0xFEFF, 0xFEFF, FOLD_SIGN},      {0xFFE0, 0xFFFF, FOLD_SIGN},
    {0x1F000, 0x1FAFF, FOLD_SIGN},    {0x20000, 0x3FFFF, FOLD_IDEOGRAPH},
    {0xE0000, 0x10FFFF, FOLD_SIGN},
};

/* The character at the front of s and its length; length 0: not UTF-8. */
static size_t decode(struct str s, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *at = (const unsigned char *)s.at;
    size_t len = at[0] < 0x80 ? 1 : at[0] < 0xC2 ? 0 : at[0] < 0xE0 ? 2 : at[0] < 0xF0 ? 3 : 4;
    if (len == 0 || len > s.len || at[0] > 0xF4)
        return 0;
    *code = len == 1 ? at[0] : at[0] & (0x7FU >> len);
    for (size_t i = 1; i < len; i++) {
        if ((at[i] & 0xC0) != 0x80)
            return 0;
        *code = *code << 6 | (at[i] & 0x3F);
    }
    if (*code < least[len] || *code > 0x10FFFF || (*code >= 0xD800 && *code <= 0xDFFF))
        return 0;
    return len;
}

static size_t encode(uint32_t code, char to[FOLD_BYTES])
{
    static const unsigned char first[] = {0, 0, 0xC0, 0xE0, 0xF0};
    size_t len = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = len; i > 1; i--, code >>= 6)
        to[i - 1] = (char)(0x80 | (code & 0x3F));
    to[0] = (char)(first[len] | code);
    return len;
}

static enum fold_kind kind_of(uint32_t code)
{
    for (size_t i = 0; i < countof(blocks) && blocks[i].from <= code; i++)
        if (code <= blocks[i].to)
            return blocks[i].kind;
    return FOLD_LETTER;
}

static struct fold_char fold_ascii(char c)
{
    bool is_letter = str_is_alpha(c) || str_is_digit(c);
    return (struct fold_char){.kind = is_letter ? FOLD_LETTER : FOLD_SIGN,
                              .is_upper = c >= 'A' && c <= 'Z',
                              .len = 1,
                              .text = {str_lower(c)}};
}

/* Lower case and without accent, beyond Latin; *is_upper: it was a capital. */
static uint32_t lower(uint32_t code, bool *is_upper)
{
    for (size_t i = 0; i < countof(accented); i++)
        if (accented[i].from == code)
            return accented[i].to;
    *is_upper = true;
    if ((code >= 0x391 && code <= 0x3A9) || (code >= 0x410 && code <= 0x42F))
        return code + 32;
    if (code >= 0x400 && code <= 0x40F)
        return code + 80;
    if (code >= 0x531 && code <= 0x556) /* Armenian */
        return code + 48;
    *is_upper = false;
    return code;
}

struct fold_char fold_next(struct str *rest)
{
    uint32_t code = 0;
    if (str_is_empty(*rest))
        return (struct fold_char){.kind = FOLD_END};
    size_t taken = decode(*rest, &code);
    *rest = str_from(*rest, taken == 0 ? 1 : taken);
    if (taken == 0)
        return (struct fold_char){.kind = FOLD_SIGN};
    if (code >= 0xFF01 && code <= 0xFF5E) /* full width */
        code = code - 0xFF01 + '!';
    if (code < 0x80)
        return fold_ascii((char)code);
    struct fold_char folded = {.kind = kind_of(code)};
    if (code >= 0x300 && code <= 0x36F) { /* combining accents */
        folded.kind = FOLD_LETTER;
    } else if (code >= 0xC0 && code < 0x180 && folded.kind == FOLD_LETTER) {
        const char *base = latin[code - 0xC0];
        folded.is_upper = code < 0xDF;
        folded.len = base[1] == '\0' ? 1 : 2;
        memcpy(folded.text, base, folded.len);
    } else {
        folded.len = encode(lower(code, &folded.is_upper), folded.text);
    }
    return folded;
}
