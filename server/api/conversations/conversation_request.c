/* SPDX-License-Identifier: MIT */
/* server/api/conversations/conversation_request.c - read, wait, answer.
 *
 * Happy path: path and query are copied, calls to the store follow one another, and the function
 * after the last one answers. Failure paths: a caller that is not named, a number that is none:
 * 400; the store's failure: its status; the client left: the call in flight is let come to its end,
 * nobody is told. */
#include "server/api/conversations/conversation_request.h"

#include "core/base/mem.h"
#include "proto/url.h"
#include "server/api/caller.h"
#include "server/runs/shard.h"

enum { ARENA_BYTES = 256 * 1024, ANSWER_BYTES = 64 * 1024 * 1024, MAX_ID = 128 };

static void destroy(struct conversation_request *request)
{
    op_release(&request->call.op);
    op_release(&request->loaded.op);
    op_release(&request->second.op);
    op_release(&request->settling.op);
    op_release(&request->pause.op);
    op_release(&request->past.op);
    op_release(&request->finding.op);
    op_release(&request->forking.op);
    op_release(&request->opening.op);
    arena_fini(&request->arena);
    mem_free(request);
}

/* ---- reading ---- */

static bool take_param(struct conversation_request *request, const char *name, struct str *value,
                       struct err *err)
{
    struct str query = request->wait.exchange->request->query, found = {NULL, 0};
    if (!str_is_absent(query) &&
        url_find_param(&request->wait.exchange->arena, query, str_of(name), &found, err) != ERR_OK)
        return false;
    *value = arena_str(&request->arena, found);
    return true;
}

static bool check_id(struct str value, const char *name, struct err *err)
{
    return (value.len > 0 && value.len <= MAX_ID) ||
           err_set(err, ERR_INVALID, "%s: expected 1 to %d bytes", name, MAX_ID) == ERR_OK;
}

/* Who asks, by the query, headers and the key or token. */
static bool take_caller(struct conversation_request *request, struct err *err)
{
    struct identity caller = {0};
    if (!take_param(request, "company_id", &caller.company_id, err) ||
        !take_param(request, "user_id", &caller.user_id, err) ||
        caller_settle(request->wait.exchange, &caller, err) != ERR_OK)
        return false;
    request->key = identity_copy(&request->arena, &caller);
    return check_id(caller.company_id, "company_id", err) &&
           check_id(caller.user_id, "user_id", err);
}

static bool take_number(struct conversation_request *request, const char *name, uint64_t *value,
                        struct err *err)
{
    struct str text;
    if (!take_param(request, name, &text, err))
        return false;
    if (str_is_absent(text) || (str_to_u64(text, value) && *value > 0 && *value <= INT64_MAX))
        return true;
    err_set(err, ERR_INVALID, "%s: expected a number from 1 on", name);
    return false;
}

static bool take_path(struct conversation_request *request, struct err *err)
{
    struct exchange *exchange = request->wait.exchange;
    struct str id;
    if (url_decode(&exchange->arena, exchange->match.params[0], &id, err) != ERR_OK)
        return false;
    request->key.conversation_id = arena_str(&request->arena, id);
    if (id.len <= MAX_ID)
        return true;
    err_set(err, ERR_INVALID, "the conversation: expected 1 to %d bytes", MAX_ID);
    return false;
}

static bool read_query(struct conversation_request *request, bool is_one, struct err *err)
{
    return take_caller(request, err) && take_param(request, "search", &request->search, err) &&
           take_param(request, "to", &request->to, err) &&
           take_param(request, "run_id", &request->run_id, err) &&
           take_number(request, "limit", &request->limit, err) &&
           take_number(request, "before", &request->before, err) &&
           take_number(request, "version", &request->version, err) &&
           (!is_one || take_path(request, err));
}

static void on_gone(struct exchange_wait *wait)
{
    struct conversation_request *request = container_of(wait, struct conversation_request, wait);
    op_cancel(&request->call.op);
    op_cancel(&request->loaded.op);
    op_cancel(&request->second.op);
    op_cancel(&request->settling.op);
    op_cancel(&request->pause.op);
    op_cancel(&request->past.op);
    op_cancel(&request->opening.op);
    op_cancel(&request->finding.op);
}

static void refuse(struct exchange *exchange, const struct err *err)
{
    struct problem problem;
    if (err->code != ERR_INVALID) {
        exchange_fail(exchange, err);
        return;
    }
    problem_set(&problem, 400, "invalid_request", "%s", err->text);
    exchange_problem(exchange, &problem);
}

