/* SPDX-License-Identifier: MIT */
/* agents/offline/answers/alike.c - statements in one form.
 *
 * Happy path: both are written again without quotes of names, without parentheses around all that
 * stands between two words that bind less than it does, and with numbers for the names of outputs;
 * then they are compared byte by byte. Failure: no memory; they are two readings then. */
#include "agents/offline/answers/alike.h"

#include "core/base/buf.h"

enum { NAMES = 12, CLOSINGS = 32 };

struct form {
    struct str names[NAMES];
    size_t count;
    size_t closings[CLOSINGS]; /* where parentheses end that say nothing */
    size_t closing_count;
    struct buf out;
};

static bool is_of_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (c & 0x80) != 0;
}

/* The word at i, without the quotes of a name; *end: behind it. */
static struct str word_at(struct str sql, size_t i, size_t *end)
{
    bool quoted = sql.at[i] == '"' || sql.at[i] == '`';
    size_t from = i + quoted, to = from;
    while (to < sql.len && (quoted ? sql.at[to] != sql.at[i] : is_of_name(sql.at[to])))
        to++;
    *end = quoted && to < sql.len ? to + 1 : to;
    return str_slice(sql, from, to);
}

/* t1: what the composer calls tables. */
static bool is_table(struct str word)
{
    return word.len > 1 && word.at[0] == 't' && word.at[1] >= '0' && word.at[1] <= '9';
}

static void push_word(struct form *form, struct str word, struct str before, bool of_table)
{
    bool named = str_equal(before, STR("AS")) && !is_table(word);
    for (size_t i = 0; i < form->count && !of_table; i++)
        if (str_equal(form->names[i], word)) {
            buf_printf(&form->out, "@%zu", i);
            return;
        }
    if (named && form->count < NAMES) {
        buf_printf(&form->out, "@%zu", form->count);
        form->names[form->count++] = word;
    } else {
        buf_push(&form->out, word);
    }
}

/* What is at i: a text in quotes, a name or word, or one other character. Returns what is behind
 * it. */
static size_t part_end(struct str sql, size_t i)
{
    size_t end = i + 1;
    if (sql.at[i] != '\'') {
        if (is_of_name(sql.at[i]) || sql.at[i] == '"' || sql.at[i] == '`')
            (void)word_at(sql, i, &end);
        return end;
    }
    while (end < sql.len && sql.at[end] != '\'')
        end++;
    return end + (end < sql.len);
}

static bool is_one_of(struct str part, const char *const words[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal_nocase(part, str_of(words[i])))
            return true;
    return false;
}

/* Where the parenthesis at i ends, when it has one expression in it without an OR; else sql.len. */
static size_t closing_of(struct str sql, size_t i)
{
    static const char *const several[] = {"OR", ",", "SELECT", "WITH"};
    size_t depth = 0;
    for (size_t end; i < sql.len; i = end) {
        end = part_end(sql, i);
        struct str part = str_slice(sql, i, end);
        depth += str_equal(part, STR("("));
        if (str_equal(part, STR(")")) && --depth == 0)
            return i;
        if (depth == 1 && is_one_of(part, several, countof(several)))
            break;
    }
    return sql.len;
}

/* Whether the parenthesis at i, behind the part before, says nothing; *closing: where it ends. */
static bool says_nothing(struct str sql, size_t i, struct str before, size_t *closing)
{
    static const char *const in_front[] = {"SELECT", "WHERE", "AND", "HAVING",
                                           "BY",     "ON",    ",",   "("};
    static const char *const behind[] = {"AS",     "FROM",  "AND",  "GROUP", "ORDER",
                                         "HAVING", "LIMIT", "DESC", ",",     ")"};
    *closing = closing_of(sql, i);
    if (*closing == sql.len || !is_one_of(before, in_front, countof(in_front)))
        return false;
    size_t next = *closing + 1;
    while (next < sql.len && sql.at[next] == ' ')
        next++;
    return next == sql.len ||
           is_one_of(str_slice(sql, next, part_end(sql, next)), behind, countof(behind));
}

static bool is_closing(const struct form *form, size_t i)
{
    for (size_t k = 0; k < form->closing_count; k++)
        if (form->closings[k] == i)
            return true;
    return false;
}

static void push_part(struct form *form, struct str sql, size_t i, struct str before)
{
    const size_t end = part_end(sql, i);
    struct str part = str_slice(sql, i, end);
    size_t closing, behind;
    if (part.at[0] == '(' && form->closing_count < CLOSINGS &&
        says_nothing(sql, i, before, &closing))
        form->closings[form->closing_count++] = closing;
    else if (is_of_name(part.at[0]) || part.at[0] == '"' || part.at[0] == '`')
        push_word(form, word_at(sql, i, &behind), before, i > 0 && sql.at[i - 1] == '.');
    else if (part.at[0] != ')' || !is_closing(form, i))
        buf_push(&form->out, part);
}

static void write(struct form *form, struct str sql)
{
    struct str before = STR("");
    for (size_t i = 0, end; i < sql.len; i = end) {
        end = part_end(sql, i);
        push_part(form, sql, i, before);
        if (sql.at[i] != ' ')
            before = str_slice(sql, i, end);
    }
}

bool offline_alike(struct str one, struct str other)
{
    enum { BYTES = 8192 };
    struct form a = {.count = 0}, b = {.count = 0};
    buf_init(&a.out, BYTES);
    buf_init(&b.out, BYTES);
    write(&a, one);
    write(&b, other);
    bool same = buf_ok(&a.out) && buf_ok(&b.out) && str_equal(buf_str(&a.out), buf_str(&b.out));
    buf_fini(&a.out);
    buf_fini(&b.out);
    return same;
}
