/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_health.h - `askd health`: asks a running askd whether it is ready. Blocking. */
#ifndef SERVER_CLI_CMD_HEALTH_H
#define SERVER_CLI_CMD_HEALTH_H

/* argv: the words after "health". Returns the exit code: 0 ready; 1 not, or no answer; 2 misuse; 78
 * configuration. */
int cmd_health(int argc, char **argv);

#endif
