/* SPDX-License-Identifier: MIT */
/* core/words/stem.c - suffix rules.
 *
 * Happy path: an irregular form by table; else plural, then -ing or -ed, then a final e and a
 * doubled consonant go. The last two apply to every word, so that "install" and "installed" meet.
 * Failure: none; a word no rule fits is its own stem. */
#include "core/words/stem.h"

#include <string.h>

enum { STEM_MIN = 3 };

static const struct {
    const char *form, *base;
} irregular[] = {
    {"made", "make"},       {"paid", "pay"},          {"led", "lead"},       {"spent", "spend"},
    {"sold", "sell"},       {"bought", "buy"},        {"began", "begin"},    {"begun", "begin"},
    {"sent", "send"},       {"built", "build"},       {"ran", "run"},        {"gave", "give"},
    {"given", "give"},      {"took", "take"},         {"taken", "take"},     {"wrote", "write"},
    {"written", "write"},   {"held", "hold"},         {"kept", "keep"},      {"lost", "lose"},
    {"met", "meet"},        {"left", "leave"},        {"won", "win"},        {"flew", "fly"},
    {"people", "person"},   {"men", "man"},           {"women", "woman"},    {"children", "child"},
    {"drove", "drive"},     {"driven", "drive"},      {"taught", "teach"},   {"got", "get"},
    {"shipping", "ship"},   {"cities", "city"},       {"staff", "staff"},    {"status", "status"},
    {"statuses", "status"}, {"addresses", "address"}, {"hrs", "hour"},       {"hr", "hour"},
    {"species", "species"}, {"series", "series"},     {"chosen", "choose"},  {"grew", "grow"},
    {"came", "come"},       {"sang", "sing"},         {"sung", "sing"},      {"spoke", "speak"},
    {"spoken", "speak"},    {"wore", "wear"},         {"worn", "wear"},      {"knew", "know"},
    {"known", "know"},      {"brought", "bring"},     {"born", "birth"},     {"ids", "id"},
    {"movies", "movie"},    {"calories", "calorie"},  {"cookies", "cookie"}, {"zombies", "zombie"},
    {"became", "become"},   {"drew", "draw"},         {"fought", "fight"},   {"drank", "drink"},
    {"went", "go"},         {"gone", "go"},           {"lent", "lend"},      {"saw", "see"},
    {"seen", "see"},        {"ate", "eat"},           {"eaten", "eat"},      {"broke", "break"},
    {"broken", "break"},    {"caught", "catch"},      {"threw", "throw"},    {"thrown", "throw"},
    {"stole", "steal"},     {"stolen", "steal"},      {"dealt", "deal"},     {"stood", "stand"},
    {"done", "do"},         {"swam", "swim"},         {"won", "win"},        {"hidden", "hide"},
};

bool stem_is_vowel(char c)
{
    return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u' || c == 'y';
}

static bool has_vowel(const char *at, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (stem_is_vowel(at[i]))
            return true;
    return false;
}

static bool ends_in(const char *at, size_t len, const char *suffix)
{
    size_t n = strlen(suffix);
    return len >= n && memcmp(at + len - n, suffix, n) == 0;
}

static size_t drop_plural(char *at, size_t len)
{
    if (len <= STEM_MIN || at[len - 1] != 's' || ends_in(at, len, "ss") || ends_in(at, len, "us") ||
        ends_in(at, len, "is"))
        return len;
    if (ends_in(at, len, "ies") && len > 4) {
        at[len - 3] = 'y';
        return len - 2;
    }
    if (ends_in(at, len, "sses") || ends_in(at, len, "xes") || ends_in(at, len, "ches") ||
        ends_in(at, len, "shes"))
        return len - 2;
    return len - 1;
}

static size_t drop_ending(char *at, size_t len)
{
    size_t cut = ends_in(at, len, "ing") ? 3 : ends_in(at, len, "ed") ? 2 : 0;
    if (cut == 0 || len < cut + STEM_MIN || !has_vowel(at, len - cut))
        return len;
    if (ends_in(at, len, "eed"))
        return len;
    if (ends_in(at, len, "ied")) {
        at[len - 3] = 'y';
        return len - 2;
    }
    return len - cut;
}

