/* SPDX-License-Identifier: MIT */
/* agents/sql/postgres/parse_pg_state.h - what turning PostgreSQL's tree into ours works on. Private
 * to the parse_pg* files.
 *
 * Parts are converted in the order of the text. A range is a run of tokens, both ends included;
 * empty while first > last. Failing is sticky: the first reason stays. */
#ifndef AGENTS_SQL_POSTGRES_PARSE_PG_STATE_H
#define AGENTS_SQL_POSTGRES_PARSE_PG_STATE_H

#include "agents/sql/grammar/grammar_tree.h"
#include "agents/sql/postgres/parse_pg_lexer.h"
#include "agents/sql/postgres/parse_pg_node.h"

enum { SQL_PARSE_PG_MAX_DEPTH = 400, SQL_PARSE_PG_MAX_BRANCHES = 200 };

struct sql_parse_pg_range {
    size_t first, last;
};
#define SQL_PARSE_PG_NOWHERE ((struct sql_parse_pg_range){SIZE_MAX, 0})

struct sql_parse_pg_state {
    struct sql_parse_pg_tokens pg;
    const struct catalog *catalog;
    struct sql_names *column_types; /* types found in the catalog: none is sought twice */
    struct arena *arena;
    struct sql_tree *tree;
    size_t depth;
    bool failed;
    enum err_code code;
    const char **rule;
    struct err *err;
};

/* parse_pg_state.c */
/* Give up at a token; the text is what is wrong and what now, on one line. Returns NULL. */
void *sql_parse_pg_state_refuse(struct sql_parse_pg_state *p, const char *rule, size_t token,
                                const char *fmt, ...) PRINTF(4, 5);
/* Give up at a node of a type that has no place here. */
void *sql_parse_pg_state_unknown(struct sql_parse_pg_state *p,
                                 const struct sql_parse_pg_node *node);
void *sql_parse_pg_state_alloc(struct sql_parse_pg_state *p, size_t size);
/* The string a node holds, or that its {"String":{"sval":...}} holds, in the arena. */
struct str sql_parse_pg_state_string(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node);
struct str sql_parse_pg_state_member(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node,
                                     struct str key);
/* The names of a list of Strings, in the text from token first on at every other one. */
struct sql_names *sql_parse_pg_state_names(struct sql_parse_pg_state *p,
                                           struct sql_parse_pg_node *list, size_t first);
/* The token of a node's location, or the count of tokens. */
size_t sql_parse_pg_state_token(struct sql_parse_pg_state *p, const struct sql_parse_pg_node *node);
struct sql_span sql_parse_pg_state_span(const struct sql_parse_pg_state *p, size_t first,
                                        size_t last);
enum sql_token_kind sql_parse_pg_state_kind(const struct sql_parse_pg_state *p, size_t token);
/* The token that closes the parenthesis or bracket at token. */
size_t sql_parse_pg_state_match(const struct sql_parse_pg_state *p, size_t token);
static inline bool sql_parse_pg_state_is(const struct sql_parse_pg_state *p, size_t token,
                                         struct str word)
{
    return sql_parse_pg_lexer_is(&p->pg, token, word);
}
/* The first '(' at or after token, or the count. */
size_t sql_parse_pg_state_left(const struct sql_parse_pg_state *p, size_t token);
/* Whether the token is a name after a dot or AS, though it may spell a word: t.from. */
bool sql_parse_pg_state_is_label(const struct sql_parse_pg_state *p, size_t token);
/* The next token at this depth of parentheses. */
size_t sql_parse_pg_state_step(const struct sql_parse_pg_state *p, size_t token);
/* Widen at to hold other. */
void sql_parse_pg_state_join(struct sql_parse_pg_range *at, struct sql_parse_pg_range other);
/* One level deeper; false: too deep, having given up. Each is undone by lowering depth. */
bool sql_parse_pg_state_enter(struct sql_parse_pg_state *p);

/* parse_pg_expr.c: an expression {"Type":{...}} whose text begins at token low or later; *at is
 * its range. NULL having given up, or for NULL. */
struct sql_expr *sql_parse_pg_expr_convert(struct sql_parse_pg_state *p,
                                           struct sql_parse_pg_node *node, size_t low,
                                           struct sql_parse_pg_range *at);
/* A list of expressions; NULL is an empty list. */
struct sql_expr *sql_parse_pg_expr_list(struct sql_parse_pg_state *p,
                                        struct sql_parse_pg_node *list, size_t low,
                                        struct sql_parse_pg_range *at);
