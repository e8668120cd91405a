/* SPDX-License-Identifier: MIT */
/* server/cli/semantic/learn_prompt.h - what a model is told when it is to say what a table means.
 * Pure. */
#ifndef SERVER_CLI_SEMANTIC_LEARN_PROMPT_H
#define SERVER_CLI_SEMANTIC_LEARN_PROMPT_H

#include "agents/lexicon/index.h"

/* The rules, which are the same for all tables. Static. */
struct str learn_prompt_rules(const char *languages);
/* A table: its name and comment, its columns with types, comments and, where they are few and the
 * column is not private, values. languages: of more synonyms; "": none. In arena. */
struct str learn_prompt_table(const struct lexicon *lexicon, int table, const char *languages,
                              struct arena *arena);

#endif
