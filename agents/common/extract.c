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

/* ---- statements ---- */

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

/* Whether text begins a common table expression: "WITH name (", "WITH name AS", "WITH RECURSIVE";
 * sentences begin with the word, too. */
static bool opens_with(struct str text)
{
    struct str name = extract_word(str_from(text, 4));
    if (name.len == 0)
        return false;
    struct str rest = str_trim(str_from(text, (size_t)(name.at - text.at) + name.len));
    return str_equal_nocase(name, STR("recursive")) || str_starts_with(rest, STR("(")) ||
           str_equal_nocase(extract_word(str_slice(rest, 0, 3)), STR("as"));
}

/* Whether a statement begins here, of any kind: what may not run is for the guard to refuse. */
static bool opens_statement(struct str text)
{
    static const char *const verbs[] = {
        "alter", "attach",  "begin", "call",     "commit", "copy",   "create",  "delete", "drop",
        "exec",  "explain", "grant", "insert",   "merge",  "pragma", "replace", "revoke", "select",
        "set",   "show",    "table", "truncate", "update", "vacuum", "values",  "with"};
    while (text.len > 0 && (str_is_blank(text.at[0]) || text.at[0] == '('))
        text = str_from(text, 1);
    if (str_starts_with(text, STR("--")) || str_starts_with(text, STR("/*")))
        return true;
    size_t len = 0;
    while (len < text.len && is_word_char(text.at[len]))
        len++;
    struct str word = str_slice(text, 0, len);
    return str_equal_nocase(word, STR("with")) ? opens_with(text)
                                               : str_is_listed_nocase(word, verbs, countof(verbs));
}

/* Whether a text that reads data begins here, as it does within prose. */
static bool opens_select(struct str text)
{
    static const char *const verbs[] = {"select", "with"};
    return str_is_listed_nocase(extract_word(str_slice(text, 0, sizeof "select")), verbs,
                                countof(verbs)) &&
           opens_statement(text);
}

struct block { /* a fenced block: what stands in it, and where the text behind it begins */
    struct str body;
    size_t opened, closed;
};

/* The next fenced block from offset on. */
static bool next_block(struct str text, size_t offset, struct block *block)
{
    ptrdiff_t fence = str_find(str_from(text, offset), STR("```"));
    if (fence == STR_NONE)
        return false;
    block->opened = offset + (size_t)fence;
    size_t start = next_line(text, block->opened);
    ptrdiff_t close = str_find(str_from(text, start), STR("```"));
    block->closed = close == STR_NONE ? text.len : start + (size_t)close + 3;
    block->body =
        close == STR_NONE ? str_from(text, start) : str_slice(text, start, start + (size_t)close);
    return true;
}

/* The last block that begins as a statement or a query does, else the first: what comes before the
 * last word was a try. */
static bool find_block(struct str text, struct block *found)
{
    struct block block;
    bool is_found = false;
    for (size_t at = 0; next_block(text, at, &block); at = block.closed) {
        const bool is_statement =
            opens_statement(block.body) || str_starts_with(str_trim(block.body), STR("{"));
        if (!is_found || is_statement)
            *found = block;
        is_found = true;
    }
    return is_found;
}

/* `SELECT ...` within a line. */
static struct str find_quoted(struct str text)
{
    struct str found = {NULL, 0};
    for (size_t i = 0; i + 1 < text.len; i++) {
        struct str rest = str_from(text, i + 1);
        if (text.at[i] != '`' || !opens_select(rest))
            continue;
        size_t end = rest.len;
        while (end > 0 && rest.at[end - 1] != '`')
            end--;
        found = end == 0 ? rest : str_slice(rest, 0, end - 1);
        break;
    }
    return found;
}

/* A statement that begins a line behind some prose; it ends before an empty line. */
static struct str find_line(struct str text)
{
    for (size_t at = 0; at < text.len; at = next_line(text, at)) {
        if (!opens_select(str_from(text, at)))
            continue;
        size_t end = at;
        do
            end = next_line(text, end);
        while (end < text.len && str_trim(str_slice(text, end, next_line(text, end))).len > 0);
        return str_slice(text, at, end);
    }
    return (struct str){NULL, 0};
}

bool extract_finds_sql(struct str text, struct str *sql)
{
    struct block block;
    struct str found = {NULL, 0};
    text = str_trim(text);
    if (find_block(text, &block))
        found = block.body;
    else if (opens_statement(text) || str_starts_with(text, STR("{")))
        found = text;
    else
        found = find_quoted(text);
    if (str_is_absent(found))
        found = find_line(text);
    found = str_trim(found);
    while (str_ends_with(found, STR(";")))
        found = str_trim(str_slice(found, 0, found.len - 1));
    if (found.len > 0)
        *sql = found;
    return found.len > 0;
}

struct str extract_sql(struct str text)
{
    struct str sql = STR("");
    struct block block;
    if (extract_finds_sql(text, &sql) || find_block(text, &block))
        return sql;
    return str_trim(text);
}

struct str extract_explanation(struct str text)
{
    struct block first, found;
    if (!next_block(text, 0, &first) || !find_block(text, &found))
        return STR("");
    struct str before = str_trim(str_slice(text, 0, first.opened));
    return before.len > 0 ? before : str_trim(str_from(text, found.closed));
}

/* ---- labels ---- */

/* What follows blanks and stars; *stars gets how many stars were there. */
static struct str skip_stars(struct str line, size_t *stars)
{
    for (*stars = 0; line.len > 0 && (str_is_blank(line.at[0]) || line.at[0] == '*');
         line = str_from(line, 1))
        *stars += line.at[0] == '*';
    return line;
}

/* Whether line begins with blanks, label, blanks and ':' (a wide one, too, as Chinese texts have
 * it); *value is the rest. Stars that make the
 * label bold belong to the label, before the colon and behind it. */
static bool starts_label(struct str line, struct str label, struct str *value)
{
    size_t opened, closed;
    line = skip_stars(line, &opened);
    if (!str_equal_nocase(str_slice(line, 0, label.len), label))
        return false;
    line = skip_stars(str_from(line, label.len), &closed);
    const struct str wide = STR("\xef\xbc\x9a");
    const bool is_wide = str_starts_with(line, wide);
    if (!is_wide && !str_starts_with(line, STR(":")))
        return false;
    line = str_from(line, is_wide ? wide.len : 1);
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

struct str extract_refusal(struct str text)
{
    struct str sql, reason;
    text = str_trim(text);
    const bool has_statement = extract_finds_sql(text, &sql);
    for (size_t at = 0; at < text.len; at = next_line(text, at)) {
        if (starts_label(str_slice(text, at, next_line(text, at)), STR("CANNOT"), &reason))
            return str_trim(reason);
        if (has_statement)
            break;
    }
    return (struct str){NULL, 0};
}
