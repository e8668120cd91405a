/* SPDX-License-Identifier: MIT */
/* agents/english/tokens.c - one pass over the question.
 *
 * Happy path: blanks part tokens; a sign, a quoted text, a number with its unit, a code or a word
 * is taken whole. Failure: too many tokens or bytes is ERR_TOO_LARGE; unknown signs are dropped. */
#include "agents/english/tokens.h"

struct scan {
    struct arena *arena;
    struct str text;
    size_t at;
    struct offline_token *tokens;
    size_t count;
};

static bool is_word_char(char c)
{
    return str_is_alpha(c) || str_is_digit(c) || c == '_' || (unsigned char)c >= 0x80;
}

static char peek(const struct scan *scan, size_t offset)
{
    return scan->at + offset < scan->text.len ? scan->text.at[scan->at + offset] : '\0';
}

static struct offline_token *push(struct scan *scan, enum offline_token_kind kind, size_t start,
                                  size_t end)
{
    struct offline_token *token = &scan->tokens[scan->count++];
    token->kind = kind;
    token->text = str_slice(scan->text, start, end);
    token->unit = STR("");
    char *lower = arena_alloc(scan->arena, end - start + 1);
    if (lower == NULL)
        return token;
    for (size_t i = start; i < end; i++)
        lower[i - start] = str_lower(scan->text.at[i]);
    token->lower = str_make(lower, end - start);
    return token;
}

/* The end of a run of word characters joined by single - . @ ' that have one on both sides. */
static size_t run_end(const struct scan *scan)
{
    size_t i = scan->at;
    struct str t = scan->text;
    while (i < t.len) {
        if (is_word_char(t.at[i])) {
            i++;
            continue;
        }
        bool joins =
            t.at[i] == '-' || t.at[i] == '.' || t.at[i] == '@' || t.at[i] == '\'' ||
            (t.at[i] == ',' && i > scan->at && str_is_digit(t.at[i - 1]) && i + 3 < t.len &&
             str_is_digit(t.at[i + 1]) && str_is_digit(t.at[i + 2]) && str_is_digit(t.at[i + 3])) ||
            (t.at[i] == '/' && i > scan->at && str_is_digit(t.at[i - 1]));
        if (!joins || i == scan->at || i + 1 >= t.len || !is_word_char(t.at[i + 1]))
            break;
        i++;
    }
    return i;
}

static bool has_digit(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (str_is_digit(s.at[i]))
            return true;
    return false;
}

/* 1,000 / 10k / 2.5m / 20h / 30%: the number, and what follows it as its unit. */
static bool read_number(struct str run, double *value, struct str *unit)
{
    char digits[64];
    size_t len = 0, i = 0;
    for (; i < run.len && len < sizeof digits; i++) {
        if (str_is_digit(run.at[i]) || run.at[i] == '.')
            digits[len++] = run.at[i];
        else if (run.at[i] != ',')
            break;
    }
    if (len == 0 || !str_to_double(str_make(digits, len), value))
        return false;
    *unit = str_from(run, i);
    if (str_equal(*unit, STR("k")))
        *value *= 1e3, *unit = STR("");
    else if (str_equal(*unit, STR("m")) || str_equal(*unit, STR("mio")))
        *value *= 1e6, *unit = STR("");
    static const struct str units[] = {{"", 0}, {"h", 1}, {"hrs", 3}, {"hr", 2}};
    for (size_t u = 0; u < countof(units); u++)
        if (str_equal(*unit, units[u]))
            return true;
    return false;
}

/* Possessives and verbs drawn together with what they follow: "Ada's", "we've". */
static void drop_ending(struct offline_token *token)
{
    static const struct str endings[] = {{"'s", 2},  {"'ve", 3}, {"'re", 3},
                                         {"'ll", 3}, {"'d", 2},  {"'m", 2}};
    for (size_t i = 0; i < countof(endings); i++)
        if (str_ends_with(token->lower, endings[i])) {
            token->lower.len -= endings[i].len;
            return;
        }
}

/* "What's the total" is "what is the total". */
static void split_what_is(struct scan *scan)
{
    struct offline_token *token = &scan->tokens[scan->count - 1];
    if (!str_equal(token->lower, STR("what's")) || scan->count == ENGLISH_TOKENS_MAX)
        return;
    struct offline_token tail = *token;
    size_t end = STR("what").len;
    tail.text = str_from(tail.text, end + 1);
    tail.lower = STR("is");
    tail.capital = false;
    token->lower.len = token->text.len = end;
    scan->tokens[scan->count++] = tail;
}

