/* SPDX-License-Identifier: MIT */
/* agents/sql/rewrite_proof.c - goes through both texts, from place to place of the plan.
 *
 * Happy path: at each place of the checked text where something must change, that is what was
 * written; all between is the same, and so is the end but for a LIMIT.
 * Failure: there is no plan, or a byte is none of these: not proved. */
#include "agents/sql/rewrite_proof.h"

#include "agents/sql/lexer.h"
#include "agents/sql/quote.h"
#include "agents/sql/rewrite_match.h"
#include "agents/sql/rewrite_plan.h"

enum { FILTER_BYTES = 16 * 1024 };

struct proof {
    struct sql_rewrite_plan plan;
    struct sql_rewrite_match match;
    size_t at, token; /* reached in the text checked; the token from there on */
};

static const struct catalog_table *table_of(const struct proof *p, int table)
{
    return &p->plan.sees.catalog->tables[table];
}

/* What stands between two tokens: the same blanks, or one blank for a comment. */
static bool copy_gap(struct proof *p, size_t end)
{
    struct str gap = str_slice(p->plan.parse->text, p->at, end);
    bool comment = !str_is_empty(str_trim(gap));
    p->at = end;
    return sql_rewrite_match_text(&p->match, comment ? STR(" ") : gap);
}

/* The checked text up to end, which is where a token begins or ends. */
static bool copy_to(struct proof *p, size_t end)
{
    const struct sql_parse *parse = p->plan.parse;
    if (end < p->at)
        return false;
    if (!parse->has_comment) {
        struct str same = str_slice(parse->text, p->at, end);
        p->at = end;
        return sql_rewrite_match_text(&p->match, same);
    }
    for (; p->token < parse->token_count; p->token++) {
        const struct sql_token *token = &parse->tokens[p->token];
        if (token->start < p->at)
            continue;
        if (token->end > end || token->kind == SQL_TOKEN_END)
            break;
        if (!copy_gap(p, token->start) ||
            !sql_rewrite_match_text(&p->match, str_slice(parse->text, token->start, token->end)))
            return false;
        p->at = token->end;
    }
    return end <= p->at || copy_gap(p, end);
}

