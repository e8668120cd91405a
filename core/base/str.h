/* SPDX-License-Identifier: MIT */
/* core/base/str.h - a borrowed view of bytes, passed by value.
 *
 * Bytes may contain NUL; nothing here looks past len. A view never owns: whoever made the bytes
 * says how long they live. {NULL, 0} is the absent string, distinct from the empty one only for
 * str_is_absent. Any thread; no allocation. */
#ifndef CORE_BASE_STR_H
#define CORE_BASE_STR_H

#include <string.h>

#include "core/base/defs.h"

struct str {
    const char *at;
    size_t len;
};

/* A view of a string literal. */
#define STR(literal) ((struct str){"" literal "", sizeof(literal) - 1})
/* For "%.*s". */
#define STR_ARG(s) (int)(s).len, (s).at == NULL ? "" : (s).at

/* A view of a C string; NULL gives the absent string. For literals and library edges only. */
struct str str_of(const char *text);

static inline struct str str_make(const char *at, size_t len)
{
    return (struct str){at, len};
}

static inline bool str_is_empty(struct str s)
{
    return s.len == 0;
}

static inline bool str_is_absent(struct str s)
{
    return s.at == NULL;
}

/* Inline, so that a comparison with a literal compiles to comparisons of machine words. */
static inline bool str_equal(struct str a, struct str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.at, b.at, a.len) == 0);
}
/* ASCII case is ignored; other bytes must match. */
bool str_equal_nocase(struct str a, struct str b);
/* <0, 0, >0 by unsigned bytes, shorter first. */
int str_compare(struct str a, struct str b);
/* As str_compare, with ASCII letters compared in lower case. */
int str_compare_nocase(struct str a, struct str b);
/* Whether s is one of count names, which are sorted as str_compare, or str_compare_nocase, orders
 * them. */
bool str_is_listed(struct str s, const char *const *names, size_t count);
bool str_is_listed_nocase(struct str s, const char *const *names, size_t count);
bool str_starts_with(struct str s, struct str prefix);
bool str_ends_with(struct str s, struct str suffix);
/* ASCII case is ignored. */
bool str_ends_with_nocase(struct str s, struct str suffix);

enum { STR_NONE = -1 };
/* Offset of the first c, or of the first needle (not empty), or STR_NONE. */
ptrdiff_t str_find_char(struct str s, char c);
ptrdiff_t str_find(struct str s, struct str needle);

/* The bytes from start (clamped) up to end (clamped), or all from start on. */
static inline struct str str_slice(struct str s, size_t start, size_t end)
{
    end = end < s.len ? end : s.len;
    start = start < end ? start : end;
    return (struct str){s.at == NULL ? NULL : s.at + start, end - start};
}

static inline struct str str_from(struct str s, size_t start)
{
    return str_slice(s, start, s.len);
}

/* s without leading and trailing blanks (space, tab, CR, LF, FF, VT). */
struct str str_trim(struct str s);
/* Cut *rest at the first separator: returns what is before it and leaves what follows. With no
 * separator it returns all and leaves *rest absent. Loop while !str_is_absent(*rest). */
struct str str_split(struct str *rest, char separator);

/* Decimal digits (after one optional '-' for int64), nothing else, in range. False otherwise. */
MUST_USE bool str_to_u64(struct str s, uint64_t *value);
MUST_USE bool str_to_i64(struct str s, int64_t *value);
/* A decimal number with optional fraction and exponent, finite, C locale, at most 64 bytes. */
MUST_USE bool str_to_double(struct str s, double *value);

/* Well-formed UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF. */
bool str_is_utf8(struct str s);
/* At most max_bytes of s, ended at a character boundary. */
struct str str_utf8_prefix(struct str s, size_t max_bytes);

/* ASCII only, locale-free. */
static inline char str_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static inline bool str_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool str_is_alpha(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool str_is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* FNV-1a, 64 bits: for tables in memory, not for anything an adversary may collide on purpose. */
uint64_t str_hash(struct str s);

#endif