/* "in the US" is a country, "US" in a question of capitals may be anybody; "us" is a word. */
static void name_country(struct scan *scan)
{
    struct offline_token *token = &scan->tokens[scan->count - 1];
    if (!str_equal(token->text, STR("US")) || scan->count == 1)
        return;
    struct str before = token[-1].text;
    for (size_t i = 0; i < before.len; i++)
        if (before.at[i] >= 'a' && before.at[i] <= 'z') {
            token->lower = STR("usa");
            return;
        }
}

static void read_run(struct scan *scan)
{
    size_t start = scan->at, end = run_end(scan);
    struct str run = str_slice(scan->text, start, end);
    struct offline_token *token = push(scan, TOKEN_WORD, start, end);
    scan->at = end;
    if (str_is_absent(token->lower))
        return;
    double number;
    struct str unit;
    if (str_is_digit(run.at[0]) && read_number(token->lower, &number, &unit)) {
        token->kind = TOKEN_NUMBER;
        token->number = number;
        token->unit = unit.len > 0 ? STR("h") : unit;
        if (peek(scan, 0) == '%') {
            token->unit = STR("%");
            scan->at++;
        }
        return;
    }
    bool joined =
        str_find_char(run, '-') > 0 || str_find_char(run, '@') > 0 || str_find_char(run, '/') > 0;
    if (has_digit(run) || str_find_char(run, '@') > 0)
        token->kind = joined || str_is_digit(run.at[0]) ? TOKEN_CODE : TOKEN_WORD;
    token->capital = scan->count > 1 && run.at[0] >= 'A' && run.at[0] <= 'Z';
    split_what_is(scan);
    token = &scan->tokens[scan->count - 1];
    if (token->kind != TOKEN_WORD)
        return;
    drop_ending(token);
    name_country(scan);
}

/* 'text' and "text"; false: the quote does not close or is an apostrophe. */
static bool read_quoted(struct scan *scan)
{
    char quote = peek(scan, 0);
    ptrdiff_t close = str_find_char(str_from(scan->text, scan->at + 1), quote);
    if (close <= 0)
        return false;
    push(scan, TOKEN_QUOTED, scan->at + 1, scan->at + 1 + (size_t)close);
    scan->at += (size_t)close + 2;
    return true;
}

/* Whether a sentence ends here, and another one follows; "excl. VAT" goes on. */
static bool ends_sentence(const struct scan *scan)
{
    enum { ABBREVIATION = 4 };
    char c = peek(scan, 0);
    size_t at = scan->at + 1;
    if (c == '.' && (scan->count == 0 || scan->tokens[scan->count - 1].text.len <= ABBREVIATION))
        return false;
    while (at < scan->text.len && str_is_blank(scan->text.at[at]))
        at++;
    return (c == '?' || c == '.' || c == ';') && scan->count > 0 && at > scan->at + 1 &&
           at < scan->text.len && is_word_char(scan->text.at[at]);
}

static void read_sign(struct scan *scan)
{
    char c = peek(scan, 0);
    if (ends_sentence(scan)) { /* as a clause behind a comma */
        push(scan, TOKEN_SIGN, scan->at, scan->at + 1);
        scan->tokens[scan->count - 1].lower = STR(",");
        scan->at++;
        return;
    }
    size_t len = (c == '>' || c == '<') && peek(scan, 1) == '=' ? 2 : 1;
    if (c == ',' || c == '>' || c == '<' || c == '=' || c == '&' || c == ';' || c == '%')
        push(scan, TOKEN_SIGN, scan->at, scan->at + len);
    scan->at += len;
}

/* well-known compounds: "work-orders" is two words unless it holds a digit or an @. */
static void split_hyphens(struct scan *scan)
{
    struct offline_token *token = &scan->tokens[scan->count - 1];
    if (token->kind != TOKEN_WORD)
        return;
    ptrdiff_t hyphen = str_find_char(token->lower, '-');
    if (hyphen <= 0 || scan->count == ENGLISH_TOKENS_MAX)
        return;
    struct offline_token tail = *token;
    tail.lower = str_from(tail.lower, (size_t)hyphen + 1);
    tail.text = str_from(tail.text, (size_t)hyphen + 1);
    token->lower.len = token->text.len = (size_t)hyphen;
    scan->tokens[scan->count++] = tail;
    split_hyphens(scan);
}

