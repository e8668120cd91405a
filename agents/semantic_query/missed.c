/* SPDX-License-Identifier: MIT */
/* agents/semantic_query/missed.c - holds the words of a question against names of metrics, and the
 * text of a statement against their definitions.
 *
 * Happy path: both texts are brought to one form, without blanks, quotes of names and qualifiers,
 * and the definition is looked for. Failure: without memory a definition counts as found. */
#include "agents/semantic_query/missed.h"

#include "core/words/stem.h"

enum { QUESTION_WORDS = 96, NAME_WORDS = 8, DEFINITION_BYTES = 16 * 1024 };

/* ---- words ---- */

static bool stands_in(struct str name, const struct str *stems, size_t count, struct arena *arena)
{
    struct str words[NAME_WORDS];
    const size_t length = stem_split(arena, name, words, NAME_WORDS);
    for (size_t at = 0; length > 0 && at + length <= count; at++) {
        size_t same = 0;
        char stem[STEM_BYTES];
        while (same < length && str_equal(stem_of(words[same], stem), stems[at + same]))
            same++;
        if (same == length)
            return true;
    }
    return false;
}

static bool is_named(const struct semantic_named *metric, const struct str *stems, size_t count,
                     struct arena *arena)
{
    for (size_t i = 0; i < metric->synonyms.count; i++)
        if (stands_in(metric->synonyms.at[i], stems, count, arena))
            return true;
    return stands_in(metric->name, stems, count, arena);
}

static size_t stems_of(struct str question, struct str *stems, struct arena *arena)
{
    struct str words[QUESTION_WORDS];
    char stem[STEM_BYTES];
    const size_t count = stem_split(arena, question, words, QUESTION_WORDS);
    for (size_t i = 0; i < count; i++)
        stems[i] = arena_str(arena, stem_of(words[i], stem));
    return count;
}

/* ---- definitions ---- */

static bool is_name_byte(char c)
{
    return str_is_alpha(c) || (c >= '0' && c <= '9') || c == '_' || (unsigned char)c >= 0x80;
}

/* Where the token that begins at at ends: a literal, a name in its quotes, a word or number, or one
 * sign, of comparison maybe two. */
static size_t token_end(struct str sql, size_t at)
{
    const char c = sql.at[at];
    const bool is_quoted = c == '\'' || c == '"' || c == '`';
    size_t end = at + 1;
    if (is_quoted) {
        while (end < sql.len && sql.at[end] != c)
            end++;
        return end < sql.len ? end + 1 : end;
    }
    if (is_name_byte(c)) {
        const bool is_digit = c >= '0' && c <= '9';
        while (end < sql.len && (is_name_byte(sql.at[end]) || (is_digit && sql.at[end] == '.')))
            end++;
        return end;
    }
    const bool pairs = end < sql.len && (sql.at[end] == '=' || (c == '<' && sql.at[end] == '>'));
    return pairs && (c == '<' || c == '>' || c == '!') ? end + 1 : end;
}

static void push_token(struct str token, struct buf *out)
{
    const char quote = token.at[0];
    if (str_equal(token, STR("!=")))
        token = STR("<>");
    if ((quote == '"' || quote == '`') && token.len > 2)
        token = str_slice(token, 1, token.len - 1);
    for (size_t i = 0; i < token.len; i++) {
        const char c = quote == '\'' ? token.at[i] : str_lower(token.at[i]);
        buf_push(out, str_make(&c, 1));
    }
    buf_push(out, STR(" "));
}

/* The form in which statements are compared: tokens in lower case with a blank behind each, names
 * without what qualifies them. */
static void push_plain(struct str sql, struct buf *out)
{
    size_t last = buf_len(out);
    for (size_t at = 0; at < sql.len;) {
        const char c = sql.at[at];
        const size_t end = token_end(sql, at);
        if (c == '.')
            buf_truncate(out, last);
        else if (c != ' ' && c != '\n' && c != '\t' && c != '\r') {
            last = buf_len(out);
            push_token(str_slice(sql, at, end), out);
        }
        at = end;
    }
}

/* Without the parentheses around all of it. */
static struct str without_parens(struct str text)
{
    for (text = str_trim(text); text.len > 2 && text.at[0] == '('; text = str_trim(text)) {
        size_t depth = 0, at = 0;
        for (; at < text.len; at++) {
            depth += text.at[at] == '(';
            depth -= text.at[at] == ')';
            if (depth == 0)
                break;
        }
        if (at + 1 < text.len)
            return text;
        text = str_slice(text, 1, text.len - 1);
    }
    return text;
}

static bool has_definition(const struct semantic_missed_source *source, struct str plain,
                           const struct semantic_named *metric,
                           const struct semantic_expression *expression)
{
    struct buf written, one;
    if (expression->piece_count == 0)
        return true;
    buf_init(&written, DEFINITION_BYTES);
    buf_init(&one, DEFINITION_BYTES);
    semantic_model_push(expression, source->catalog, source->dialect, metric->table, 0,
                        source->today, &written);
    if (buf_ok(&written))
        push_plain(str_trim(buf_str(&written)), &one);
    const struct str looked = without_parens(buf_str(&one));
    const bool is_there = !buf_ok(&written) || !buf_ok(&one) || str_find(plain, looked) != STR_NONE;
    buf_fini(&one);
    buf_fini(&written);
    return is_there;
}

static bool computes(const struct semantic_missed_source *source, const struct sql_parse *parse,
                     const struct semantic_named *metric)
{
    struct buf plain;
    buf_init(&plain, 2 * parse->text.len + 16);
    push_plain(parse->text, &plain);
    const bool same =
        !buf_ok(&plain) || (has_definition(source, buf_str(&plain), metric, &metric->expression) &&
                            has_definition(source, buf_str(&plain), metric, &metric->filter));
    buf_fini(&plain);
    return same;
}

const struct semantic_named *semantic_query_missed(const struct semantic_missed_source *source,
                                                   const struct sql_parse *parse,
                                                   struct arena *arena)
{
    struct str stems[QUESTION_WORDS];
    const struct semantic *semantic = source->semantic;
    if (semantic == NULL || semantic->metric_count == 0 ||
        !(parse->has_aggregate || parse->has_group_by))
        return NULL;
    const size_t count = stems_of(source->question, stems, arena);
    for (size_t i = 0; i < semantic->named_count; i++) {
        const struct semantic_named *named = &semantic->named[i];
        if (named->is_metric && named->usable && is_named(named, stems, count, arena) &&
            !computes(source, parse, named))
            return named;
    }
    return NULL;
}

struct str semantic_query_advice(const struct semantic_named *metric, struct arena *arena)
{
    const bool has_filter = metric->filter.text.len > 0;
    return arena_printf(
        arena,
        "'%.*s' is a metric: %.*s of %.*s%s%.*s, and the statement computes it in another way; in "
        "its place write the query {\"metric\": \"%.*s\"}, with the dimensions, filters, period, "
        "order and limit that the question asks for",
        STR_ARG(metric->name), STR_ARG(metric->expression.text), STR_ARG(metric->table_name),
        has_filter ? " where " : "", STR_ARG(has_filter ? metric->filter.text : STR("")),
        STR_ARG(metric->name));
}
