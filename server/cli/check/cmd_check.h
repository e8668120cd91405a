/* SPDX-License-Identifier: MIT */
/* server/cli/check/cmd_check.h - askd check: whether what is configured answers, tried once and
 * told on one screen. Blocks. */
#ifndef SERVER_CLI_CHECK_CMD_CHECK_H
#define SERVER_CLI_CHECK_CMD_CHECK_H

#include "server/config/config.h"

/* argv: flags of the configuration. Exit code: 0 all that is configured answers; 1 something does
 * not; 2 usage; 78 the configuration is wrong. */
int cmd_check(int argc, char **argv);
/* The same for a configuration that is right, which it adopts: 0, 1, or 78 for one that only the
 * backends find wrong. */
int cmd_check_config(struct config *config);

#endif
