/* SPDX-License-Identifier: MIT */
/* server/cmd_asking.h - what commands that ask have in common: the graph they open, and what a
 * program wants of an answer: its statement, or why there is none. */
#ifndef SERVER_CMD_ASKING_H
#define SERVER_CMD_ASKING_H

#include "proto/json_value.h"
#include "server/asking.h"

struct cmd_asking_said {              /* in the arena it was read into, or the answer's */
    const struct json_value *members; /* of complete or error; NULL: no memory */
    const struct json_value *sql;     /* a text that is not empty; NULL: there is none */
    struct str why;                   /* there is none; the answer's text where nothing says so */
};

/* asking_open on the graph of that name; NULL: the orchestrator. */
struct asking *cmd_asking_open(const struct config *config, const char *graph, struct err *err);
void cmd_asking_read(const struct asking_answer *answer, struct arena *arena,
                     struct cmd_asking_said *said);

#endif
