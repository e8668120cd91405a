/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_graph.h - the command that checks, draws and runs graphs. */
#ifndef SERVER_CLI_CMD_GRAPH_H
#define SERVER_CLI_CMD_GRAPH_H

/* argv begins with "graph". Returns the exit status. */
int cmd_graph(int argc, char **argv);

#endif
