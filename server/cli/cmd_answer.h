/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_answer.h - the shared part of commands that ask questions: the graph they open,
 * and what they read from an answer (its statement, or why there is none). */
#ifndef SERVER_CLI_CMD_ANSWER_H
#define SERVER_CLI_CMD_ANSWER_H

#include "proto/json_value.h"
#include "server/cli/local_engine.h"

struct cmd_answer_said {              /* its texts are in the arena of cmd_answer_read, or the
                                         answer's */
    const struct json_value *members; /* of the complete or error event; NULL: no memory */
    const struct json_value *sql;     /* a text that is not empty; NULL: there is none */
    struct str why;                   /* why there is no statement; the answer's text where no
                                         member says so */
};

enum { CMD_ANSWER_EXIT_MISUSE = 64 }; /* what was asked for would not be what is done */

/* *company is the one that is asked for (NULL or "": none), and becomes the one whose rows are
 * read: ASKD_PAGE_COMPANY_ID where rows belong to companies and none is asked for. False: told on
 * stderr; a company that no rows are filtered by would be answered from everybody's, and nobody
 * from no row. */
MUST_USE bool cmd_answer_company(const char **company, const struct config *config);
/* local_engine_open on the graph of that name; NULL: the orchestrator. */
struct local_engine *cmd_answer_open(const struct config *config, const char *graph,
                                     struct err *err);
void cmd_answer_read(const struct local_engine_answer *answer, struct arena *arena,
                     struct cmd_answer_said *said);

#endif
