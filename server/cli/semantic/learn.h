/* SPDX-License-Identifier: MIT */
/* server/cli/semantic/learn.h - askd semantic learn: a model writes labels, synonyms, units and
 * meanings of codes for a schema, for a person to review.
 *
 * It is told names, types, comments and the few values of columns that are not private, table by
 * table. What it said of a table is kept beside the file at once, so that a second call goes on
 * where the first one ended. Blocking. */
#ifndef SERVER_CLI_SEMANTIC_LEARN_H
#define SERVER_CLI_SEMANTIC_LEARN_H

/* The words behind "askd semantic learn". Returns the exit code. */
int semantic_learn(int argc, char **argv);

#endif
