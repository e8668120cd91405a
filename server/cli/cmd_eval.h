/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_eval.h - `askd eval`: how well questions with known answers are answered.
 *
 *   askd eval QUESTIONS.jsonl [--db URL] [--model offline] [--json] [--schema NAME] [flags]
 *
 * A line is {"id","question","sql","alt":[...],"difficulty"}: right is what gives the rows of sql
 * or of one of alt; {"expect"} instead of sql: right is an answer without a statement. "after":
 * questions asked before it in the same conversation; "schema": skipped unless --schema says so. */
#ifndef SERVER_CLI_CMD_EVAL_H
#define SERVER_CLI_CMD_EVAL_H

/* argv[0] is the first word behind `eval`. Returns the exit status. */
int cmd_eval(int argc, char **argv);

#endif
