/* SPDX-License-Identifier: MIT */
/* server/api/client_tools.h - tools that a client has and its model may call: from a request into a
 * run, from a pause of the run to the client, and their results from the client into the run that
 * goes on.
 *
 * A call's id is "RUN:CALL" for clients, so that a result says which run waits for it. One loop. */
#ifndef SERVER_API_CLIENT_TOOLS_H
#define SERVER_API_CLIENT_TOOLS_H

#include "proto/json_value.h"
#include "proto/json_write.h"
#include "server/http/exchange.h"
#include "server/runs/runs.h"

/* Read the tools in list (NULL, null or empty: none), at pointer, for the graph of request. Each is
 * {"name","description","parameters"}, or has these in "function". False: problem; a graph that
 * calls no tools of clients: 501. */
MUST_USE bool client_tools_read(struct exchange *exchange, const struct json_value *list,
                                const char *pointer, struct runs_request *request,
                                struct problem *problem);

/* Whether the tool_choice of root is "none": its tools are not to be read. */
bool client_tools_are_off(const struct json_value *root);
/* Read tool_choice and parallel_tool_calls of root, as OpenAI has them, after the tools. False:
 * problem. */
MUST_USE bool client_tools_read_choice(struct exchange *exchange, const struct json_value *root,
                                       struct runs_request *request, struct problem *problem);

struct client_tools_call {
    struct str id, tool, arguments; /* arguments: JSON */
};
/* Tell each call that a run waits for, by the members of its complete event (or of one of its
 * interrupts, with run_id). Returns how many. */
size_t client_tools_each(struct str members, struct str run_id,
                         void (*each)(void *owner, const struct client_tools_call *call),
                         void *owner);

struct client_tools_results {
    struct str run_id; /* of the run that waits; a view of the first id */
    size_t count;
    /* private */
    struct buf out, said;
    struct json_write json;
};

void client_tools_results_init(struct client_tools_results *results);
/* Add the result of call id. False: the id is none of ours, or of another run. */
MUST_USE bool client_tools_results_add(struct client_tools_results *results, struct str id,
                                       const struct json_value *content, bool is_error);
/* Add what the user says beside the results. */
void client_tools_results_say(struct client_tools_results *results, struct str text);
/* The answer with which the run goes on, in arena; absent: no memory. Ends the use of results but
 * for run_id. */
struct str client_tools_results_end(struct client_tools_results *results, struct arena *arena);

#endif
