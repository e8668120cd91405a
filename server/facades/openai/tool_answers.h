/* SPDX-License-Identifier: MIT */
/* server/facades/openai/tool_answers.h - results of the client's tools at the end of a talk, and
 * what the user says among them: the answer to the run that waits for them. */
#ifndef SERVER_FACADES_OPENAI_TOOL_ANSWERS_H
#define SERVER_FACADES_OPENAI_TOOL_ANSWERS_H

#include "server/facades/facade.h"

/* How a door writes results. */
struct tool_answers_form {
    const struct facade_talk *talk;
    const char *type;    /* a result's "type" or "role" */
    const char *call_id; /* its member with the id of the call */
    const char *content; /* its member with what the tool gave */
};

struct tool_answers {
    struct str run_id; /* that waits; absent: there are no results to go on with */
    struct str answer; /* agents/tools/client.h */
};

/* Read the items behind the last that is neither a result nor said by the user. goes_on: all of
 * them are new; else what is said before the first result is not. False: problem. */
MUST_USE bool tool_answers_read(struct exchange *exchange, const struct json_value *items,
                                const struct tool_answers_form *form, bool goes_on,
                                struct tool_answers *answers, struct problem *problem);

#endif
