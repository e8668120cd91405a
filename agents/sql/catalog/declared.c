/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/declared.c - a scanner of declarations: words, quoted names, texts, signs.
 *
 * Happy path: tokens in order, each told by its first letter; a list of values is one column, a
 * word that lists, and texts or numbers. Failure: a token that no list has ends it. */
#include "agents/sql/catalog/declared.h"

#include "core/base/buf.h"

enum { COMMENT_BYTES = 2048 };

enum token_kind { END, WORD, NAME, TEXT, NUMBER, SIGN, COMMENT };

struct token {
    enum token_kind kind;
    struct str text; /* between the quotes; of a comment: between its marks */
};

struct scanner {
    struct str rest;
};

static struct token take(struct scanner *s, enum token_kind kind, size_t from, size_t to,
                         size_t end)
{
    struct token token = {kind, str_slice(s->rest, from, to)};
    s->rest = str_from(s->rest, end);
    return token;
}

/* From a quote to the one that ends it; two of them are one inside. */
static struct token take_quoted(struct scanner *s, enum token_kind kind, char close)
{
    size_t i = 1;
    for (; i < s->rest.len; i++) {
        if (s->rest.at[i] != close)
            continue;
        if (close == ']' || i + 1 == s->rest.len || s->rest.at[i + 1] != close)
            break;
        i++;
    }
    size_t end = size_min(i + 1, s->rest.len);
    return take(s, kind, size_min(1, i), size_min(i, s->rest.len), end);
}

static struct token take_comment(struct scanner *s, struct str close)
{
    struct str inside = str_from(s->rest, 2);
    ptrdiff_t at = str_find(inside, close);
    size_t len = at == STR_NONE ? inside.len : (size_t)at;
    return take(s, COMMENT, 2, 2 + len, size_min(2 + len + close.len, s->rest.len));
}

static bool is_in_word(char c)
{
    return str_is_alpha(c) || str_is_digit(c) || c == '_' || c == '$' || (unsigned char)c >= 128;
}

static struct token next(struct scanner *s)
{
    while (s->rest.len > 0 && str_is_blank(s->rest.at[0]))
        s->rest = str_from(s->rest, 1);
    if (s->rest.len == 0)
        return (struct token){END, STR("")};
    char c = s->rest.at[0];
    if (str_starts_with(s->rest, STR("--")))
        return take_comment(s, STR("\n"));
    if (str_starts_with(s->rest, STR("/*")))
        return take_comment(s, STR("*/"));
    if (c == '\'')
        return take_quoted(s, TEXT, c);
    if (c == '"' || c == '`' || c == '[')
        return take_quoted(s, NAME, c == '[' ? ']' : c);
    size_t end = 0;
    while (end < s->rest.len && is_in_word(s->rest.at[end]))
        end++;
    if (end > 0)
        return take(s, str_is_digit(c) ? NUMBER : WORD, 0, end, end);
    return take(s, SIGN, 0, 1, 1);
}

static bool is_word(const struct token *token, const char *word)
{
    return token->kind == WORD && str_equal_nocase(token->text, str_of(word));
}

static bool is_sign(const struct token *token, char sign)
{
    return token->kind == SIGN && token->text.at[0] == sign;
}

/* ---- a list of values ---- */

static struct str unquote(struct arena *arena, struct str text)
{
    if (str_find(text, STR("''")) == STR_NONE)
        return text;
    char *to = arena_alloc(arena, text.len);
    size_t len = 0;
    for (size_t i = 0; to != NULL && i < text.len; i++) {
        to[len++] = text.at[i];
        i += text.at[i] == '\'';
    }
    return str_make(to, to == NULL ? 0 : len);
}

/* "::character varying(20)[]", behind which the list goes on. */
static void skip_cast(struct scanner *s)
{
    struct scanner before = *s;
    struct token token = next(s);
    while (token.kind == WORD) {
        before = *s;
        token = next(s);
    }
    if (is_sign(&token, '(')) {
        while (token.kind != END && !is_sign(&token, ')'))
            token = next(s);
        before = *s;
    }
    *s = before;
    if (str_starts_with(s->rest, STR("[]")))
        s->rest = str_from(s->rest, 2);
}

static bool take_column(struct declared_list *list, struct str name)
{
    if (list->column.len == 0)
        list->column = name;
    return str_equal_nocase(list->column, name);
}

static bool take_value(struct arena *arena, struct declared_list *list, const struct token *token)
{
    if (list->count == DECLARED_VALUES)
        return false;
    list->values[list->count++] = token->kind == TEXT ? unquote(arena, token->text) : token->text;
    return arena_ok(arena);
}

/* Whether a word of a condition may be in one that lists values: it lists, or allows NULL. */
static bool may_list(const struct token *token, bool *lists)
{
    static const char *const words[] = {"any", "array", "check", "or", "is", "null"};
    bool in = is_word(token, "in");
    *lists = *lists || in || is_word(token, "any");
    for (size_t i = 0; !in && i < countof(words); i++)
        in = is_word(token, words[i]);
    return in;
}

/* "[" of an ARRAY is no name in quotes. */
static struct token next_of_list(struct scanner *s)
{
    while (s->rest.len > 0 && str_is_blank(s->rest.at[0]))
        s->rest = str_from(s->rest, 1);
    return s->rest.len > 0 && s->rest.at[0] == '[' ? take(s, SIGN, 0, 1, 1) : next(s);
}

