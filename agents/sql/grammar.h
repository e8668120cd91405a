/* SPDX-License-Identifier: MIT */
/* agents/sql/grammar.h - tokens -> the tree of one SELECT, with the byte span of every part.
 *
 * What the grammar does not know it refuses. The tree is for reading: scope resolves its names,
 * rewrite edits the text at its spans. It lives in the arena given; nothing points outside that and
 * the text. Pure, linear, any thread. */
#ifndef AGENTS_SQL_GRAMMAR_H
#define AGENTS_SQL_GRAMMAR_H

#include "agents/sql/grammar_tree.h"
#include "agents/sql/lexer.h"

struct sql_tree { /* what the whole statement holds */
    struct sql_select *select;
    struct sql_span statement;
    bool has_with, has_recursive, has_set_operation, has_subquery;
    bool has_placeholder, has_session_variable, has_hint, has_group_by, has_order_by, has_natural;
    size_t nesting, select_items;
};

/* Parse the one statement in tokens. ERR_REJECTED: *rule is "select_only", "multiple_statements",
 * "nesting", "hint", "into", "locking" or "syntax"; ERR_NO_MEMORY: the arena is spent. */
MUST_USE enum err_code sql_grammar_parse(const struct sql_tokens *tokens, struct arena *arena,
                                         struct sql_tree *tree, const char **rule, struct err *err);

/* Whether it is one of the fields that rows without a type have, which no function is called by. */
bool sql_grammar_is_record_field(struct str name);

#endif
