/* SPDX-License-Identifier: MIT */
/* server/api/api_run.h - beginning and rejoining runs, for every path that does. */
#ifndef SERVER_API_API_RUN_H
#define SERVER_API_API_RUN_H

#include "server/http/exchange.h"
#include "server/runs/runs.h"

/* Stream the run that the body asks for. default_graph as for run_body_read. */
void api_run_stream(struct exchange *exchange, const char *default_graph);
/* Run what the body asks for and answer with one JSON object; the graph is the path's. */
void api_run_invoke(struct exchange *exchange);
/* Whether another worker must answer, by conversation or Idempotency-Key; the exchange is on its
 * way there then. */
bool api_run_goes_elsewhere(struct exchange *exchange, const struct runs_request *request);
/* Begin request's run on its worker, or join that of its Idempotency-Key, and answer through the
 * exchange's encoder: streamed, or whole when it is over. Views live as long as the exchange. */
void api_run_begin(struct exchange *exchange, const struct runs_request *request, bool is_stream);
typedef void api_run_answer_fn(struct exchange *exchange, struct runs_entry *entry);
/* Begin request's run, which has no key, or one that nobody else has, and call answer once it is
 * known that the run may begin. The conversation is open on this worker. */
void api_run_begin_alone(struct exchange *exchange, const struct runs_request *request,
                         api_run_answer_fn *answer);
/* Whether the events after after_id are in memory. */
bool api_run_has(struct runs_entry *entry, uint64_t after_id);
/* Stream entry after after_id, or 204 when nothing can follow. */
void api_run_rejoin(struct exchange *exchange, struct runs_entry *entry, uint64_t after_id);
/* runs_submit, with the exchange's trace and request id. ERR_UNAVAILABLE, too: this server is still
 * starting. */
MUST_USE enum err_code api_run_submit(struct exchange *exchange, const struct runs_request *request,
                                      struct runs_entry **entry, struct err *err);

#endif
