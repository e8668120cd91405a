/* SPDX-License-Identifier: MIT */
/* agents/offline/second_look/claims.c - one walk over the tree: comparisons, calls, negations.
 *
 * Happy path: operations are known by the text between their operands, as in every dialect; what
 * is below a negation is denied. Failure: what is too much is left out and whole is false. */
#include "agents/offline/second_look/claims.h"

#include "agents/sql/grammar/tree_walk.h"

enum { MAX_DENIALS = 24 };

struct claims_walk {
    struct sql_tree_walk walk;
    struct claims *claims;
    struct sql_span denials[MAX_DENIALS];
    size_t denial_count;
};

/* ---- columns and literals ---- */

int offline_claims_table(const struct claims *claims, int table_ref)
{
    const struct catalog *catalog = claims->lexicon->catalog;
    int table = table_ref < 0 ? CATALOG_NONE : claims->parse->tables[table_ref].table;
    if (table == CATALOG_NONE || catalog->tables[table].secures == CATALOG_NONE)
        return table;
    return catalog->tables[table].secures;
}

/* The column of a logical table by the name it has in the one that is read. */
static int column_named(const struct claims *claims, int table, struct str name)
{
    const struct catalog_table *at = &claims->lexicon->catalog->tables[table];
    for (size_t i = 0; i < at->column_count; i++)
        if (str_equal_nocase(at->columns[i].name, name))
            return (int)i;
    return READING_NONE;
}

static bool is_aggregate(const struct sql_parse *parse, const struct sql_expr *call)
{
    for (size_t i = 0; i < parse->function_count; i++)
        if (parse->functions[i].span.start == call->call->name_span.start)
            return parse->functions[i].aggregate;
    return false;
}

/* The first column in expr, not below an aggregate. */
static const struct sql_column_ref *column_in(const struct sql_parse *parse,
                                              const struct sql_expr *expr)
{
    const struct sql_column_ref *ref = sql_parse_column_at(parse, expr);
    if (ref != NULL || expr->kind == SQL_EXPR_SELECT || expr->kind == SQL_EXPR_EXISTS ||
        (expr->kind == SQL_EXPR_CALL && is_aggregate(parse, expr)))
        return ref;
    for (const struct sql_expr *child = expr->children; child != NULL && ref == NULL;
         child = child->next)
        ref = column_in(parse, child);
    return ref;
}

static void put_column(const struct claims *claims, const struct sql_column_ref *ref, int *table,
                       int *column)
{
    *table = ref == NULL ? READING_NONE : offline_claims_table(claims, ref->table_ref);
    *column = *table < 0 ? READING_NONE : column_named(claims, *table, ref->name);
}

static struct str text_of(const struct sql_parse *parse, const struct sql_expr *expr)
{
    return str_slice(parse->text, expr->span.start, expr->span.end);
}

/* The literal itself, of ('x'), CAST('x' AS date), -5; NULL: it is none. */
static const struct sql_expr *literal_in(const struct sql_parse *parse, const struct sql_expr *expr)
{
    if (expr->kind == SQL_EXPR_LITERAL)
        return expr;
    if (expr->kind == SQL_EXPR_NAME && expr->name->double_quoted &&
        sql_parse_column_at(parse, expr) == NULL)
        return expr;
    bool wraps =
        expr->kind == SQL_EXPR_PARENS || expr->kind == SQL_EXPR_CAST ||
        expr->kind == SQL_EXPR_COLLATE ||
        (expr->kind == SQL_EXPR_OPERATOR && str_starts_with(text_of(parse, expr), STR("-")));
    if (!wraps || expr->children == NULL || expr->children->next != NULL)
        return NULL;
    return literal_in(parse, expr->children);
}

static void put_literal(const struct sql_parse *parse, const struct sql_expr *expr,
                        struct claims_comparison *to)
{
    const struct sql_expr *literal = literal_in(parse, expr);
    if (literal == NULL)
        return;
    struct str text = text_of(parse, literal);
    bool quoted = text.len >= 2 && (text.at[0] == '\'' || text.at[0] == '"');
    to->text = quoted ? str_slice(text, 1, text.len - 1) : text;
    to->is_text = quoted;
    to->has_number = str_to_double(to->text, &to->number);
    if (to->has_number && str_starts_with(text_of(parse, expr), STR("-")) && literal != expr)
        to->number = -to->number;
    if (str_equal_nocase(text, STR("true")) || str_equal_nocase(text, STR("false"))) {
        to->has_number = true;
        to->number = str_equal_nocase(text, STR("true"));
    }
}

/* ---- comparisons ---- */