/* The character that text begins with, and how many bytes it has; 0: none of several bytes. */
static size_t read_character(struct str text, unsigned *code)
{
    const unsigned char lead = text.len > 0 ? (unsigned char)text.at[0] : 0;
    const size_t len = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 0;
    if (len == 0 || text.len < len)
        return 0;
    *code = lead & (0xFFu >> (len + 1));
    for (size_t i = 1; i < len; i++)
        *code = *code << 6 | ((unsigned char)text.at[i] & 0x3Fu);
    return len;
}

/* A sign that text processors and keyboards put for a plain one, and how many bytes it has; 0: it
 * is none. Marks that are not seen are nothing (\0), pictures and unusual blanks are blanks. */
static size_t read_typographic(struct str rest, char *plain)
{
    static const struct {
        unsigned first, last;
        char plain;
    } signs[] = {
        {0x2018, 0x2019, '\''}, {0x201C, 0x201E, '"'},   {0xAB, 0xAB, '"'},
        {0xBB, 0xBB, '"'},      {0x2010, 0x2013, '-'},   {0x2014, 0x2014, ','},
        {0x2026, 0x2026, ' '},  {0xA0, 0xA1, ' '},       {0xBF, 0xBF, ' '},
        {0x2000, 0x200A, ' '},  {0x202F, 0x202F, ' '},   {0x3000, 0x3000, ' '},
        {0xFF1F, 0xFF1F, ' '},  {0xAD, 0xAD, '\0'},      {0x200B, 0x200F, '\0'},
        {0x202A, 0x202E, '\0'}, {0x2060, 0x206F, '\0'},  {0xFE00, 0xFE0F, '\0'},
        {0xFEFF, 0xFEFF, '\0'}, {0x2190, 0x21FF, ' '},   {0x2600, 0x27BF, ' '},
        {0x2B00, 0x2BFF, ' '},  {0x1F000, 0x1FAFF, ' '},
    };
    unsigned code = 0;
    const size_t len = read_character(rest, &code);
    for (size_t i = 0; len > 0 && i < countof(signs); i++)
        if (code >= signs[i].first && code <= signs[i].last) {
            *plain = signs[i].plain;
            return len;
        }
    return 0;
}

/* text with plain quotes, dashes and blanks: itself where it has no others, so that what is found
 * in it is found in the question. Absent: no memory. */
static struct str make_plain(struct arena *arena, struct str text)
{
    char one;
    bool plain = true;
    for (size_t i = 0; i < text.len && plain; i++)
        plain = read_typographic(str_from(text, i), &one) == 0;
    if (plain)
        return text;
    char *out = arena_alloc(arena, text.len + 1);
    size_t len = 0;
    for (size_t i = 0; out != NULL && i < text.len;) {
        size_t took = read_typographic(str_from(text, i), &one);
        if (took == 0)
            one = text.at[i];
        if (one != '\0')
            out[len++] = one;
        i += size_max(took, 1);
    }
    return str_make(out, len);
}

enum err_code english_tokens_of(struct arena *arena, struct str question,
                                struct offline_token **tokens, size_t *count)
{
    *count = 0;
    if (question.len > OFFLINE_QUESTION_MAX)
        return ERR_TOO_LARGE;
    question = make_plain(arena, question);
    struct scan scan = {.arena = arena, .text = question};
    scan.tokens = arena_array(arena, ENGLISH_TOKENS_MAX, sizeof *scan.tokens);
    if (scan.tokens == NULL)
        return ERR_NO_MEMORY;
    while (scan.at < question.len) {
        char c = question.at[scan.at];
        if (scan.count == ENGLISH_TOKENS_MAX)
            return ERR_TOO_LARGE;
        if (str_is_blank(c)) {
            scan.at++;
        } else if (is_word_char(c)) {
            read_run(&scan);
            if (arena_ok(arena))
                split_hyphens(&scan);
        } else if ((c == '"' || c == '\'') && read_quoted(&scan)) {
            continue;
        } else {
            read_sign(&scan);
        }
        if (!arena_ok(arena))
            return ERR_NO_MEMORY;
    }
    *tokens = scan.tokens;
    *count = scan.count;
    return ERR_OK;
}
