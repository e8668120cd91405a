/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_joins_validate.h - "askd joins validate": the configured model judges doubtful
 * relationships. Private to cmd_joins; blocks. */
#ifndef SERVER_CLI_CMD_JOINS_VALIDATE_H
#define SERVER_CLI_CMD_JOINS_VALIDATE_H

#include "agents/sql/joins/join_graph_review.h"

struct cmd_joins_validate_options {
    double below; /* relationships under this confidence are doubtful */
    /* Keep the graph as it is now: after each batch. False: it cannot be kept, stop. */
    bool (*keep)(void *owner);
    void *owner;
};

/* Judge graph's doubtful relationships; says on stderr how far it is: on a terminal in place, else
 * a JSON line after each batch. ERR_NOT_CONFIGURED: there is no model, or only the offline engine,
 * which judges nothing; else the review's errors. Nothing doubtful: ERR_OK without a model. */
MUST_USE enum err_code cmd_joins_validate(struct join_graph *graph,
                                          const struct cmd_joins_validate_options *options,
                                          struct err *err);

#endif