static const struct {
    const char *sign;
    enum offline_op op, swapped;
    bool denied;
} signs[] = {
    {"=", OP_EQ, OP_EQ, false},
    {"==", OP_EQ, OP_EQ, false},
    {"<=>", OP_EQ, OP_EQ, false},
    {"is", OP_EQ, OP_EQ, false},
    {"<>", OP_EQ, OP_EQ, true},
    {"!=", OP_EQ, OP_EQ, true},
    {"is not", OP_EQ, OP_EQ, true},
    {"<", OP_LT, OP_GT, false},
    {"<=", OP_LE, OP_GE, false},
    {">", OP_GT, OP_LT, false},
    {">=", OP_GE, OP_LE, false},
    {"in", OP_EQ, OP_EQ, false},
    {"not in", OP_EQ, OP_EQ, true},
    {"like", OP_LIKE, OP_LIKE, false},
    {"not like", OP_LIKE, OP_LIKE, true},
    {"ilike", OP_LIKE, OP_LIKE, false},
    {"between", OP_BETWEEN, OP_BETWEEN, false},
    {"not between", OP_BETWEEN, OP_BETWEEN, true},
};

/* The row of signs for what stands between two operands; countof(signs): none. */
static size_t sign_between(const struct sql_parse *parse, const struct sql_expr *left,
                           const struct sql_expr *right)
{
    struct str text = str_trim(str_slice(parse->text, left->span.end, right->span.start));
    if (text.len > 0 && text.at[text.len - 1] == '(')
        text = str_trim(str_slice(text, 0, text.len - 1));
    if (text.len > 0 && text.at[0] == ')')
        text = str_trim(str_from(text, 1));
    for (size_t i = 0; i < countof(signs); i++)
        if (str_equal_nocase(text, str_of(signs[i].sign)))
            return i;
    return countof(signs);
}

static void keep_comparison(struct claims *claims, const struct claims_comparison *comparison)
{
    if (claims->comparison_count == CLAIMS_COMPARISONS)
        claims->whole = false;
    else
        claims->comparisons[claims->comparison_count++] = *comparison;
}

static void keep_values(struct claims *claims, struct claims_comparison *comparison,
                        const struct sql_expr *values)
{
    bool between = comparison->op == OP_BETWEEN;
    for (const struct sql_expr *value = values; value != NULL; value = value->next) {
        if (value->kind == SQL_EXPR_PARENS && value->children != NULL &&
            value->children->next != NULL) { /* IN (a, b) */
            keep_values(claims, comparison, value->children);
            continue;
        }
        struct claims_comparison one = *comparison;
        one.op = !between ? comparison->op : value == values ? OP_GE : OP_LE;
        put_literal(claims->parse, value, &one);
        keep_comparison(claims, &one);
    }
}

static void on_operation(struct claims *claims, const struct sql_expr *expr)
{
    const struct sql_parse *parse = claims->parse;
    const struct sql_expr *left = expr->children, *right = left == NULL ? NULL : left->next;
    size_t sign = right == NULL ? countof(signs) : sign_between(parse, left, right);
    if (sign == countof(signs))
        return;
    bool swaps = literal_in(parse, left) != NULL && right->next == NULL;
    struct claims_comparison comparison = {.span = expr->span,
                                           .op = swaps ? signs[sign].swapped : signs[sign].op,
                                           .denied = signs[sign].denied,
                                           .text = {NULL, 0}};
    put_column(claims, column_in(parse, swaps ? right : left), &comparison.table,
               &comparison.column);
    if (swaps) {
        put_literal(parse, left, &comparison);
        keep_comparison(claims, &comparison);
    } else {
        keep_values(claims, &comparison, right);
    }
}

/* ---- negations ---- */

static void keep_denial(struct claims_walk *found, struct sql_span span)
{
    if (found->denial_count == MAX_DENIALS)
        found->claims->whole = false;
    else
        found->denials[found->denial_count++] = span;
}

static bool starts_with_not(struct str text)
{
    return text.len > 3 && str_equal_nocase(str_slice(text, 0, 3), STR("not")) &&
           (str_is_blank(text.at[3]) || text.at[3] == '(');
}

/* NOT x; and x NOT IN (SELECT ...), for what the query inside asks for. */
static void on_negation(struct claims_walk *found, const struct sql_expr *expr)
{
    const struct sql_parse *parse = found->claims->parse;
    const struct sql_expr *left = expr->children;
    if (left == NULL)
        return;
    if (starts_with_not(text_of(parse, expr)) && left->span.start > expr->span.start)
        keep_denial(found, expr->span);
    for (const struct sql_expr *right = left->next; right != NULL; right = right->next)
        if (right->kind == SQL_EXPR_SELECT &&
            str_equal_nocase(str_trim(str_slice(parse->text, left->span.end, right->span.start)),
                             STR("not in")))
            keep_denial(found, right->span);
}

/* ---- the walk ---- */

static void on_call(struct claims *claims, const struct sql_expr *expr)
{
    const struct sql_expr *argument = expr->children;
    if (claims->call_count == CLAIMS_CALLS) {
        claims->whole = false;
        return;
    }
    struct claims_call *call = &claims->calls[claims->call_count++];
    const struct sql_column_ref *ref =
        argument == NULL ? NULL : sql_parse_column_at(claims->parse, argument);
    *call = (struct claims_call){.name = expr->call->name,
                                 .distinct = expr->call->distinct,
                                 .of_column = ref != NULL && argument->next == NULL,
                                 .table_ref = ref == NULL ? -1 : ref->table_ref};
    put_column(claims, ref, &call->table, &call->column);
}