/* The first token that begins at or after offset. */
static size_t token_at(const struct sql_parse *parse, size_t offset)
{
    size_t low = 0, high = parse->token_count - 1; /* the END */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (parse->tokens[middle].start < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static enum sql_word word_at(const struct sql_parse *parse, size_t token)
{
    const struct sql_token *at = &parse->tokens[token];
    return at->kind == SQL_TOKEN_WORD ? sql_words_find(str_slice(parse->text, at->start, at->end))
                                      : SQL_WORD_NONE;
}

static bool ends_item(enum sql_word word)
{
    static const enum sql_word words[] = {
        SQL_WORD_JOIN,   SQL_WORD_INNER,  SQL_WORD_LEFT,    SQL_WORD_RIGHT,
        SQL_WORD_FULL,   SQL_WORD_CROSS,  SQL_WORD_NATURAL, SQL_WORD_STRAIGHT_JOIN,
        SQL_WORD_ON,     SQL_WORD_USING,  SQL_WORD_WHERE,   SQL_WORD_GROUP,
        SQL_WORD_HAVING, SQL_WORD_WINDOW, SQL_WORD_ORDER,   SQL_WORD_LIMIT,
        SQL_WORD_OFFSET, SQL_WORD_UNION,  SQL_WORD_EXCEPT,  SQL_WORD_INTERSECT};
    for (size_t i = 0; i < countof(words); i++) {
        if (words[i] == word)
            return true;
    }
    return false;
}

static bool is_fetch(const struct sql_parse *parse, size_t token)
{
    const struct sql_token *at = &parse->tokens[token];
    return at->kind == SQL_TOKEN_WORD &&
           str_equal_nocase(str_slice(parse->text, at->start, at->end), STR("fetch"));
}

/* The token behind TABLESAMPLE or PARTITION if that begins with token, else token. */
static size_t after_sample(const struct sql_parse *parse, const struct sql_table_ref *ref,
                           size_t token)
{
    bool begins =
        ref->sample.end > ref->sample.start && parse->tokens[token].start == ref->sample.start;
    return begins ? token_at(parse, ref->sample.end) : token;
}

/* Whether nothing but the table and its alias stands between what begins a FROM item and what ends
 * one, so that any other item may stand there. */
static bool stands_alone(const struct sql_parse *parse, const struct sql_table_ref *ref)
{
    size_t first = token_at(parse, ref->span.start);
    size_t next = after_sample(parse, ref, token_at(parse, ref->span.end));
    if (first == 0 || parse->tokens[first].start != ref->span.start)
        return false;
    enum sql_token_kind before = parse->tokens[first - 1].kind;
    enum sql_word word = word_at(parse, first - 1);
    if (before != SQL_TOKEN_COMMA && before != SQL_TOKEN_LEFT && word != SQL_WORD_FROM &&
        word != SQL_WORD_JOIN && word != SQL_WORD_STRAIGHT_JOIN &&
        !(word == SQL_WORD_TABLE && parse->dialect != SQL_SQLITE))
        return false;
    if (ref->alias.len > 0) {
        next += word_at(parse, next) == SQL_WORD_AS;
        if (parse->tokens[next].start != ref->alias_span.start ||
            parse->tokens[next].end != ref->alias_span.end)
            return false;
        next = after_sample(parse, ref, next + 1);
    }
    enum sql_token_kind after = parse->tokens[next].kind;
    return after == SQL_TOKEN_END || after == SQL_TOKEN_RIGHT || after == SQL_TOKEN_COMMA ||
           after == SQL_TOKEN_SEMICOLON || is_fetch(parse, next) || ends_item(word_at(parse, next));
}

static bool match_relation(struct proof *p, size_t i)
{
    return (!p->plan.parse->tables[i].only || sql_rewrite_match_text(&p->match, STR("ONLY "))) &&
           sql_rewrite_match_table(&p->match, table_of(p, p->plan.tables[i].read));
}

static bool match_derived(struct proof *p, size_t i)
{
    const struct sql_rewrite_table *plan = &p->plan.tables[i];
    const struct sql_table_ref *ref = &p->plan.parse->tables[i];
    const struct catalog_table *table = table_of(p, plan->read);
    struct str sample = str_slice(p->plan.parse->text, ref->sample.start, ref->sample.end);
    struct sql_rewrite_match *m = &p->match;
    if (!sql_rewrite_match_text(m, STR("(SELECT ")) ||
        !(plan->narrow ? sql_rewrite_match_columns(m, table)
                       : sql_rewrite_match_text(m, STR("*"))) ||
        !sql_rewrite_match_text(m, STR(" FROM ")) || !match_relation(p, i))
        return false;
    if (sample.len > 0 &&
        (!sql_rewrite_match_text(m, STR(" ")) || !sql_rewrite_match_text(m, sample)))
        return false;
    if (plan->filters &&
        (!sql_rewrite_match_text(m, STR(" WHERE ")) ||
         !sql_rewrite_match_filter(m, p->plan.sees, table->name, ref->table, plan->read)))
        return false;
    return sql_rewrite_match_text(m, STR(")"));
}

static bool match_table(struct proof *p, size_t i)
{
    const struct sql_table_ref *ref = &p->plan.parse->tables[i];
    const struct sql_rewrite_table *plan = &p->plan.tables[i];
    struct sql_rewrite_match *m = &p->match;
    if (plan->form == SQL_REWRITE_AS_IS)
        return copy_to(p, ref->span.end);
    if (!sql_rewrite_match_is_apart_before(m) || !stands_alone(p->plan.parse, ref))
        return false;
    if (!(plan->form == SQL_REWRITE_DERIVED ? match_derived(p, i) : match_relation(p, i)))
        return false;
    p->at = ref->span.end;
    return (ref->alias.len > 0 ||
            (sql_rewrite_match_text(m, STR(" AS ")) && sql_rewrite_match_name(m, ref->name))) &&
           sql_rewrite_match_is_apart_after(m);
}

/* Among operators, too, for a name in quotes is no part of one; in SQLite it may be a word. */
static bool is_apart(const struct proof *p, bool apart, size_t at)
{
    struct str sql = p->match.sql;
    return apart || (at < sql.len && str_find_char(STR("=<>+-*/"), sql.at[at]) != STR_NONE);
}

static bool match_column(struct proof *p, size_t i)
{
    const struct sql_column_ref *ref = &p->plan.parse->columns[i];
    struct sql_rewrite_match *m = &p->match;
    struct str of = sql_rewrite_plan_requalifies(&p->plan, ref)
                        ? p->plan.parse->tables[ref->table_ref].name
                        : ref->qualifier;
    if (m->at == 0 || !is_apart(p, sql_rewrite_match_is_apart_before(m), m->at - 1))
        return false;
    if (ref->qualifier.len > 0 &&
        (!sql_rewrite_match_name(m, of) || !sql_rewrite_match_text(m, STR("."))))
        return false;
    p->at = ref->span.end;
    return sql_rewrite_match_name(m, sql_rewrite_plan_spelling(&p->plan, ref)) &&
           is_apart(p, sql_rewrite_match_is_apart_after(m), m->at);
}

static bool match_word(struct proof *p, size_t i)
{
    struct sql_rewrite_match *m = &p->match;
    p->at = p->plan.parse->columns[i].span.end;
    return sql_rewrite_match_is_apart_before(m) &&
           sql_rewrite_match_text(m, STR("SELECT * FROM")) && sql_rewrite_match_is_apart_after(m);
}

static bool match_star(struct proof *p, size_t i)
{
    const struct sql_column_ref *ref = &p->plan.parse->columns[i];
    struct sql_rewrite_match *m = &p->match;
    p->at = ref->span.end;
    return sql_rewrite_match_is_apart_before(m) &&
           sql_rewrite_match_name(m, p->plan.parse->tables[ref->table_ref].name) &&
           sql_rewrite_match_text(m, STR(".*")) && sql_rewrite_match_is_apart_after(m);
}

/* "t"."a", "t"."b": those that may be seen, at least one. */
static bool match_star_out(struct proof *p, size_t first)
{
    const struct sql_parse *parse = p->plan.parse;
    const struct sql_column_ref *refs = parse->columns;
    struct sql_rewrite_match *m = &p->match;
    size_t start = m->at;
    if (!sql_rewrite_match_is_apart_before(m))
        return false;
    for (size_t i = first; i < parse->column_count && refs[i].use == SQL_COLUMN_STAR &&
                           refs[i].span.start == refs[first].span.start;
         i++) {
        int table = parse->tables[refs[i].table_ref].table;
        if (!sql_visible_column(p->plan.sees, table, refs[i].name))
            continue;
        if ((m->at > start && !sql_rewrite_match_text(m, STR(", "))) ||
            !sql_rewrite_match_name(m, refs[i].relation) || !sql_rewrite_match_text(m, STR(".")) ||
            !sql_rewrite_match_name(m, sql_rewrite_plan_spelling(&p->plan, &refs[i])))
            return false;
    }
    p->at = refs[first].span.end;
    return m->at > start && sql_rewrite_match_is_apart_after(m);
}

static bool match_string(struct proof *p, size_t i)
{
    const struct sql_column_ref *ref = &p->plan.parse->columns[i];
    struct sql_rewrite_match *m = &p->match;
    if (m->at == 0 || !is_apart(p, sql_rewrite_match_is_apart_before(m), m->at - 1))
        return false;
    buf_clear(&m->text);
    sql_quote_text(ref->name, &m->text);
    p->at = ref->span.end;
    return buf_ok(&m->text) && sql_rewrite_match_text(m, buf_str(&m->text)) &&
           is_apart(p, sql_rewrite_match_is_apart_after(m), m->at);
}

/* After WHERE and its condition in parentheses, or in place of a WHERE: the filters beside. */
static bool match_filters(struct proof *p, const struct sql_rewrite_where *where)
{
    bool has_where = where->branch->where_span.end > where->branch->where_span.start;
    struct str join = has_where ? STR(") AND ") : STR(" WHERE ");
    for (int i = where->first; i != SQL_REWRITE_PLAN_NONE; i = p->plan.tables[i].next) {
        const struct sql_table_ref *ref = &p->plan.parse->tables[i];
        if (!sql_rewrite_match_text(&p->match, join) ||
            !sql_rewrite_match_filter(&p->match, p->plan.sees,
                                      sql_rewrite_plan_called(ref->name, ref->alias), ref->table,
                                      ref->table))
            return false;
        join = STR(" AND ");
    }
    return sql_rewrite_match_is_apart_after(&p->match);
}

static bool match_place(struct proof *p, const struct sql_rewrite_place *place)
{
    if (!copy_to(p, place->at))
        return false;
    switch (place->kind) {
    case SQL_REWRITE_OPEN:
        return sql_rewrite_match_text(&p->match, STR(" ("));
    case SQL_REWRITE_WORD:
        return match_word(p, place->index);
    case SQL_REWRITE_TABLE:
        return match_table(p, place->index);
    case SQL_REWRITE_SAMPLE:
        p->at = p->plan.parse->tables[place->index].sample.end;
        return true;
    case SQL_REWRITE_STAR:
        return match_star(p, place->index);
    case SQL_REWRITE_STAR_OUT:
        return match_star_out(p, place->index);
    case SQL_REWRITE_TEXT:
        return match_string(p, place->index);
    case SQL_REWRITE_COLUMN:
        return match_column(p, place->index);
    case SQL_REWRITE_COUNT:
        p->at = p->plan.parse->limit.count_span.end;
        return sql_rewrite_match_is_apart_before(&p->match) &&
               sql_rewrite_match_number(&p->match, p->plan.sees.policy->max_limit) &&
               sql_rewrite_match_is_apart_after(&p->match);
    case SQL_REWRITE_CLOSE:
        return match_filters(p, &p->plan.wheres[place->index]);
    }
    return false;
}

/* The rest of the statement, and a LIMIT where none was and one must be. */
static bool match_end(struct proof *p)
{
    const struct sql_limit *limit = &p->plan.parse->limit;
    size_t most = p->plan.sees.policy->max_limit;
    struct sql_rewrite_match *m = &p->match;
    if (!copy_to(p, p->plan.parse->statement.end))
        return false;
    if (p->plan.wraps)
        return sql_rewrite_match_text(m, STR("\n) AS limited LIMIT ")) &&
               sql_rewrite_match_number(m, most) && m->at == m->sql.len;
    if (m->at == m->sql.len)
        return limit->present || most == 0;
    bool fetch = p->plan.parse->dialect == SQL_MYSQL && limit->has_skip; /* OFFSET n ROWS */
    return !limit->present &&
           sql_rewrite_match_text(m, fetch ? STR("\nFETCH FIRST ") : STR("\nLIMIT ")) &&
           sql_rewrite_match_number(m, most) &&
           (!fetch || sql_rewrite_match_text(m, STR(" ROWS ONLY"))) && m->at == m->sql.len;
}

bool sql_rewrite_proof_holds(struct sql_visible sees, const struct sql_parse *parse,
                             struct sql_tenant tenant, struct arena *arena, struct str sql)
{
    struct proof p = {.plan = {.sees = sees, .tenant = tenant, .parse = parse, .arena = arena},
                      .match = {.dialect = parse->dialect, .sql = sql},
                      .at = parse->statement.start};
    if (sql.len > SQL_LEXER_MAX_BYTES || !str_is_utf8(sql) ||
        str_find_char(sql, '\0') != STR_NONE || !sql_rewrite_plan_make(&p.plan))
        return false;
    bool holds = !p.plan.wraps || sql_rewrite_match_text(&p.match, STR("SELECT * FROM (\n"));
    buf_init(&p.match.text, FILTER_BYTES);
    for (size_t i = 0; i < p.plan.place_count && holds; i++)
        holds = match_place(&p, &p.plan.places[i]);
    holds = holds && match_end(&p);
    buf_fini(&p.match.text);
    return holds;
}
