/* SPDX-License-Identifier: MIT */
/* server/api/run_body.h - a request's body and headers -> what to run, or the problem with it.
 *
 * Every field has a type and a limit and is named by JSON pointer when it is wrong; unknown options
 * are refused, unknown members elsewhere are not. Views live as long as the exchange. */
#ifndef SERVER_API_RUN_BODY_H
#define SERVER_API_RUN_BODY_H

#include "server/http/exchange.h"
#include "server/runs/runs.h"

struct json_value;

/* The place that Last-Event-ID names: the events of a run after after_id. */
struct run_body_cursor {
    struct str run_id; /* absent: no such header */
    uint64_t after_id;
};

/* The body as one JSON object, in the exchange's arena. NULL: problem. */
const struct json_value *run_body_parse(struct exchange *exchange, struct problem *problem);
/* Read the body of a question: message, conversation, options. default_graph: the graph when no
 * option names one; NULL: match.params[0] names it, and the conversation may be missing. False:
 * problem. */
MUST_USE bool run_body_read(struct exchange *exchange, const char *default_graph,
                            struct runs_request *request, struct problem *problem);
/* Read root, a body, as a question that is to be asked later: its message, company and user, and,
 * as far as they say so, conversation and options (the graph among them: else graph as it is). */
MUST_USE bool run_body_read_later(struct exchange *exchange, const struct json_value *root,
                                  struct runs_request *request, struct problem *problem);
/* Read the body of POST /ask: {"query": text}; a blank query is no problem here. */
MUST_USE bool run_body_read_ask(struct exchange *exchange, struct runs_request *request,
                                struct problem *problem);
/* "<run id>:<n>", or "<n>" when run_id is given. False: problem. */
MUST_USE bool run_body_read_cursor(struct exchange *exchange, struct str run_id,
                                   struct run_body_cursor *cursor, struct problem *problem);
/* Read the header Idempotency-Key, when there is one. False: problem. */
MUST_USE bool run_body_read_key(struct exchange *exchange, struct runs_request *request,
                                struct problem *problem);
/* Set the graph of that name, one that people may ask; false: there is none. */
MUST_USE bool run_body_set_graph(struct exchange *exchange, struct str name,
                                 struct runs_request *request);
/* Set the graph of that name, a tool's, which must be there. */
void run_body_set_tool(struct exchange *exchange, struct str name, struct runs_request *request);

#endif
