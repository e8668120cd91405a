/* SPDX-License-Identifier: MIT */
/* core/base/str.c - views: compare, cut, parse numbers, walk UTF-8. Every loop is bounded by
 * len; nothing reads a terminator. */
#include "core/base/str.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct str str_of(const char *text)
{
    return text == NULL ? (struct str){NULL, 0} : (struct str){text, strlen(text)};
}

bool str_equal_nocase(struct str a, struct str b)
{
    if (a.len != b.len)
        return false;
    for (size_t i = 0; i < a.len; i++)
        if (a.at[i] != b.at[i] && str_lower(a.at[i]) != str_lower(b.at[i]))
            return false;
    return true;
}

int str_compare(struct str a, struct str b)
{
    size_t len = size_min(a.len, b.len);
    int order = len == 0 ? 0 : memcmp(a.at, b.at, len);
    if (order != 0)
        return order;
    return (a.len > b.len) - (a.len < b.len);
}

int str_compare_nocase(struct str a, struct str b)
{
    size_t len = size_min(a.len, b.len);
    for (size_t i = 0; i < len; i++) {
        unsigned char x = (unsigned char)str_lower(a.at[i]), y = (unsigned char)str_lower(b.at[i]);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return (a.len > b.len) - (a.len < b.len);
}

/* One pass over both, for most names differ at once. */
static inline int compare_listed(struct str s, const char *name, bool nocase)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char x = (unsigned char)(nocase ? str_lower(s.at[i]) : s.at[i]);
        unsigned char y = (unsigned char)(nocase ? str_lower(name[i]) : name[i]);
        if (x != y || y == '\0')
            return x < y ? -1 : 1;
    }
    return name[s.len] == '\0' ? 0 : -1;
}

static inline bool is_listed(struct str s, const char *const *names, size_t count, bool nocase)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_listed(s, names[middle], nocase);
        if (order == 0)
            return true;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}

bool str_is_listed(struct str s, const char *const *names, size_t count)
{
    return is_listed(s, names, count, false);
}

bool str_is_listed_nocase(struct str s, const char *const *names, size_t count)
{
    return is_listed(s, names, count, true);
}

bool str_starts_with(struct str s, struct str prefix)
{
    return s.len >= prefix.len && str_equal(str_slice(s, 0, prefix.len), prefix);
}

bool str_ends_with(struct str s, struct str suffix)
{
    return s.len >= suffix.len && str_equal(str_from(s, s.len - suffix.len), suffix);
}

bool str_ends_with_nocase(struct str s, struct str suffix)
{
    return s.len >= suffix.len && str_equal_nocase(str_from(s, s.len - suffix.len), suffix);
}

ptrdiff_t str_find_char(struct str s, char c)
{
    const char *hit = s.len == 0 ? NULL : memchr(s.at, c, s.len);
    return hit == NULL ? STR_NONE : hit - s.at;
}

ptrdiff_t str_find(struct str s, struct str needle)
{
    CHECK(needle.len > 0);
    for (size_t i = 0; i + needle.len <= s.len; i++) {
        ptrdiff_t step = str_find_char(str_slice(s, i, s.len - needle.len + 1), needle.at[0]);
        if (step == STR_NONE)
            return STR_NONE;
        i += (size_t)step;
        if (memcmp(s.at + i, needle.at, needle.len) == 0)
            return (ptrdiff_t)i;
    }
    return STR_NONE;
}

struct str str_trim(struct str s)
{
    while (s.len > 0 && str_is_blank(s.at[0]))
        s = str_from(s, 1);
    while (s.len > 0 && str_is_blank(s.at[s.len - 1]))
        s.len--;
    return s;
}

struct str str_split(struct str *rest, char separator)
{
    ptrdiff_t cut = str_find_char(*rest, separator);
    struct str head = *rest;
    if (cut == STR_NONE) {
        *rest = (struct str){NULL, 0};
        return head;
    }
    *rest = str_from(*rest, (size_t)cut + 1);
    head.len = (size_t)cut;
    return head;
}

