/* SPDX-License-Identifier: MIT */
/* agents/common/extract.c - small scanners over what models write. Each returns the absent string
 * when the thing is not there; none fails. */
#include "agents/common/extract.h"

/* From the start of line at offset, the offset after its newline (or the end). */
static size_t next_line(struct str text, size_t offset)
{
    ptrdiff_t cut = str_find_char(str_from(text, offset), '\n');
    return cut == STR_NONE ? text.len : offset + (size_t)cut + 1;
}

static struct str fenced_block(struct str text)
{
    ptrdiff_t fence = str_find(text, STR("```"));
    if (fence == STR_NONE)
        return (struct str){NULL, 0};
    size_t start = next_line(text, (size_t)fence);
    struct str body = str_from(text, start);
    ptrdiff_t close = str_find(body, STR("```"));
    return close == STR_NONE ? body : str_slice(body, 0, (size_t)close);
}

struct str extract_sql(struct str text)
{
    struct str sql = fenced_block(text);
    if (str_is_absent(sql))
        sql = text;
    sql = str_trim(sql);
    while (str_ends_with(sql, STR(";")))
        sql = str_trim(str_slice(sql, 0, sql.len - 1));
    return sql;
}

struct str extract_explanation(struct str text)
{
    ptrdiff_t fence = str_find(text, STR("```"));
    if (fence == STR_NONE)
        return STR("");
    struct str before = str_trim(str_slice(text, 0, (size_t)fence));
    struct str body = str_from(text, next_line(text, (size_t)fence));
    ptrdiff_t close = str_find(body, STR("```"));
    struct str after = close == STR_NONE ? STR("") : str_trim(str_from(body, (size_t)close + 3));
    return before.len > 0 ? before : after;
}

/* What follows blanks and stars; *stars gets how many stars were there. */
static struct str skip_stars(struct str line, size_t *stars)
{
    for (*stars = 0; line.len > 0 && (str_is_blank(line.at[0]) || line.at[0] == '*');
         line = str_from(line, 1))
        *stars += line.at[0] == '*';
    return line;
}

/* Whether line begins with blanks, label, blanks and ':'; *value is the rest. Stars that make the
 * label bold belong to the label, before the colon and behind it. */
static bool starts_label(struct str line, struct str label, struct str *value)
{
    size_t opened, closed;
    line = skip_stars(line, &opened);
    if (!str_equal_nocase(str_slice(line, 0, label.len), label))
        return false;
    line = skip_stars(str_from(line, label.len), &closed);
    if (line.len == 0 || line.at[0] != ':')
        return false;
    line = str_from(line, 1);
    for (; closed < opened && line.len > 0 && line.at[0] == '*'; closed++)
        line = str_from(line, 1);
    *value = line;
    return true;
}

struct str extract_label(struct str text, const char *label, const char *stop_label)
{
    struct str value, ignored;
    size_t start = 0;
    for (; start < text.len; start = next_line(text, start))
        if (starts_label(str_slice(text, start, next_line(text, start)), str_of(label), &value))
            break;
    if (start >= text.len)
        return (struct str){NULL, 0};
    size_t begin = (size_t)(value.at - text.at), end = next_line(text, start);
    for (; stop_label != NULL && end < text.len; end = next_line(text, end))
        if (starts_label(str_slice(text, end, next_line(text, end)), str_of(stop_label), &ignored))
            break;
    return str_trim(str_slice(text, begin, stop_label == NULL ? next_line(text, start) : end));
}

struct str extract_json(struct str text, char open)
{
    char close = open == '{' ? '}' : ']';
    ptrdiff_t start = str_find_char(text, open);
    size_t depth = 0;
    bool in_string = false;
    if (start == STR_NONE)
        return (struct str){NULL, 0};
    for (size_t i = (size_t)start; i < text.len; i++) {
        char c = text.at[i];
        if (in_string) {
            if (c == '\\')
                i++;
            else if (c == '"')
                in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == open) {
            depth++;
        } else if (c == close && --depth == 0) {
            return str_slice(text, (size_t)start, i + 1);
        }
    }
    return (struct str){NULL, 0};
}

static bool is_word_char(char c)
{
    return str_is_alpha(c) || str_is_digit(c) || c == '_';
}

struct str extract_word(struct str s)
{
    while (s.len > 0 && !is_word_char(s.at[0]))
        s = str_from(s, 1);
    size_t len = 0;
    while (len < s.len && is_word_char(s.at[len]))
        len++;
    return str_slice(s, 0, len);
}

struct str extract_refusal(struct str text)
{
    struct str first = str_trim(text), reason;
    if (!starts_label(str_slice(first, 0, next_line(first, 0)), STR("CANNOT"), &reason))
        return (struct str){NULL, 0};
    return str_trim(reason);
}