/* NULL: answered. */
static struct conversation_request *make(struct exchange *exchange)
{
    struct conversation_request *request = mem_zalloc(1, sizeof *request);
    struct err err;
    if (request == NULL) {
        err_set(&err, ERR_NO_MEMORY, "no memory for another request");
        exchange_fail(exchange, &err);
        return NULL;
    }
    arena_init(&request->arena, ARENA_BYTES);
    exchange_wait_begin(&request->wait, exchange, on_gone);
    request->shard = exchange->shard;
    request->store = conversations_store(exchange->shard->conversations);
    return request;
}

/* fine: it was read, else err says why not. */
static struct conversation_request *settle(struct conversation_request *request, bool fine,
                                           struct err *err)
{
    struct shard *shard = request->shard;
    if (fine && !arena_ok(&request->arena))
        fine = err_set(err, ERR_NO_MEMORY, "no memory for another request") == ERR_OK;
    if (fine && request->store == NULL)
        fine = err_set(err, ERR_NOT_CONFIGURED,
                       "conversations are kept in memory only: set ASKD_CHECKPOINT_URL") == ERR_OK;
    bool begins = request->to.len > 0 && request->run_id.len > 0;
    size_t home = shard_of_conversation(shard, begins ? request->to : request->key.conversation_id);
    if (fine && home == shard->index)
        return request;
    struct exchange *exchange = conversation_request_leave(request);
    if (fine)
        exchange_hand_over(exchange, home);
    else
        refuse(exchange, err);
    return NULL;
}

struct conversation_request *conversation_request_open(struct exchange *exchange, bool is_one)
{
    struct conversation_request *request = make(exchange);
    struct err err = {0};
    return request == NULL ? NULL : settle(request, read_query(request, is_one, &err), &err);
}

struct conversation_request *conversation_request_open_for(struct exchange *exchange,
                                                           const struct identity *key)
{
    struct conversation_request *request = make(exchange);
    struct err err = {0};
    if (request == NULL)
        return NULL;
    request->key = identity_copy(&request->arena, key);
    return settle(request, true, &err);
}

/* ---- answering ---- */

struct exchange *conversation_request_leave(struct conversation_request *request)
{
    struct exchange *exchange = exchange_wait_take(&request->wait);
    destroy(request);
    return exchange;
}

void conversation_request_reply(struct conversation_request *request, int status, struct str body)
{
    exchange_reply(exchange_wait_take(&request->wait), status, "application/json", body);
    destroy(request);
}

void conversation_request_fail(struct conversation_request *request, const struct err *err)
{
    if (err->code == ERR_INVALID)
        refuse(exchange_wait_take(&request->wait), err);
    else
        exchange_fail_stored(exchange_wait_take(&request->wait), err);
    destroy(request);
}

void conversation_request_reply_buf(struct conversation_request *request, int status,
                                    struct buf *out)
{
    struct err err;
    if (buf_ok(out)) {
        conversation_request_reply(request, status, buf_str(out));
    } else {
        err_set(&err, ERR_TOO_LARGE, "the answer is too large: ask for less, with limit");
        conversation_request_fail(request, &err);
    }
    buf_fini(out);
}

void conversation_request_reply_with(struct conversation_request *request,
                                     conversation_json_fn *write)
{
    struct buf out;
    buf_init(&out, ANSWER_BYTES);
    write(&request->call, request->key.conversation_id, &out);
    conversation_request_reply_buf(request, 200, &out);
}

static void on_done(struct op *op)
{
    struct conversation_request *request = op_owner(op);
    struct err err = op->err;
    if (request->wait.exchange == NULL)
        destroy(request);
    else if (err.code == ERR_OK)
        request->next(request);
    else
        conversation_request_fail(request, &err);
}

enum language conversation_request_language(const struct conversation_request *request)
{
    return request->wait.exchange == NULL ? LANGUAGE_EN : request->wait.exchange->language;
}

struct op_waiter conversation_request_waiter(struct conversation_request *request,
                                             conversation_request_fn *next)
{
    request->next = next;
    return (struct op_waiter){.done = on_done, .owner = request};
}

void conversation_request_settle(struct conversation_request *request,
                                 conversation_request_fn *next)
{
    conversations_settle_start(&request->settling, request->shard->conversations, &request->key,
                               conversation_request_waiter(request, next));
}
