/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_ask.h - `askd ask`: the real graph on a loop of its own, without HTTP. */
#ifndef SERVER_CLI_CMD_ASK_H
#define SERVER_CLI_CMD_ASK_H

/* argv after "ask". The process's exit status. */
int cmd_ask(int argc, char **argv);

#endif
