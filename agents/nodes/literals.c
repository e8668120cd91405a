/* SPDX-License-Identifier: MIT */
/* agents/nodes/literals.c - visits comparisons, asks the lexicon, and edits the text.
 *
 * Happy path: each text that is nearly one value of its column becomes that value; a word for true
 * or false becomes 1 or 0 where the database compares numbers. Failure: a text that is no value and
 * near none, or near several, is a doubt; an expression that is not understood is none. */
#include "agents/nodes/literals.h"

#include "agents/lexicon/column_values.h"
#include "agents/sql/catalog/quote.h"
#include "agents/sql/grammar/tree_walk.h"

enum { MAX_LITERALS = 64, MAX_DOUBTS = 4, NEAREST = 5, TEXT_BYTES = 8 * 1024 };

struct edit {
    struct sql_span span;
    struct str text;
};

struct check {
    struct sql_tree_walk walk;
    const struct lexicon *lexicon;
    const struct sql_parse *parse;
    struct arena *arena;
    struct edit edits[MAX_LITERALS];
    size_t edit_count, doubt_count;
    struct buf mended, doubts, remarks;
};

struct compared { /* a column, and a text it is compared with */
    int table, column;
    struct str name;
    struct sql_span span;
    struct str text;
};

/* The text of a plain 'literal'; absent: it is something else. */
static struct str literal_of(const struct check *check, const struct sql_expr *expr)
{
    struct str text = str_slice(check->parse->text, expr->span.start, expr->span.end);
    if (expr->kind != SQL_EXPR_LITERAL || text.len < 2 || text.at[0] != '\'' ||
        text.at[text.len - 1] != '\'' || str_find_char(text, '\\') != STR_NONE)
        return (struct str){NULL, 0};
    char *to = arena_alloc(check->arena, text.len);
    size_t len = 0;
    for (size_t i = 1; to != NULL && i + 1 < text.len; i++) {
        to[len++] = text.at[i];
        i += text.at[i] == '\''; /* the second of a doubled quote */
    }
    return to == NULL ? (struct str){NULL, 0} : str_make(to, len);
}

static struct str quote(const struct check *check, struct str value)
{
    return sql_quote_text_in(check->parse->dialect, value, check->arena);
}

/* The tree is walked in the order of the text but for a few parts: edits are kept in order. */
static void mend(struct check *check, const struct compared *at, struct str text)
{
    size_t to = check->edit_count;
    if (to == MAX_LITERALS || str_is_absent(text))
        return;
    while (to > 0 && check->edits[to - 1].span.start > at->span.start)
        to--;
    if (to > 0 && check->edits[to - 1].span.start == at->span.start)
        return;
    for (size_t i = check->edit_count; i > to; i--)
        check->edits[i] = check->edits[i - 1];
    check->edits[to] = (struct edit){at->span, text};
    check->edit_count++;
    struct str was = str_slice(check->parse->text, at->span.start, at->span.end);
    buf_printf(&check->mended, "%s%.*s -> %.*s", buf_len(&check->mended) > 0 ? ", " : "",
               STR_ARG(was), STR_ARG(text));
}

static void push_list(struct check *check, const struct str *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct str quoted = quote(check, values[i]);
        buf_printf(&check->doubts, "%s%.*s", i > 0 ? ", " : "", STR_ARG(quoted));
    }
}

static void push_values(struct check *check, const struct compared *at)
{
    struct str values[LEXICON_FEW];
    bool has_all;
    size_t count =
        lexicon_column_values_few(check->lexicon, at->table, at->column, values, &has_all);
    if (count > 0) {
        buf_push(&check->doubts, STR(", which has "));
        push_list(check, values, count);
        return;
    }
    count = lexicon_column_values_nearest(check->lexicon, at->table, at->column, at->text, values,
                                          NEAREST);
    buf_push(&check->doubts, count > 0 ? STR("; the nearest are ") : STR(", and none is like it"));
    push_list(check, values, count);
}

static void doubt(struct check *check, const struct compared *at)
{
    struct buf *remarks = &check->remarks;
    struct str quoted = quote(check, at->text);
    if (check->doubt_count++ >= MAX_DOUBTS)
        return;
    if (buf_len(remarks) > 0)
        buf_push(remarks, STR("; "));
    if (buf_len(&check->doubts) > 0)
        buf_push(&check->doubts, STR(". "));
    size_t from = buf_len(remarks);
    buf_printf(remarks, "%.*s is not a value of ", STR_ARG(quoted));
    catalog_push_name(check->lexicon->catalog, at->table, remarks);
    buf_printf(remarks, ".%.*s", STR_ARG(at->name));
    buf_push(&check->doubts, str_from(buf_str(remarks), from));
    push_values(check, at);
}

/* '1' or '0' for a word that says so; NULL: it says neither. */
static const char *truth_of(struct str text)
{
    static const char *const yes[] = {"j",    "ja",        "o",    "oui",  "s", "si", "sí", "t",
                                      "true", "verdadero", "vrai", "wahr", "x", "y",  "yes"};
    static const char *const no[] = {"f", "falsch", "false", "falso", "faux",
                                     "n", "nein",   "no",    "non"};
    return str_is_listed_nocase(text, yes, countof(yes)) ? "1"
           : str_is_listed_nocase(text, no, countof(no)) ? "0"
                                                         : NULL;
}

