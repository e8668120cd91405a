/* SPDX-License-Identifier: MIT */
/* server/api/conversations/api_conversations.c - a question to the store each, or a few.
 *
 * Happy path: the request is read, the store asked, its answer written as JSON.
 * Failure paths: not the caller's, or not there: 404; an erasure while a run goes on: 409; a
 * checkpoint that is damaged: 410; no store: 503. */
#include "server/api/conversations/api_conversations.h"

#include "server/api/conversations/api_erase.h"
#include "server/api/conversations/api_fork.h"
#include "server/conversations/conversation_state.h"
#include "server/api/conversations/conversation_steps.h"
#include "server/runs/shard.h"

enum { MAX_ID = 128, STATE_BYTES = 64 * 1024 * 1024 };

/* ---- reading ---- */

static void look_at_next(struct conversation_request *request);

static void reply_list(struct conversation_request *request)
{
    const struct conversation_labels labels =
        conversation_labels_of(&request->loaded, &request->arena);
    struct buf out;
    buf_init(&out, STATE_BYTES);
    conversation_json_list(&request->call, &request->second, request->unsaid, &labels, &out);
    conversation_request_reply_buf(request, 200, &out);
}

/* The user's notes come with any of the user's conversations. */
static void load_labels(struct conversation_request *request)
{
    op_release(&request->loaded.op);
    if (request->call.summary_count == 0) {
        reply_list(request);
        return;
    }
    request->ask.load = (struct store_load){.key = request->key, .turn_limit = 1};
    request->ask.load.key.conversation_id = request->call.summaries[0].conversation_id;
    store_load_start(&request->loaded, request->store, &request->ask.load,
                     conversation_request_waiter(request, reply_list));
}

static void on_looked(struct conversation_request *request)
{
    if (request->loaded.version == 0)
        request->unsaid |= UINT64_C(1) << request->step;
    request->step++;
    look_at_next(request);
}

/* A conversation whose first run waits for a person is in no list of the store's yet. */
static void look_at_next(struct conversation_request *request)
{
    const struct store_call *open = &request->second;
    bool is_first_page = request->before == 0;
    while (is_first_page && request->step < size_min(open->run_count, 64)) {
        if (!conversation_json_is_apart(&request->call, open, request->step)) {
            request->step++;
            continue;
        }
        op_release(&request->loaded.op);
        request->ask.load =
            (struct store_load){.key = open->runs[request->step].key, .turn_limit = 1};
        store_load_start(&request->loaded, request->store, &request->ask.load,
                         conversation_request_waiter(request, on_looked));
        return;
    }
    load_labels(request);
}

static void find_open(struct conversation_request *request)
{
    if (request->shard->wiring->events == NULL) {
        look_at_next(request);
        return;
    }
    request->ask.runs = (struct store_runs){.key = request->key, .only_open = true};
    store_runs_start(&request->second, request->shard->wiring->events, &request->ask.runs,
                     conversation_request_waiter(request, look_at_next));
}

static void reply_found(struct conversation_request *request)
{
    conversation_request_reply_with(request, conversation_json_found);
}

static void search_or_list(struct conversation_request *request)
{
    if (request->search.len > 0) {
        request->ask.search = (struct store_search){request->key, request->search, request->limit};
        store_search_start(&request->call, request->store, &request->ask.search,
                           conversation_request_waiter(request, reply_found));
        return;
    }
    request->ask.list = (struct store_list){request->key, request->before, request->limit};
    store_list_start(&request->call, request->store, &request->ask.list,
                     conversation_request_waiter(request, find_open));
}

void api_conversations_list(struct exchange *exchange)
{
    struct conversation_request *request = conversation_request_open(exchange, false);
    if (request != NULL)
        conversation_request_settle(request, search_or_list);
}

/* Answer with the last turns, and with the run that waits for a person behind them. */
static void reply_history(struct conversation_request *request)
{
    const struct stored_run *past = request->pause.past;
    struct buf out;
    struct err err;
    if (request->call.version == 0 && past == NULL) {
        err_set(&err, ERR_NOT_FOUND, "there is no such conversation");
        conversation_request_fail(request, &err);
        return;
    }
    buf_init(&out, STATE_BYTES);
    conversation_json_history(&request->call, request->key.conversation_id,
                              past == NULL ? NULL : past->run, true,
                              conversation_request_language(request), &out);
    conversation_request_reply_buf(request, 200, &out);
}

