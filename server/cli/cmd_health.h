/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_health.h - `askd health`: asks a running askd whether it is ready. Blocking. */
#ifndef SERVER_CLI_CMD_HEALTH_H
#define SERVER_CLI_CMD_HEALTH_H

/* argv: what follows "health". 0: ready; 1: not, or nobody answers; 2: usage; 78: configuration. */
int cmd_health(int argc, char **argv);

#endif