static void look_at(struct check *check, const struct compared *at)
{
    const struct catalog *catalog = check->lexicon->catalog;
    enum sql_dialect dialect = check->parse->dialect;
    struct str meant = {NULL, 0};
    if (lexicon_index_is_boolean(catalog, at->table, at->column)) {
        const char *truth = truth_of(at->text);
        bool knows_words = dialect == SQL_POSTGRES &&
                           catalog->tables[at->table].columns[at->column].type == CATALOG_BOOLEAN;
        if (truth != NULL && !knows_words)
            mend(check, at, str_of(truth));
        return;
    }
    switch (lexicon_column_values_spelling(check->lexicon, at->table, at->column, at->text,
                                           dialect == SQL_MYSQL, &meant)) {
    case LEXICON_SPELLING_NEAR:
        mend(check, at, quote(check, meant));
        break;
    case LEXICON_SPELLING_LACKING:
        doubt(check, at);
        break;
    case LEXICON_SPELLING_OPEN:
    case LEXICON_SPELLING_RIGHT:
        break;
    }
}

static void compare(struct check *check, const struct sql_expr *name, const struct sql_expr *value)
{
    const struct sql_column_ref *column = sql_parse_column_at(check->parse, name);
    struct compared at = {.span = value->span, .text = literal_of(check, value)};
    if (column == NULL || str_is_absent(at.text))
        return;
    at.table = check->parse->tables[column->table_ref].table;
    at.column = column->column;
    at.name = column->name;
    if (at.table != CATALOG_NONE)
        look_at(check, &at);
}

/* What stands between two parts of an operation, without the parenthesis that opens a list. */
static struct str sign_between(const struct check *check, const struct sql_expr *left,
                               const struct sql_expr *right)
{
    struct str text = str_trim(str_slice(check->parse->text, left->span.end, right->span.start));
    if (str_ends_with(text, STR("(")))
        text = str_trim(str_slice(text, 0, text.len - 1));
    return text;
}

static void compare_list(struct check *check, const struct sql_expr *name,
                         const struct sql_expr *values)
{
    for (const struct sql_expr *value = values; value != NULL; value = value->next) {
        const struct sql_expr *first = value->kind == SQL_EXPR_PARENS ? value->children : value;
        for (; first != NULL; first = value->kind == SQL_EXPR_PARENS ? first->next : NULL)
            compare(check, name, first);
    }
}

static void on_expr(struct sql_tree_walk *walk, const struct sql_expr *expr)
{
    static const char *const signs[] = {"!=", "<=>", "<>", "=", "==", "is", "is not"};
    struct check *check = container_of(walk, struct check, walk);
    const struct sql_expr *left = expr->children, *right = left == NULL ? NULL : left->next;
    if ((expr->kind != SQL_EXPR_EQUAL && expr->kind != SQL_EXPR_OPERATOR) || right == NULL)
        return;
    struct str sign = sign_between(check, left, right);
    if (str_equal_nocase(sign, STR("in")) || str_equal_nocase(sign, STR("not in"))) {
        compare_list(check, left, right);
    } else if (right->next == NULL && str_is_listed_nocase(sign, signs, countof(signs))) {
        bool turned = right->kind == SQL_EXPR_NAME;
        compare(check, turned ? right : left, turned ? left : right);
    }
}

static struct str take(struct check *check, struct buf *buf)
{
    struct str text = {NULL, 0};
    if (buf_ok(buf) && buf_len(buf) > 0)
        text = arena_str(check->arena, buf_str(buf));
    buf_fini(buf);
    return text;
}

static struct str write_edited(const struct check *check)
{
    struct buf out;
    size_t from = 0;
    struct str sql = check->parse->text, text = {NULL, 0};
    buf_init(&out, 2 * sql.len + TEXT_BYTES);
    for (size_t i = 0; i < check->edit_count; i++) {
        buf_push(&out, str_slice(sql, from, check->edits[i].span.start));
        buf_push(&out, check->edits[i].text);
        from = check->edits[i].span.end;
    }
    buf_push(&out, str_from(sql, from));
    if (buf_ok(&out) && check->edit_count > 0)
        text = arena_str(check->arena, buf_str(&out));
    buf_fini(&out);
    return text;
}

void literals_look(const struct lexicon *lexicon, const struct sql_parse *parse,
                   struct arena *arena, struct literals_found *found)
{
    struct check check = {
        .walk = {.on_expr = on_expr}, .lexicon = lexicon, .parse = parse, .arena = arena};
    buf_init(&check.mended, TEXT_BYTES);
    buf_init(&check.doubts, TEXT_BYTES);
    buf_init(&check.remarks, TEXT_BYTES);
    sql_tree_walk_select(&check.walk, parse->tree);
    found->sql = write_edited(&check);
    found->mended = take(&check, &check.mended);
    found->doubt = take(&check, &check.doubts);
    found->remark = take(&check, &check.remarks);
}

/* Put text between before and after, where there is any. */
static void wrap(struct arena *arena, struct str *text, const char *before, const char *after)
{
    if (!str_is_absent(*text))
        *text = arena_printf(arena, "%s%.*s%s", before, STR_ARG(*text), after);
}

void literals_check(struct node *node, const struct sql_parse *parse, struct literals_found *found)
{
    const struct lexicon *lexicon = knowledge(node)->lexicon;
    *found = (struct literals_found){0};
    if (lexicon == NULL || parse == NULL)
        return;
    const struct lexicon seen =
        lexicon_index_seen_by(lexicon, node_session(node)->caller.company_id);
    literals_look(&seen, parse, node_arena(node), found);
    wrap(node_arena(node), &found->mended, "repaired without the model: ", "");
}
