/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_joins.h - "askd joins": paths and plans over a join graph from the command line.
 *
 * One answer in words for people, or one JSON object a line for programs, answered in order and
 * flushed at once. Blocks; a process of its own. */
#ifndef SERVER_CLI_CMD_JOINS_H
#define SERVER_CLI_CMD_JOINS_H

/* argv[0] is "joins". Returns the exit code: 0 it ran (in --jsonl whatever the answers), 1 there
 * is no path, 2 misuse or no graph; the reason is on stderr. */
int cmd_joins(int argc, char **argv);

#endif
