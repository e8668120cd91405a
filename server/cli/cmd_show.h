/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_show.h - an answer for people on a terminal: what is being done while it is made,
 * its text as it comes, its rows as a table, what may be wrong about it, its statement.
 *
 * The answer goes to standard output; progress, statement and failures go to standard error.
 * Colour and progress are for terminals only (NO_COLOR and TERM=dumb are heeded). One thread. */
#ifndef SERVER_CLI_CMD_SHOW_H
#define SERVER_CLI_CMD_SHOW_H

#include "server/cli/cmd_answer.h"

/* Run question and show what is being done meanwhile; with_text: its text, too, as it comes. False:
 * it could not be asked, which stderr is told. */
MUST_USE bool cmd_show_run(struct local_engine *engine,
                           const struct local_engine_question *question, bool with_text,
                           struct local_engine_answer *answer);
/* Whether the run failed, which stderr is told then. */
bool cmd_show_failure(const struct local_engine_answer *answer);
/* The rows of an answer as a table; nothing where it has none. */
void cmd_show_rows(const struct cmd_answer_said *said);
/* What may be wrong about the answer, a line for each warning, to the descriptor. */
void cmd_show_warnings(const struct cmd_answer_said *said, int fd);
/* The statement and what it took, on standard error. */
void cmd_show_foot(const struct local_engine_answer *answer, const struct cmd_answer_said *said);
/* Write all of text to standard output; a text that its buffer had no room for is told of. */
void cmd_show_print(const struct buf *text);
/* Whether what goes to this descriptor may be coloured: https://no-color.org. */
bool cmd_show_is_colored(int fd);

#endif
