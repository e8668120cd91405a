/* SPDX-License-Identifier: MIT */
/* server/cli/semantic/cmd_semantic.h - `askd semantic`: writes a first semantic.json, and checks an
 * existing one. */
#ifndef SERVER_CLI_SEMANTIC_CMD_SEMANTIC_H
#define SERVER_CLI_SEMANTIC_CMD_SEMANTIC_H

/* argv[0] is "semantic". Returns the exit code: 0 fine, 1 mistakes were found, 2 the command could
 * not do it. */
int cmd_semantic(int argc, char **argv);

#endif