bool declared_read_list(struct arena *arena, struct str condition, struct declared_list *list)
{
    struct scanner s = {condition};
    bool lists = false, ok = true;
    list->column = STR("");
    list->count = 0;
    for (struct token t = next_of_list(&s); ok && t.kind != END; t = next_of_list(&s)) {
        bool introducer = t.kind == WORD && t.text.at[0] == '_' && s.rest.len > 0 &&
                          s.rest.at[0] == '\''; /* _utf8mb4'a' */
        if (is_sign(&t, ':') && str_starts_with(s.rest, STR(":"))) {
            s.rest = str_from(s.rest, 1);
            skip_cast(&s);
        } else if (t.kind == TEXT || t.kind == NUMBER) {
            ok = lists && take_value(arena, list, &t);
        } else if (t.kind == NAME) {
            ok = take_column(list, t.text);
        } else if (t.kind == SIGN) {
            ok = str_find_char(STR("()[],="), t.text.at[0]) != STR_NONE;
        } else if (t.kind == WORD && !introducer && !may_list(&t, &lists)) {
            ok = take_column(list, t.text);
        }
    }
    return ok && lists && list->column.len > 0 && list->count > 0;
}

/* ---- a table ---- */

struct reading {
    struct arena *arena;
    struct scanner scanner;
    struct declared_item *item, **end; /* what is being read; where the next one is kept */
    struct declared_item *before;      /* the one that a comment behind its comma is of */
    struct str ahead; /* comments on lines of their own, for the item that follows */
    const char *line; /* end of the last token that is no comment */
};

static struct str join(struct arena *arena, struct str a, struct str b)
{
    b = str_trim(b);
    if (b.len == 0 || a.len + b.len > COMMENT_BYTES || !str_is_utf8(b))
        return a;
    return a.len == 0 ? b : arena_printf(arena, "%.*s; %.*s", STR_ARG(a), STR_ARG(b));
}

static bool is_constraint(const struct token *token)
{
    static const char *const words[] = {"constraint", "check", "primary", "unique", "foreign"};
    for (size_t i = 0; i < countof(words); i++)
        if (is_word(token, words[i]))
            return true;
    return false;
}

static bool begin_item(struct reading *r, const struct token *token)
{
    struct declared_item *item = arena_alloc(r->arena, sizeof *item);
    if (item == NULL)
        return false;
    bool quoted = token->kind == NAME;
    const char *from = token->text.at - quoted;
    *item = (struct declared_item){.text = str_make(from, 0), .name = STR("")};
    if (!is_constraint(token) && (quoted || token->kind == WORD))
        item->name = token->text;
    item->comment = join(r->arena, STR(""), r->ahead);
    r->ahead = STR("");
    *r->end = item;
    r->end = (struct declared_item **)(void *)&item->next;
    r->item = item;
    return true;
}

/* A comment is of what stands before it on its line, else of what follows. */
static void keep_comment(struct reading *r, struct str text)
{
    struct declared_item *of = r->item != NULL ? r->item : r->before;
    const char *from = text.at;
    bool same_line = of != NULL && r->line != NULL &&
                     str_find_char(str_make(r->line, (size_t)(from - r->line)), '\n') == STR_NONE;
    if (same_line)
        of->comment = join(r->arena, of->comment, text);
    else
        r->ahead = join(r->arena, r->ahead, text);
}

/* One token at depth parentheses inside the table's own. False: no memory. */
static bool read_token(struct reading *r, const struct token *token, int depth)
{
    if (token->kind == COMMENT) {
        keep_comment(r, token->text);
        return arena_ok(r->arena);
    }
    const char *end = r->scanner.rest.at;
    r->line = end;
    if (depth == 0 && is_sign(token, ',')) {
        r->before = r->item;
        r->item = NULL;
        return true;
    }
    if (r->item == NULL && !begin_item(r, token))
        return false;
    r->item->text.len = (size_t)(end - r->item->text.at);
    return true;
}

/* Whether the text begins like a table; the scanner is behind its first parenthesis. */
static bool opens_table(struct scanner *s)
{
    struct token token = next(s);
    bool create = is_word(&token, "create"), table = false;
    while (create && token.kind != END && !is_sign(&token, '(')) {
        table = table || is_word(&token, "table");
        if (is_word(&token, "as") || is_word(&token, "using"))
            return false;
        token = next(s);
    }
    return create && table && token.kind != END;
}

bool declared_read_table(struct arena *arena, struct str sql, const struct declared_item **first)
{
    struct declared_item *head = NULL;
    struct reading r = {.arena = arena, .scanner = {sql}, .end = &head, .ahead = STR("")};
    int depth = 0;
    *first = NULL;
    if (!opens_table(&r.scanner))
        return true;
    for (struct token t = next(&r.scanner); t.kind != END; t = next(&r.scanner)) {
        depth -= is_sign(&t, ')');
        if (depth < 0)
            break;
        if (!read_token(&r, &t, depth))
            return false;
        depth += is_sign(&t, '(');
    }
    *first = head;
    return arena_ok(arena);
}

bool declared_next_check(struct str *rest, struct str *condition)
{
    struct scanner s = {*rest};
    struct token token = next(&s);
    while (token.kind != END && !is_word(&token, "check"))
        token = next(&s);
    token = next(&s);
    const char *from = s.rest.at;
    int depth = is_sign(&token, '(');
    while (depth > 0 && token.kind != END) {
        token = next(&s);
        depth += is_sign(&token, '(') - is_sign(&token, ')');
    }
    *condition = str_make(from, (size_t)(s.rest.at - from));
    *rest = s.rest;
    return condition->len > 0;
}
