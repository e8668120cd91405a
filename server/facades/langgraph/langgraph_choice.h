/* SPDX-License-Identifier: MIT */
/* server/facades/langgraph/langgraph_choice.h - which of a thread's runs a client wants listed, and
 * what of each: limit, offset, status and select of the query. */
#ifndef SERVER_FACADES_LANGGRAPH_LANGGRAPH_CHOICE_H
#define SERVER_FACADES_LANGGRAPH_LANGGRAPH_CHOICE_H

#include "proto/json_write.h"
#include "server/http/exchange.h"

struct langgraph_choice {
    struct str status; /* empty: any */
    unsigned members;  /* bits of those that are wanted; 0: all */
    uint64_t limit, offset;
};

/* Read query, views of it or in arena. False: problem says what of it is wrong. */
MUST_USE bool langgraph_choice_read(struct arena *arena, struct str query,
                                    struct langgraph_choice *choice, struct problem *problem);
/* Write the chosen ones of runs, a JSON array of them, newest first, with the chosen members.
 * ERR_NO_MEMORY. */
MUST_USE enum err_code langgraph_choice_write(const struct langgraph_choice *choice,
                                              struct str runs, struct arena *arena,
                                              struct json_write *json);

#endif
