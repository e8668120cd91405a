/* SPDX-License-Identifier: MIT */
/* server/api/conversations/api_fork.c - turns, notes and state of one conversation, saved under
 * another name; then, maybe, a run.
 *
 * Happy path: the turns up to the version are loaded, the state is restored, both are saved,
 * checkpoint by checkpoint, the notes that still hold with the first one. With a checkpoint of a
 * run the version is the one before the run's own turn, and a new run begins where that one was.
 * Failure paths: whatever is not there: 404; the new name is taken: 409; the run cannot begin: its
 * refusal, and the conversation that was made stays. */
#include "server/api/conversations/api_fork.h"

#include "proto/json_write.h"
#include "server/api/api_run.h"
#include "server/api/conversations/conversation_steps.h"
#include "server/records/run_input.h"
#include "server/runs/shard.h"

enum { FORK_BYTES = 1024, LAST_TURNS = 16 };

static void fail(struct conversation_request *request, enum err_code code, const char *text)
{
    struct err err;
    err_set(&err, code, "%s", text);
    conversation_request_fail(request, &err);
}

static void load(struct conversation_request *request, const struct store_load *ask,
                 conversation_request_fn *next)
{
    request->ask.load = *ask;
    op_release(&request->call.op);
    store_load_start(&request->call, request->store, &request->ask.load,
                     conversation_request_waiter(request, next));
}

static void reply(struct conversation_request *request, const char *run_id)
{
    struct json_write json;
    struct buf out;
    buf_init(&out, FORK_BYTES);
    json_write_init(&json, &out);
    json_write_object(&json);
    json_write_member_str(&json, STR("conversation_id"), request->to);
    json_write_member_u64(&json, STR("version"), request->forking.version);
    json_write_member_u64(&json, STR("turns"), request->forking.turn_count);
    if (run_id != NULL)
        json_write_member_str(&json, STR("run_id"), str_of(run_id));
    json_write_object_end(&json);
    conversation_request_reply_buf(request, 201, &out);
}

/* ---- a run that goes on ---- */

static void begin_run(struct conversation_request *request)
{
    const struct stored_run *past = &request->past;
    const struct registry *registry = request->shard->group->registry;
    const struct runs_revival revival = {.past = past, .is_fork = true};
    int place = registry_find(registry, past->run->graph);
    struct runs_entry *entry;
    struct err err = {0};
    if (place < 0) {
        fail(request, ERR_GONE, "there is no such graph any more");
        return;
    }
    struct identity caller = identity_in(&past->run->key, request->to);
    caller.role = request->key.role; /* of who asks now, not of who asked then */
    const struct runs_request asked = {
        .graph = registry_graph(registry, (size_t)place),
        .entry = registry_entry(registry, (size_t)place),
        .pin = request->shard->pin,
        .outlives_readers = true, /* whoever asked reads it next, or later */
        .caller = caller,
        .message = run_input_message(past->run->input),
        .revival = &revival,
    };
    if (api_run_submit(request->wait.exchange, &asked, &entry, &err) == ERR_OK)
        reply(request, run_id(runs_run(entry)));
    else
        conversation_request_fail(request, &err);
}

static void open_new(struct conversation_request *request)
{
    const struct identity key = identity_in(&request->key, request->to);
    conversations_open_start(&request->opening, request->shard->conversations, &key,
                             conversation_request_waiter(request, begin_run));
}

/* ---- from where ---- */

static void on_forked(struct conversation_request *request)
{
    if (request->run_id.len > 0)
        open_new(request);
    else
        reply(request, NULL);
}

static void fork_at_version(struct conversation_request *request)
{
    const struct fork_stored_options options = {request->store, request->key, request->to,
                                                request->version};
    fork_stored_start(&request->forking, &options, conversation_request_waiter(request, on_forked));
}

/* The version before the run's own turn, or the last one when it has none. */
static void find_base(struct conversation_request *request)
{
    const struct store_call *last = &request->call;
    uint64_t base = last->version;
    for (size_t i = 0; i < last->turn_count; i++)
        if (str_equal(last->turns[i].run_id, request->run_id))
            base = last->turns[i].version - 1;
    request->version = base;
    if (base > 0)
        fork_at_version(request);
    else
        open_new(request);
}

static void load_last(struct conversation_request *request)
{
    load(request, &(struct store_load){.key = request->key, .turn_limit = LAST_TURNS}, find_base);
}

static void find_what(struct conversation_request *request)
{
    if (request->call.version > 0)
        fail(request, ERR_CONFLICT, "there is a conversation of that name");
    else if (request->run_id.len > 0)
        conversation_steps_read(request, load_last);
    else
        fork_at_version(request);
}

void api_fork_start(struct conversation_request *request)
{
    struct store_load taken = {.key = request->key, .turn_limit = 1};
    taken.key.conversation_id = request->to;
    if (request->run_id.len > 0 && request->version == 0)
        fail(request, ERR_INVALID, "version: expected one of the run's checkpoints, got none");
    else
        load(request, &taken, find_what);
}
