/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_semantic.h - askd semantic: a first semantic.json, and what is wrong with one. */
#ifndef SERVER_CLI_CMD_SEMANTIC_H
#define SERVER_CLI_CMD_SEMANTIC_H

/* argv[0] is "semantic". Exit status: 0 fine, 1 mistakes were found, 2 it could not. */
int cmd_semantic(int argc, char **argv);

#endif
