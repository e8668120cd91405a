/* SPDX-License-Identifier: MIT */
/* server/cli/docs/cmd_docs.h - "askd docs": documents added, listed, removed and searched.
 *
 * Blocks; a process of its own, beside a server or without one. */
#ifndef SERVER_CLI_DOCS_CMD_DOCS_H
#define SERVER_CLI_DOCS_CMD_DOCS_H

/* argv[0] is "docs". Returns the exit code: 0 fine, 1 something went wrong (said on stderr, or on
 * its document's line), 2 misuse, 78 configuration. */
int cmd_docs(int argc, char **argv);

#endif
