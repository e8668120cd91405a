/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_ask.h - `askd ask`: asks the graph that the server uses, on a loop of its own,
 * without HTTP. */
#ifndef SERVER_CLI_CMD_ASK_H
#define SERVER_CLI_CMD_ASK_H

/* argv: the words after "ask". Returns the exit code of the process. */
int cmd_ask(int argc, char **argv);

#endif
