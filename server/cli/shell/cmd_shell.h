/* SPDX-License-Identifier: MIT */
/* server/cli/shell/cmd_shell.h - askd shell, which is also askd alone in a terminal: one question
 * after another, in one conversation. Blocks. */
#ifndef SERVER_CLI_SHELL_CMD_SHELL_H
#define SERVER_CLI_SHELL_CMD_SHELL_H

/* argv: the switches of ask that say who asks, flags of the configuration. Exit code: 0 left by the
 * person or the end of input; 1 it could not begin; 2 usage; 64 --company without
 * ASKD_TENANT_COLUMN; 78 configuration. */
int cmd_shell(int argc, char **argv);

#endif