struct sql_expr *sql_parse_pg_expr_node(struct sql_parse_pg_state *p, enum sql_expr_kind kind,
                                        struct sql_parse_pg_range at, struct sql_expr *children);
/* The query in the parentheses at token left. */
struct sql_expr *sql_parse_pg_expr_query(struct sql_parse_pg_state *p, enum sql_expr_kind kind,
                                         struct sql_parse_pg_node *select, size_t left);

/* parse_pg_form.c: one function for each type of node that has brackets or words of its own. */
typedef struct sql_expr *sql_parse_pg_convert_fn(struct sql_parse_pg_state *p,
                                                 struct sql_parse_pg_node *node, size_t low,
                                                 struct sql_parse_pg_range *at);
sql_parse_pg_convert_fn sql_parse_pg_form_collation, sql_parse_pg_form_cast,
    sql_parse_pg_form_array, sql_parse_pg_form_row, sql_parse_pg_form_named,
    sql_parse_pg_form_value, sql_parse_pg_form_argument, sql_parse_pg_form_case,
    sql_parse_pg_form_sublink, sql_parse_pg_form_indirection;

/* parse_pg_call.c: members of nodes of these types, and the ranges of what they become. */
sql_parse_pg_convert_fn sql_parse_pg_call_function;
/* COALESCE(...), GREATEST(...) and other forms with a name and parentheses at the location. */
struct sql_expr *sql_parse_pg_call_named(struct sql_parse_pg_state *p,
                                         struct sql_parse_pg_node *node, struct str name,
                                         struct sql_parse_pg_node *arguments,
                                         struct sql_parse_pg_range *at);
struct sql_expr *sql_parse_pg_call_value(struct sql_parse_pg_state *p,
                                         struct sql_parse_pg_node *node,
                                         struct sql_parse_pg_range *at);
struct sql_window *sql_parse_pg_call_window(struct sql_parse_pg_state *p,
                                            struct sql_parse_pg_node *definition, size_t low);
/* A list of SortBy. */
struct sql_expr *sql_parse_pg_call_order(struct sql_parse_pg_state *p,
                                         struct sql_parse_pg_node *list, size_t low,
                                         struct sql_parse_pg_range *at);

/* parse_pg_type.c */
/* Refuse a type that is not on the list; the token after which its name ends. */
size_t sql_parse_pg_type_check(struct sql_parse_pg_state *p, struct sql_parse_pg_node *type,
                               size_t first);
/* The token with which a type ends that begins at first. */
size_t sql_parse_pg_type_end(const struct sql_parse_pg_state *p, size_t first);
/* The last part of a list of one String, or of two of which the first is pg_catalog; false: it is
 * not PostgreSQL's own, *name what it is. */
bool sql_parse_pg_type_own(struct sql_parse_pg_state *p, struct sql_parse_pg_node *names,
                           struct str *name);
/* Refuse an operator's name (a list of Strings) that is not PostgreSQL's own; its last part. */
struct str sql_parse_pg_type_operator(struct sql_parse_pg_state *p, struct sql_parse_pg_node *names,
                                      size_t token);

/* parse_pg_name.c: what the column of a ResTarget is called. */
struct str sql_parse_pg_name_item(struct sql_parse_pg_state *p, struct sql_parse_pg_node *target);

/* parse_pg_from.c: the items of fromClause, whose text begins after token *cursor, which moves. */
struct sql_from *sql_parse_pg_from_list(struct sql_parse_pg_state *p,
                                        struct sql_parse_pg_node *list, size_t *cursor);

/* parse_pg_branch.c: the members of a SelectStmt that is no set operation, its tokens from the
 * first word on up to end. */
struct sql_branch *sql_parse_pg_branch_convert(struct sql_parse_pg_state *p,
                                               struct sql_parse_pg_node *node, size_t start,
                                               size_t end);

/* parse_pg_with.c: WITH at token *start, if the SelectStmt has it; *start moves behind. */
void sql_parse_pg_with_convert(struct sql_parse_pg_state *p, struct sql_parse_pg_node *node,
                               struct sql_select *select, size_t *start);

/* parse_pg_select.c: the members of a SelectStmt within a range of tokens. */
struct sql_select *sql_parse_pg_select_convert(struct sql_parse_pg_state *p,
                                               struct sql_parse_pg_node *select,
                                               struct sql_parse_pg_range at);

#endif