static void find_pause(struct conversation_request *request)
{
    if (request->before > 0 || request->version > 0)
        reply_history(request);
    else
        run_pause_start(&request->pause, request->shard, &request->key,
                        conversation_request_waiter(request, reply_history));
}

static void load(struct conversation_request *request)
{
    request->ask.load = (struct store_load){.key = request->key,
                                            .before_turn = request->before,
                                            .turn_limit = request->limit,
                                            .at_version = request->version};
    store_load_start(&request->call, request->store, &request->ask.load,
                     conversation_request_waiter(request, find_pause));
}

void api_conversations_show(struct exchange *exchange)
{
    struct conversation_request *request = conversation_request_open(exchange, true);
    if (request != NULL)
        conversation_request_settle(request, load);
}

static void reply_checkpoints(struct conversation_request *request)
{
    struct buf out;
    buf_init(&out, STATE_BYTES);
    conversation_json_checkpoints(&request->call, &request->second, request->key.conversation_id,
                                  &out);
    conversation_request_reply_buf(request, 200, &out);
}

/* The first page has the run's, too. */
static void add_steps(struct conversation_request *request)
{
    if (request->before > 0)
        reply_checkpoints(request);
    else
        conversation_steps_list(request, reply_checkpoints);
}

static void reply_step(struct conversation_request *request)
{
    const struct stored_run *past = &request->past;
    struct buf out;
    struct err err = {0};
    struct run *run = conversation_steps_open(request->shard, past, past->kept_count, &err);
    if (run == NULL) {
        conversation_request_fail(request, &err);
        return;
    }
    buf_init(&out, STATE_BYTES);
    conversation_state_write_step(&past->checkpoints[past->kept_count - 1], run, &out);
    run_destroy(run);
    conversation_request_reply_buf(request, 200, &out);
}

static void reply_state(struct conversation_request *request)
{
    struct buf out;
    struct err err = {0};
    buf_init(&out, STATE_BYTES);
    if (conversation_state_write(request->shard->group->registry, &request->call, &out, &err) ==
        ERR_OK)
        conversation_request_reply(request, 200, buf_str(&out));
    else
        conversation_request_fail(request, &err);
    buf_fini(&out);
}

static void load_checkpoints(struct conversation_request *request)
{
    if (request->run_id.len > 0) {
        if (request->version > 0)
            conversation_steps_read(request, reply_step);
        else
            conversation_steps_list(request, reply_checkpoints);
        return;
    }
    if (request->version > 0) {
        request->restore = (struct store_restore){request->key, request->version};
        store_restore_start(&request->call, request->store, &request->restore,
                            conversation_request_waiter(request, reply_state));
        return;
    }
    request->ask.checkpoints =
        (struct store_checkpoints){request->key, request->before, request->limit};
    store_checkpoints_start(&request->call, request->store, &request->ask.checkpoints,
                            conversation_request_waiter(request, add_steps));
}

void api_conversations_checkpoints(struct exchange *exchange)
{
    struct conversation_request *request = conversation_request_open(exchange, true);
    if (request != NULL)
        conversation_request_settle(request, load_checkpoints);
}

/* ---- fork ---- */

void api_conversations_fork(struct exchange *exchange)
{
    struct conversation_request *request = conversation_request_open(exchange, true);
    struct err err;
    if (request == NULL)
        return;
    if (request->to.len > 0 && request->to.len <= MAX_ID) {
        conversation_request_settle(request, api_fork_start);
        return;
    }
    err_set(&err, ERR_INVALID, "to: expected the id of a new conversation, 1 to %d bytes", MAX_ID);
    conversation_request_fail(request, &err);
}

/* ---- erase ---- */

void api_conversations_erase(struct exchange *exchange)
{
    struct conversation_request *request = conversation_request_open(exchange, true);
    if (request != NULL)
        api_erase_start(request);
}

void api_conversations_erase_user(struct exchange *exchange)
{
    struct conversation_request *request = conversation_request_open(exchange, false);
    if (request != NULL)
        api_erase_start(request);
}
