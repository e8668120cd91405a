/* SPDX-License-Identifier: MIT */
/* agents/sql/grammar/grammar.h - tokens -> the tree of one SELECT, with the byte span of every
 * part.
 *
 * What the grammar does not know it refuses. The tree is for reading: scope resolves its names,
 * rewrite edits the text at its spans. It lives in the arena given; nothing points outside that and
 * the text. Pure, linear, any thread. */
#ifndef AGENTS_SQL_GRAMMAR_GRAMMAR_H
#define AGENTS_SQL_GRAMMAR_GRAMMAR_H

#include "agents/sql/grammar/grammar_tree.h"
#include "agents/sql/grammar/lexer.h"

/* Parse the one statement in tokens. ERR_REJECTED: *rule is "select_only", "multiple_statements",
 * "nesting", "hint", "into", "locking" or "syntax"; ERR_NO_MEMORY: the arena is spent. */
MUST_USE enum err_code sql_grammar_parse(const struct sql_tokens *tokens, struct arena *arena,
                                         struct sql_tree *tree, const char **rule, struct err *err);

/* Whether name is one of the fields that rows without a type have; no function is called by it. */
bool sql_grammar_is_record_field(struct str name);

#endif