bool str_to_u64(struct str s, uint64_t *value)
{
    uint64_t sum = 0;
    if (s.len == 0)
        return false;
    for (size_t i = 0; i < s.len; i++) {
        if (!str_is_digit(s.at[i]) || __builtin_mul_overflow(sum, 10, &sum) ||
            __builtin_add_overflow(sum, (uint64_t)(s.at[i] - '0'), &sum))
            return false;
    }
    *value = sum;
    return true;
}

bool str_to_i64(struct str s, int64_t *value)
{
    bool negative = s.len > 0 && s.at[0] == '-';
    uint64_t size;
    if (!str_to_u64(str_from(s, negative ? 1 : 0), &size))
        return false;
    if (size > (uint64_t)INT64_MAX + (negative ? 1 : 0))
        return false;
    *value = negative ? (int64_t)(0 - size) : (int64_t)size;
    return true;
}

/* Whether s is [-]digits[.digits][e[+-]digits]: strtod alone takes hex, "inf" and blanks. */
static bool is_decimal(struct str s)
{
    size_t i = 0, digits = 0;
    if (i < s.len && (s.at[i] == '-' || s.at[i] == '+'))
        i++;
    for (; i < s.len && str_is_digit(s.at[i]); i++)
        digits++;
    if (i < s.len && s.at[i] == '.')
        for (i++; i < s.len && str_is_digit(s.at[i]); i++)
            digits++;
    if (digits == 0)
        return false;
    if (i < s.len && (s.at[i] == 'e' || s.at[i] == 'E')) {
        size_t exponent = 0;
        i++;
        if (i < s.len && (s.at[i] == '-' || s.at[i] == '+'))
            i++;
        for (; i < s.len && str_is_digit(s.at[i]); i++)
            exponent++;
        if (exponent == 0)
            return false;
    }
    return i == s.len;
}

bool str_to_double(struct str s, double *value)
{
    char text[65];
    if (s.len == 0 || s.len >= sizeof text || !is_decimal(s))
        return false;
    memcpy(text, s.at, s.len);
    text[s.len] = '\0';
    double number = strtod(text, NULL); /* the program never calls setlocale: the C locale */
    if (!isfinite(number))
        return false;
    *value = number;
    return true;
}

/* Length of the well-formed character at the start of s, 0 when there is none. */
static size_t utf8_char_len(struct str s)
{
    const unsigned char *at = (const unsigned char *)s.at;
    if (s.len == 0)
        return 0;
    if (at[0] < 0x80)
        return 1;
    size_t len = at[0] >= 0xF0 ? 4 : at[0] >= 0xE0 ? 3 : 2;
    if (at[0] < 0xC2 || at[0] > 0xF4 || s.len < len)
        return 0;
    for (size_t i = 1; i < len; i++)
        if ((at[i] & 0xC0) != 0x80)
            return 0;
    if ((at[0] == 0xE0 && at[1] < 0xA0) || (at[0] == 0xED && at[1] > 0x9F) ||
        (at[0] == 0xF0 && at[1] < 0x90) || (at[0] == 0xF4 && at[1] > 0x8F))
        return 0;
    return len;
}

/* How many of the first bytes are ASCII, in steps of eight. */
static size_t ascii_prefix(struct str s)
{
    size_t i = 0;
    for (uint64_t eight; i + sizeof eight <= s.len; i += sizeof eight) {
        memcpy(&eight, s.at + i, sizeof eight);
        if ((eight & 0x8080808080808080u) != 0)
            break;
    }
    return i;
}

bool str_is_utf8(struct str s)
{
    s = str_from(s, ascii_prefix(s));
    while (s.len > 0) {
        size_t len = utf8_char_len(s);
        if (len == 0)
            return false;
        s = str_from(s, len);
    }
    return true;
}

struct str str_utf8_prefix(struct str s, size_t max_bytes)
{
    if (s.len <= max_bytes)
        return s;
    size_t end = max_bytes;
    while (end > 0 && max_bytes - end < 4 && ((unsigned char)s.at[end] & 0xC0) == 0x80)
        end--;
    return (struct str){s.at, end};
}

uint64_t str_hash(struct str s)
{
    uint64_t hash = 14695981039346656037u; /* offset basis and prime of FNV-1a 64 */
    for (size_t i = 0; i < s.len; i++)
        hash = (hash ^ (unsigned char)s.at[i]) * 1099511628211u;
    return hash;
}
