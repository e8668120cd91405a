/* SPDX-License-Identifier: MIT */
/* agents/sql/postgres/parse_pg_state.c - giving up, and small questions about nodes and tokens.
 *
 * Cannot fail but by giving up: the first reason stays, with its line and column. */
#include "agents/sql/postgres/parse_pg_state.h"

#include <stdarg.h>
#include <stdio.h>

void *sql_parse_pg_state_refuse(struct sql_parse_pg_state *p, const char *rule, size_t token,
                                const char *fmt, ...)
{
    if (p->failed)
        return NULL;
    char text[ERR_TEXT_BYTES];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    p->failed = true;
    *p->rule = rule;
    if (token + 1 < p->pg.tokens.count) {
        size_t line, column;
        sql_lexer_place(p->pg.tokens.text, p->pg.tokens.at[token].start, &line, &column);
        p->code = err_set(p->err, ERR_REJECTED, "line %zu, column %zu: %s", line, column, text);
    } else {
        p->code = err_set(p->err, ERR_REJECTED, "%s", text);
    }
    return NULL;
}

void *sql_parse_pg_state_unknown(struct sql_parse_pg_state *p, const struct sql_parse_pg_node *node)
{
    struct str type = node == NULL                                              ? STR("nothing")
                      : node->kind == SQL_PARSE_PG_OBJECT && node->text.len > 0 ? node->text
                                                                                : node->key;
    return sql_parse_pg_state_refuse(p, "syntax", sql_parse_pg_state_token(p, node),
                                     "this part (%.*s) is not one that is understood here; write "
                                     "the statement without it",
                                     STR_ARG(str_utf8_prefix(type, 40)));
}

void *sql_parse_pg_state_alloc(struct sql_parse_pg_state *p, size_t size)
{
    void *at = p->failed ? NULL : arena_alloc(p->arena, size);
    if (at == NULL && !p->failed) {
        p->failed = true;
        p->code = err_set(p->err, ERR_NO_MEMORY, "no memory for the statement's tree");
    }
    return at;
}

struct str sql_parse_pg_state_string(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node)
{
    if (node != NULL && node->kind != SQL_PARSE_PG_STRING) {
        sql_parse_pg_state_unknown(p, node);
        return STR("");
    }
    if (node != NULL)
        node->seen = true;
    struct str text = sql_parse_pg_node_string(node, p->arena);
    if (str_is_absent(text))
        (void)sql_parse_pg_state_alloc(p, 1); /* the arena is spent: says so */
    return text;
}

struct str sql_parse_pg_state_member(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node,
                                     struct str key)
{
    struct sql_parse_pg_node *member = sql_parse_pg_node_get(node, key);
    return member == NULL ? STR("") : sql_parse_pg_state_string(p, member);
}

struct sql_names *sql_parse_pg_state_names(struct sql_parse_pg_state *p,
                                           struct sql_parse_pg_node *list, size_t first)
{
    struct sql_names *names = NULL, **tail = &names;
    for (struct sql_parse_pg_node *item = list == NULL ? NULL : list->first;
         item != NULL && !p->failed; item = item->next, first += 2) {
        struct sql_names *name = sql_parse_pg_state_alloc(p, sizeof *name);
        if (name == NULL)
            return NULL;
        name->name = sql_parse_pg_state_string(p, item);
        name->span = sql_parse_pg_state_span(p, first, first);
        *tail = name;
        tail = &name->next;
    }
    return names;
}

size_t sql_parse_pg_state_token(struct sql_parse_pg_state *p, const struct sql_parse_pg_node *node)
{
    return node == NULL || node->location < 0
               ? p->pg.tokens.count
               : sql_parse_pg_lexer_at(&p->pg, (size_t)node->location);
}

struct sql_span sql_parse_pg_state_span(const struct sql_parse_pg_state *p, size_t first,
                                        size_t last)
{
    if (first > last || last + 1 >= p->pg.tokens.count)
        return (struct sql_span){0};
    return (struct sql_span){p->pg.tokens.at[first].start, p->pg.tokens.at[last].end};
}

enum sql_token_kind sql_parse_pg_state_kind(const struct sql_parse_pg_state *p, size_t token)
{
    return token < p->pg.tokens.count ? (enum sql_token_kind)p->pg.tokens.at[token].kind
                                      : SQL_TOKEN_END;
}

size_t sql_parse_pg_state_match(const struct sql_parse_pg_state *p, size_t token)
{
    return token < p->pg.tokens.count ? p->pg.match[token] : token;
}

size_t sql_parse_pg_state_left(const struct sql_parse_pg_state *p, size_t token)
{
    while (token < p->pg.tokens.count && p->pg.tokens.at[token].kind != SQL_TOKEN_LEFT)
        token++;
    return token;
}

void sql_parse_pg_state_join(struct sql_parse_pg_range *at, struct sql_parse_pg_range other)
{
    if (other.first > other.last)
        return;
    at->first = size_min(at->first, other.first);
    at->last = size_max(at->last, other.last);
}

bool sql_parse_pg_state_enter(struct sql_parse_pg_state *p)
{
    if (++p->depth <= SQL_PARSE_PG_MAX_DEPTH)
        return !p->failed;
    sql_parse_pg_state_refuse(p, "nesting", p->pg.tokens.count,
                              "the statement is nested too deep; write it flatter");
    return false;
}

bool sql_parse_pg_state_is_label(const struct sql_parse_pg_state *p, size_t token)
{
    return token > 0 && (sql_parse_pg_state_kind(p, token - 1) == SQL_TOKEN_DOT ||
                         sql_parse_pg_state_is(p, token - 1, STR("as")));
}

size_t sql_parse_pg_state_step(const struct sql_parse_pg_state *p, size_t token)
{
    return sql_parse_pg_state_match(p, token) > token ? sql_parse_pg_state_match(p, token) + 1
                                                      : token + 1;
}