/* The base of an irregular form, or the word itself. */
static struct str base_of(struct str word)
{
    for (size_t i = 0; i < countof(irregular); i++)
        if (word.len > 0 && word.at[0] == irregular[i].form[0] &&
            strncmp(word.at, irregular[i].form, word.len) == 0 &&
            irregular[i].form[word.len] == '\0')
            return str_of(irregular[i].base);
    return word;
}

/* The byte at i of the text in small letters: ASCII's, and those of Latin-1, which are 0xC3 and a
 * second byte in UTF-8. */
static char lower_at(struct str text, size_t i)
{
    const unsigned char c = (unsigned char)text.at[i];
    const bool is_second = i > 0 && (unsigned char)text.at[i - 1] == 0xC3;
    return is_second && c >= 0x80 && c <= 0x9E && c != 0x97 ? (char)(c + 0x20)
                                                            : str_lower(text.at[i]);
}

struct str stem_of(struct str word, char *to)
{
    size_t len = size_min(word.len, STEM_BYTES - 1);
    for (size_t i = 0; i < len; i++)
        to[i] = lower_at(word, i);
    struct str base = base_of(str_make(to, len));
    if (base.at != to) {
        len = base.len;
        memcpy(to, base.at, len);
    }
    if (len > 0 && str_is_digit(to[0]))
        return str_make(to, len);
    len = drop_plural(to, len);
    len = drop_ending(to, len);
    if (len > STEM_MIN && to[len - 1] == 'e')
        len--;
    if (len > STEM_MIN && to[len - 1] == to[len - 2] && !stem_is_vowel(to[len - 1]))
        len--;
    return str_make(to, len);
}

static bool is_name_char(char c)
{
    return str_is_digit(c) || str_is_alpha(c) || (unsigned char)c >= 0x80;
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

/* A new word starts at i: lower -> upper, or the last capital of a run before a small letter. */
static bool starts_word(struct str name, size_t i)
{
    if (!is_upper(name.at[i]))
        return false;
    if (!is_upper(name.at[i - 1]))
        return true;
    return i + 1 < name.len && str_is_alpha(name.at[i + 1]) && !is_upper(name.at[i + 1]);
}

static struct str lower_copy(struct arena *arena, struct str s)
{
    char *to = arena_alloc(arena, s.len + 1);
    if (to == NULL)
        return (struct str){NULL, 0};
    for (size_t i = 0; i < s.len; i++)
        to[i] = lower_at(s, i);
    return str_make(to, s.len);
}

/* The word at or after *at, which moves behind it; empty: there is none. */
static struct str next_word(struct str name, size_t *at)
{
    size_t i = *at;
    while (i < name.len && !is_name_char(name.at[i]))
        i++;
    size_t start = i;
    while (i < name.len && is_name_char(name.at[i]) && (i == start || !starts_word(name, i)))
        i++;
    *at = i;
    return str_slice(name, start, i);
}

size_t stem_split(struct arena *arena, struct str name, struct str *words, size_t max)
{
    size_t count = 0, at = 0;
    for (struct str word; count < max && (word = next_word(name, &at)).len > 0; count++) {
        words[count] = lower_copy(arena, word);
        if (str_is_absent(words[count]))
            break;
    }
    return count;
}

struct str stem_key(struct arena *arena, const struct str *words, size_t count)
{
    char *key = arena_alloc(arena, count * (STEM_BYTES + 1) + 1);
    if (key == NULL)
        return (struct str){NULL, 0};
    size_t len = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            key[len++] = ' ';
        len += stem_of(words[i], key + len).len;
    }
    return str_make(key, len);
}

struct str stem_phrase(struct str name, size_t max, char *to, size_t *count)
{
    size_t len = 0, at = 0, words = 0;
    for (struct str word; words < max && (word = next_word(name, &at)).len > 0; words++) {
        if (words > 0)
            to[len++] = ' ';
        len += stem_of(word, to + len).len;
    }
    *count = words;
    return str_make(to, len);
}
