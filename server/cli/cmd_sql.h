/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_sql.h - "askd sql check": the SQL guard from the command line.
 *
 * One statement in words for people, or one JSON object a line for programs, answered in order and
 * flushed at once. Blocks; a process of its own. */
#ifndef SERVER_CLI_CMD_SQL_H
#define SERVER_CLI_CMD_SQL_H

/* argv[0] is "sql". Returns the exit code: 0 ran (whatever the verdicts), 2 misuse or nothing to
 * check against; the reason is on stderr. */
int cmd_sql(int argc, char **argv);

#endif