static void on_expr(struct sql_tree_walk *walk, const struct sql_expr *expr)
{
    struct claims_walk *found = container_of(walk, struct claims_walk, walk);
    if (expr->kind == SQL_EXPR_CALL)
        on_call(found->claims, expr);
    if (expr->kind != SQL_EXPR_OPERATOR && expr->kind != SQL_EXPR_EQUAL)
        return;
    on_operation(found->claims, expr);
    on_negation(found, expr);
}

static void on_branch(struct sql_tree_walk *walk, const struct sql_branch *branch)
{
    struct claims_walk *found = container_of(walk, struct claims_walk, walk);
    found->claims->distinct = found->claims->distinct || branch->distinct;
    if (branch->set == SQL_SET_EXCEPT)
        keep_denial(found, branch->span);
}

/* The expression that a key of ORDER BY stands for: the select item of its alias or number, else
 * the key itself. */
static const struct sql_expr *ordered_by(const struct sql_parse *parse, const struct sql_expr *key)
{
    uint64_t number = 0, at = 1;
    struct str text = text_of(parse, key);
    bool counted = key->kind == SQL_EXPR_LITERAL && str_to_u64(text, &number);
    if (key->kind != SQL_EXPR_NAME && !counted)
        return key;
    for (const struct sql_item *item = parse->tree->branches->items; item != NULL;
         item = item->next, at++)
        if (item->expr != NULL &&
            (counted ? at == number
                     : item->alias.len > 0 && str_equal_nocase(item->alias, key->name->name)))
            return item->expr;
    return key;
}

static void read_order(struct claims *claims)
{
    const struct sql_parse *parse = claims->parse;
    const struct sql_expr *key = parse->tree->order;
    if (key == NULL)
        return;
    size_t end = key->next != NULL ? key->next->span.start : parse->text.len;
    struct str after = str_trim(str_slice(parse->text, key->span.end, end));
    const struct sql_expr *by = ordered_by(parse, key);
    claims->order.present = true;
    claims->order.descending =
        after.len >= 4 && str_equal_nocase(str_slice(after, 0, 4), STR("desc"));
    if (by->kind == SQL_EXPR_CALL)
        claims->order.function = by->call->name;
    put_column(claims,
               sql_parse_column_at(
                   parse, by->kind == SQL_EXPR_CALL && by->children != NULL ? by->children : by),
               &claims->order.table, &claims->order.column);
}

void offline_claims_read(const struct lexicon *lexicon, const struct sql_parse *parse,
                         struct claims *claims)
{
    struct claims_walk found = {.walk = {.on_expr = on_expr, .on_branch = on_branch},
                                .claims = claims};
    *claims = (struct claims){.lexicon = lexicon, .parse = parse, .whole = true};
    claims->order.table = claims->order.column = READING_NONE;
    sql_tree_walk_select(&found.walk, parse->tree);
    for (size_t i = 0; i < claims->comparison_count; i++) {
        struct claims_comparison *one = &claims->comparisons[i];
        for (size_t k = 0; k < found.denial_count; k++)
            if (found.denials[k].start <= one->span.start && one->span.end <= found.denials[k].end)
                one->denied = !one->denied;
    }
    read_order(claims);
}

/* ---- asking ---- */

bool offline_claims_reads(const struct claims *claims, int table)
{
    for (size_t i = 0; i < claims->parse->table_count; i++)
        if (offline_claims_table(claims, (int)i) == table)
            return true;
    return false;
}

bool offline_claims_refers(const struct claims *claims, int table)
{
    for (size_t i = 0; i < claims->parse->table_count; i++) {
        int from = offline_claims_table(claims, (int)i);
        if (from == CATALOG_NONE)
            continue;
        const struct catalog_table *at = &claims->lexicon->catalog->tables[from];
        for (size_t k = 0; k < at->reference_count; k++)
            if (at->references[k].to_table == table)
                return true;
    }
    return false;
}

bool offline_claims_names(const struct claims *claims, int table, int column)
{
    struct str name = claims->lexicon->catalog->tables[table].columns[column].name;
    for (size_t i = 0; i < claims->parse->column_count; i++) {
        const struct sql_column_ref *ref = &claims->parse->columns[i];
        if (ref->use == SQL_COLUMN_NAMED && ref->table_ref >= 0 &&
            offline_claims_table(claims, ref->table_ref) == table &&
            str_equal_nocase(ref->name, name))
            return true;
    }
    return false;
}

bool offline_claims_has_text(const struct claims *claims, struct str text)
{
    struct str sql = claims->parse->text;
    for (size_t i = 0; i + text.len <= sql.len; i++)
        if (str_equal_nocase(str_slice(sql, i, i + text.len), text))
            return true;
    return false;
}

const struct claims_call *offline_claims_call(const struct claims *claims, const char *const *names,
                                              size_t count)
{
    for (size_t i = 0; i < claims->call_count; i++)
        if (str_is_listed(claims->calls[i].name, names, count))
            return &claims->calls[i];
    return NULL;
}
