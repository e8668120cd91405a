/* SPDX-License-Identifier: MIT */
/* agents/offline/answers/alike.c - statements in one form.
 *
 * Happy path: both are written again without quotes of names and parentheses, and with numbers for
 * the names of outputs; then they are compared byte by byte. Parentheses stay where an OR is, since
 * they may say what belongs together. Failure: no memory; they are two readings then. */
#include "agents/offline/answers/alike.h"

#include "core/base/buf.h"

enum { NAMES = 12 };

struct form {
    struct str names[NAMES];
    size_t count;
    bool grouped; /* parentheses stay */
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

/* The text in quotes at i, as it is. Returns what is behind it. */
static size_t push_text(struct form *form, struct str sql, size_t i)
{
    size_t end = i + 1;
    while (end < sql.len && sql.at[end] != '\'')
        end++;
    end += end < sql.len;
    buf_push(&form->out, str_slice(sql, i, end));
    return end;
}

static void write(struct form *form, struct str sql)
{
    struct str before = STR("");
    for (size_t i = 0; i < sql.len;) {
        char c = sql.at[i];
        if (c == '\'') {
            i = push_text(form, sql, i);
        } else if (is_of_name(c) || c == '"' || c == '`') {
            bool of_table = i > 0 && sql.at[i - 1] == '.';
            struct str word = word_at(sql, i, &i);
            push_word(form, word, before, of_table);
            before = word;
        } else {
            if (form->grouped || (c != '(' && c != ')'))
                buf_push_char(&form->out, c);
            i++;
        }
    }
}

bool offline_alike(struct str one, struct str other)
{
    enum { BYTES = 8192 };
    bool grouped =
        str_find(one, STR(" OR ")) != STR_NONE || str_find(other, STR(" OR ")) != STR_NONE;
    struct form a = {.count = 0, .grouped = grouped}, b = {.count = 0, .grouped = grouped};
    buf_init(&a.out, BYTES);
    buf_init(&b.out, BYTES);
    write(&a, one);
    write(&b, other);
    bool same = buf_ok(&a.out) && buf_ok(&b.out) && str_equal(buf_str(&a.out), buf_str(&b.out));
    buf_fini(&a.out);
    buf_fini(&b.out);
    return same;
}
