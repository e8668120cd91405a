/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_joins_validate.h - "askd joins validate": the configured model judges doubtful
 * relationships. Private to cmd_joins; blocks. */
#ifndef SERVER_CLI_CMD_JOINS_VALIDATE_H
#define SERVER_CLI_CMD_JOINS_VALIDATE_H

#include "agents/sql/joins/join_graph_review.h"

struct cmd_joins_validate_options {
    double below; /* relationships under this confidence are doubtful */
    /* Called after each batch to save the graph as it is now. False: it cannot be saved, stop. */
    bool (*keep)(void *owner);
    void *owner;
};

/* Judge the doubtful relationships of graph, and say on stderr how far it is: in place on a
 * terminal, else a JSON line after each batch. Without a doubtful one: ERR_OK, even without a
 * model. ERR_NOT_CONFIGURED: there is no model, or only the offline engine, which judges nothing;
 * other errors are those of the review. */
MUST_USE enum err_code cmd_joins_validate(struct join_graph *graph,
                                          const struct cmd_joins_validate_options *options,
                                          struct err *err);

#endif
