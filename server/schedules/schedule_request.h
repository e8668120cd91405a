/* SPDX-License-Identifier: MIT */
/* server/schedules/schedule_request.h - one request about schedules, waiting for the store.
 *
 * A step begins a call and names what comes after it; its failure is the answer. The exchange stays
 * until the answer; when its client leaves, the call in flight comes to its end, and nobody is
 * told. Freed by itself. One loop. */
#ifndef SERVER_SCHEDULES_SCHEDULE_REQUEST_H
#define SERVER_SCHEDULES_SCHEDULE_REQUEST_H

#include "server/http/exchange_wait.h"
#include "server/runs/shard.h"
#include "server/schedules/delivery.h"
#include "server/schedules/schedule.h"
#include "server/schedules/schedule_clock.h"

struct schedule_request;
typedef void schedule_request_fn(struct schedule_request *request);

struct schedule_request {
    struct exchange_wait wait;
    struct shard *shard;
    struct store *store;
    struct arena arena;
    struct identity key; /* who asks */
    struct str schedule_id;
    uint64_t version; /* of the schedule that was read; 0: it is new */
    struct schedule schedule;
    struct schedule_clock clock;
    struct store_call call, read;
    union {
        struct store_put put;
        struct store_jobs jobs;
        struct store_drop drop;
    } ask;
    struct buf bytes;
    unsigned tries;
    bool shows_secret;
    schedule_request_fn *again; /* the step after reading, when it was changed meanwhile; or NULL */
    void *owner;                /* the caller's */
    /* private */
    schedule_request_fn *next;
};

/* Begin, for key, which is copied. NULL: the exchange is answered; there is no store, or no memory.
 */
struct schedule_request *schedule_request_open(struct exchange *exchange,
                                               const struct identity *key);
/* Read the schedule called id, which must be key's; then next. */
void schedule_request_read(struct schedule_request *request, struct str id,
                           schedule_request_fn *next);
/* Begin, and read the schedule of the exchange's path, which must be key's; then next. */
void schedule_request_read_path(struct exchange *exchange, const struct identity *key,
                                schedule_request_fn *next);
/* Read all of key's; then next, with the answer in read. */
void schedule_request_list(struct schedule_request *request, schedule_request_fn *next);
/* Find when request->schedule is due next, put it into the store, then next. A schedule that was
 * changed meanwhile is ERR_CONFLICT. A new one gets its id here. */
void schedule_request_put(struct schedule_request *request, schedule_request_fn *next);
/* Put it as it is, its times untouched. */
void schedule_request_put_as_is(struct schedule_request *request, schedule_request_fn *next);
/* Remove it, and answer 204; a next of reading. */
schedule_request_fn schedule_request_erase;
/* Have the result of the request's run, which has run_key, sent to url; then next. */
void schedule_request_deliver(struct schedule_request *request, struct str run_key, struct str url,
                              schedule_request_fn *next);

/* Free request and return its exchange, for its caller to answer. */
struct exchange *schedule_request_leave(struct schedule_request *request);
void schedule_request_fail(struct schedule_request *request, const struct err *err);
void schedule_request_refuse(struct schedule_request *request, const struct problem *problem);
/* Answer with what out holds, which is freed, and free request. */
void schedule_request_reply(struct schedule_request *request, int status, struct buf *out);

#endif
