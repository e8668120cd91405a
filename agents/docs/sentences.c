/* SPDX-License-Identifier: MIT */
/* agents/docs/sentences.c - one pass from one punctuation mark to the next. Nothing can fail. */
#include "agents/docs/sentences.h"

/* The word that ends before text[end], as far as it is letters, digits and periods. */
static struct str word_before(struct str text, size_t end)
{
    size_t begin = end;
    while (begin > 0 && (str_is_alpha(text.at[begin - 1]) || str_is_digit(text.at[begin - 1]) ||
                         text.at[begin - 1] == '.'))
        begin--;
    return str_slice(text, begin, end);
}

static bool is_abbreviation(struct str word)
{
    static const char *const known[] = {
        /* English */
        "approx", "apr", "art", "aug", "ca", "cf", "co", "corp", "dec", "dept", "dr", "e.g", "ed",
        "est", "etc", "feb", "fig", "i.e", "inc", "jan", "jul", "jun", "ltd", "mar", "mr", "mrs",
        "ms", "no", "nos", "nov", "oct", "p", "pp", "prof", "sec", "sep", "sept", "st", "u.k",
        "u.s", "vol", "vs",
        /* German */
        "abs", "abt", "bspw", "bzw", "d.h", "dez", "evtl", "exkl", "ggf", "inkl", "mio", "mrd",
        "nr", "o.g", "okt", "sog", "tel", "tsd", "u.a", "vgl", "z.b", "z.t", "zzgl",
        /* Spanish and French */
        "aprox", "avda", "dra", "ee.uu", "env", "p.ej", "p.ex", "sr", "sra"};
    for (size_t i = 0; i < countof(known); i++)
        if (str_equal_nocase(word, str_of(known[i])))
            return true;
    return word.len == 1 && str_is_alpha(word.at[0]); /* an initial */
}

static bool is_number(struct str word)
{
    for (size_t i = 0; i < word.len; i++)
        if (!str_is_digit(word.at[i]))
            return false;
    return word.len > 0;
}

/* "am 3. Mai", "ab der 41. Stunde": German writes "third" so, and nouns with a capital. */
static bool is_ordinal(struct str text, struct str word)
{
    static const char *const before[] = {"ab",    "am",  "beim", "bis",   "bzw.",  "das",
                                         "dem",   "den", "der",  "des",   "die",   "einem",
                                         "einen", "im",  "jede", "jedem", "jeden", "jeder",
                                         "seit",  "und", "vom",  "zum",   "zur"};
    enum { MOST_DIGITS = 3 };
    size_t end = (size_t)(word.at - text.at);
    if (!is_number(word) || word.len > MOST_DIGITS || end == 0 || text.at[end - 1] != ' ')
        return false;
    return str_is_listed_nocase(word_before(text, end - 1), before, countof(before));
}

/* "3" of "3. Open the form": the number that begins a line is not a sentence. */
static bool is_list_number(struct str text, struct str word)
{
    return word.len <= 3 && word.at == text.at && is_number(word);
}

static bool is_closing(char c)
{
    return c == '"' || c == '\'' || c == ')' || c == ']' || c == '*';
}

/* Whether the mark at text[i] ends a sentence whose last byte is before next, where a blank is. */
static bool ends_at(struct str text, size_t i, size_t next)
{
    if (next < text.len && !str_is_blank(text.at[next]))
        return false;
    while (next < text.len && str_is_blank(text.at[next]))
        next++;
    if (next == text.len || text.at[i] != '.')
        return true;
    if (text.at[next] >= 'a' && text.at[next] <= 'z')
        return false;
    struct str word = word_before(text, i);
    return !is_abbreviation(word) && !is_list_number(text, word) && !is_ordinal(text, word);
}

/* Bytes of an ideographic full stop or its full-width kin at text[i]; 0: none. They need no blank
 * after them. */
static size_t wide_mark(struct str text, size_t i)
{
    struct str s = str_from(text, i);
    return str_starts_with(s, STR("\xE3\x80\x82")) || str_starts_with(s, STR("\xEF\xBC\x81")) ||
                   str_starts_with(s, STR("\xEF\xBC\x9F"))
               ? 3
               : 0;
}

static size_t sentence_end(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.at[i];
        if (c == '\n')
            return i;
        if (wide_mark(text, i) > 0)
            return i + wide_mark(text, i);
        if (c != '.' && c != '!' && c != '?')
            continue;
        size_t next = i + 1;
        while (next < text.len && is_closing(text.at[next]))
            next++;
        if (ends_at(text, i, next))
            return next;
    }
    return text.len;
}

/* Past the marks of sources that follow a sentence: " [2] [3]". */
static size_t after_marks(struct str text, size_t end)
{
    for (;;) {
        size_t i = end;
        while (i < text.len && text.at[i] == ' ')
            i++;
        if (i + 2 >= text.len || text.at[i] != '[' || !str_is_digit(text.at[i + 1]))
            return end;
        while (i < text.len && text.at[i] != ']' && text.at[i] != '\n')
            i++;
        if (i == text.len || text.at[i] != ']')
            return end;
        end = i + 1;
    }
}

struct str docs_sentences_next(struct str *rest)
{
    struct str text = str_trim(*rest);
    if (text.len == 0) {
        *rest = (struct str){NULL, 0};
        return *rest;
    }
    size_t end = after_marks(text, sentence_end(text));
    *rest = str_from(text, end);
    return str_trim(str_slice(text, 0, end));
}
