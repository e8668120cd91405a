/* SPDX-License-Identifier: MIT */
/* server/facades/langgraph/langgraph_threads.c - a question to the store each, once what was said
 * last is with it.
 *
 * Happy path: the caller and the thread are read, runs that just ended are waited for until the
 * store has them, the store is asked, its answer written. A new thread is a conversation without
 * turns, whose metadata are a note.
 * Failure paths: somebody else's thread, or none: 404; one that is there already, or busy: 409; no
 * store: 503; what is not built: 501. */
#include "server/facades/langgraph/langgraph_threads.h"

#include "proto/url.h"
#include "server/api/conversations/api_erase.h"
#include "server/facades/facade.h"
#include "server/facades/langgraph/langgraph_body.h"
#include "server/facades/langgraph/langgraph_json.h"
#include "server/api/run_body.h"
#include "server/runs/shard.h"

enum { ANSWER_BYTES = 64 * 1024 * 1024, ID_BYTES = 128 };
enum { HISTORY = 10, MOST_STATES = 100 };

#define METADATA_NOTE "langgraph.metadata"
#define NO_CHECKPOINT "there is no such checkpoint"

static void refuse(struct exchange *exchange, int status, const char *code, const char *text)
{
    struct problem problem;
    problem_set(&problem, status, code, "%s", text);
    exchange_problem(exchange, &problem);
}

struct conversation_request *langgraph_threads_open(struct exchange *exchange, struct str thread_id)
{
    struct identity caller = {.user_id = {NULL, 0}};
    struct problem problem;
    struct err err;
    if (str_is_absent(thread_id) &&
        url_decode(&exchange->arena, exchange->match.params[0], &thread_id, &err) != ERR_OK) {
        refuse(exchange, 400, "invalid_request", err.text);
        return NULL;
    }
    if (thread_id.len > ID_BYTES) {
        refuse(exchange, 422, "invalid_request", "the thread: expected 1 to 128 bytes");
        return NULL;
    }
    if (!facade_read_caller(exchange, &(struct identity){.user_id = {NULL, 0}}, &caller,
                            &problem)) {
        exchange_problem(exchange, &problem);
        return NULL;
    }
    const struct identity key = identity_in(&caller, thread_id);
    return conversation_request_open_for(exchange, &key);
}

static void fail(struct conversation_request *request, enum err_code code, const char *text)
{
    struct err err;
    err_set(&err, code, "%s", text);
    conversation_request_fail(request, &err);
}

/* ---- what the store has of a thread ---- */

struct str langgraph_threads_metadata(const struct store_call *call)
{
    for (size_t i = 0; i < call->note_count; i++)
        if (str_equal(call->notes[i].name, STR(METADATA_NOTE)))
            return call->notes[i].bytes;
    return (struct str){NULL, 0};
}

static struct langgraph_thread thread_of(const struct conversation_request *request)
{
    const struct store_call *call = &request->call;
    uint64_t now_ms = loop_wall_ms(request->shard->loop);
    struct langgraph_thread thread = {
        .thread_id = request->key.conversation_id,
        .began_ms = now_ms,
        .changed_ms = now_ms,
        .is_busy = runs_find_conversation(request->shard->runs, &request->key) != NULL,
        .turns = call->turns,
        .turn_count = call->turn_count,
        .waits = request->pause.past != NULL,
        .paused = request->pause.past,
    };
    if (call->turn_count > 0) {
        thread.began_ms = call->turns[0].time_ms;
        thread.changed_ms = call->turns[call->turn_count - 1].time_ms;
    }
    thread.metadata = langgraph_threads_metadata(call);
    return thread;
}

static void load(struct conversation_request *request)
{
    request->ask.load = (struct store_load){.key = request->key, .at_version = request->version};
    store_load_start(&request->call, request->store, &request->ask.load,
                     conversation_request_waiter(request, request->loaded_next));
}

/* Load it once nothing of it is on its way to the store; then next, if it is there. */
static void settle(struct conversation_request *request, conversation_request_fn *next)
{
    request->loaded_next = next;
    conversation_request_settle(request, load);
}

static bool is_there(struct conversation_request *request)
{
    if (request->call.version > 0 && (request->version == 0 || request->call.turn_count > 0))
        return true;
    fail(request, ERR_NOT_FOUND, request->version == 0 ? "there is no such thread" : NO_CHECKPOINT);
    return false;
}

static void find_pause(struct conversation_request *request)
{
    if (is_there(request))
        run_pause_start(&request->pause, request->shard, &request->key,
                        conversation_request_waiter(request, request->paused_next));
}

/* Load the thread as settle does, and find what its run waits for; then next. */
static void settle_paused(struct conversation_request *request, conversation_request_fn *next)
{
    request->paused_next = next;
    settle(request, find_pause);
}

static void show(struct conversation_request *request)
{
    struct json_write json;
    struct buf out;
    const struct langgraph_thread thread = thread_of(request);
    buf_init(&out, ANSWER_BYTES);
    json_write_init(&json, &out);
    langgraph_json_thread(&thread, &json, &out);
    conversation_request_reply_buf(request, 200, &out);
}

void langgraph_threads_show(struct exchange *exchange)
{
    struct conversation_request *request = langgraph_threads_open(exchange, (struct str){NULL, 0});
    if (request != NULL)
        settle_paused(request, show);
}

/* Show a thread's state; request->to: the run that waits there, if not just the last state is
 * meant. */
static void show_state(struct conversation_request *request)
{
    struct json_write json;
    struct buf out;
    const struct langgraph_thread thread = thread_of(request);
    if (request->to.len > 0 &&
        (thread.paused == NULL || !str_equal(thread.paused->run->run_id, request->to))) {
        fail(request, ERR_NOT_FOUND, NO_CHECKPOINT);
        return;
    }
    buf_init(&out, ANSWER_BYTES);
    json_write_init(&json, &out);
    langgraph_json_state(&thread, langgraph_json_count_states(&thread), &json, &out);
    conversation_request_reply_buf(request, 200, &out);
}

/* The last turn up to the version is that of the checkpoint, or there is none. */
static void show_earlier(struct conversation_request *request)
{
    const struct store_call *call = &request->call;
    if (!is_there(request))
        return;
    if (call->turns[call->turn_count - 1].version == request->version)
        show_state(request);
    else
        fail(request, ERR_NOT_FOUND, NO_CHECKPOINT);
}

void langgraph_threads_state(struct exchange *exchange)
{
    struct conversation_request *request = langgraph_threads_open(exchange, (struct str){NULL, 0});
    if (request != NULL)
        settle_paused(request, show_state);
}

/* Show the thread's state at a checkpoint. */
static void begin_state_at(struct exchange *exchange, struct str checkpoint)
{
    uint64_t version = 0;
    unsigned worker;
    bool is_run = id_run_worker(checkpoint, &worker);
    if (!is_run && (!str_to_u64(checkpoint, &version) || version == 0 || version > INT64_MAX)) {
        refuse(exchange, 404, "not_found", NO_CHECKPOINT);
        return;
    }
    struct conversation_request *request = langgraph_threads_open(exchange, (struct str){NULL, 0});
    if (request == NULL)
        return;
    request->version = version;
    request->to = is_run ? arena_str(&request->arena, checkpoint) : STR("");
    if (is_run)
        settle_paused(request, show_state);
    else
        settle(request, show_earlier);
}

void langgraph_threads_state_at(struct exchange *exchange)
{
    begin_state_at(exchange, exchange->match.params[1]);
}

void langgraph_threads_state_of(struct exchange *exchange)
{
    static const struct facade_field fields[] = {
        {"checkpoint", FACADE_OBJECT},
        {"subgraphs", FACADE_BOOL}, /* no task has a state of its own */
        {"select", FACADE_ARRAY, "a part of a state is"},
    };
    struct problem problem;
    struct str checkpoint;
    const struct json_value *root = run_body_parse(exchange, &problem);
    if (root == NULL || !facade_check(root, "", fields, countof(fields), &problem) ||
        !langgraph_body_checkpoint(root, &checkpoint, &problem))
        exchange_problem(exchange, &problem);
    else if (str_is_absent(checkpoint))
        langgraph_threads_state(exchange);
    else
        begin_state_at(exchange, checkpoint);
}

/* ---- history ---- */

/* Newest first. */
static void show_history(struct conversation_request *request)
{
    struct json_write json;
    struct buf out;
    const struct langgraph_thread thread = thread_of(request);
    size_t states = langgraph_json_count_states(&thread);
    size_t left = size_min((size_t)request->limit, states);
    buf_init(&out, ANSWER_BYTES);
    json_write_init(&json, &out);
    json_write_array(&json);
    for (size_t count = states; left > 0; count--, left--)
        langgraph_json_state(&thread, count, &json, &out);
    json_write_array_end(&json);
    conversation_request_reply_buf(request, 200, &out);
}

/* An optional member from 1 (or 0) to most. */
bool langgraph_threads_number(const struct json_value *root, const char *pointer, uint64_t most,
                              uint64_t *value, struct problem *problem)
{
    int64_t number;
    struct err err = {0};
    enum err_code code = json_value_i64(root, pointer, &number, &err);
    if (code == ERR_NOT_FOUND)
        return true;
    if (code != ERR_OK || number < 0 || (uint64_t)number > most)
        return problem_field(problem, pointer, "%s: expected a number up to %llu", pointer,
                             (unsigned long long)most);
    *value = (uint64_t)number;
    return true;
}

void langgraph_threads_history(struct exchange *exchange)
{
    static const struct facade_field fields[] = {
        {"limit", FACADE_INTEGER},
        {"before", FACADE_STRING | FACADE_OBJECT, "a history before a checkpoint is"},
        {"metadata", FACADE_OBJECT, "a history by metadata is"},
        {"checkpoint", FACADE_OBJECT},
    };
    struct problem problem;
    struct str checkpoint;
    uint64_t limit = HISTORY;
    const struct json_value *root = run_body_parse(exchange, &problem);
    if (root == NULL || !facade_check(root, "", fields, countof(fields), &problem) ||
        !langgraph_body_checkpoint(root, &checkpoint, &problem) ||
        (!str_is_absent(checkpoint) &&
         !problem_unsupported(&problem, "/checkpoint", "a history up to a checkpoint is")) ||
        !langgraph_threads_number(root, "/limit", MOST_STATES, &limit, &problem)) {
        exchange_problem(exchange, &problem);
        return;
    }
    struct conversation_request *request = langgraph_threads_open(exchange, (struct str){NULL, 0});
    if (request == NULL)
        return;
    request->limit = limit;
    settle_paused(request, show_history);
}

/* ---- new threads ---- */

static void show_made(struct conversation_request *request)
{
    struct json_write json;
    struct buf out;
    const struct langgraph_thread thread = {.thread_id = request->key.conversation_id,
                                            .metadata = request->search,
                                            .began_ms = loop_wall_ms(request->shard->loop),
                                            .changed_ms = loop_wall_ms(request->shard->loop)};
    buf_init(&out, ANSWER_BYTES);
    json_write_init(&json, &out);
    langgraph_json_thread(&thread, &json, &out);
    conversation_request_reply_buf(request, 200, &out);
}

/* to: what to do with one that is there. */
static void make_new(struct conversation_request *request)
{
    if (request->call.version > 0) {
        request->paused_next = show;
        if (str_equal(request->to, STR("do_nothing")))
            find_pause(request);
        else
            fail(request, ERR_CONFLICT, "there is such a thread already");
        return;
    }
    struct store_note *note = arena_alloc(&request->arena, sizeof *note);
    if (note == NULL) {
        fail(request, ERR_NO_MEMORY, "no memory for another request");
        return;
    }
    *note = (struct store_note){STR(METADATA_NOTE), request->search};
    request->save = (struct store_save){.key = request->key,
                                        .checkpoint = {.is_full = true, .bytes = STR("")},
                                        .notes = note,
                                        .note_count = 1};
    request->save.checkpoint.run_id = STR("");
    store_save_start(&request->second, request->store, &request->save,
                     conversation_request_waiter(request, show_made));
}

/* Metadata as they are written, in the exchange's arena. */
static bool read_metadata(struct exchange *exchange, const struct json_value *root,
                          struct str *text, struct problem *problem)
{
    const struct json_value *metadata = json_value_member(root, STR("metadata"));
    *text = STR("{}");
    if (metadata == NULL || metadata->type != JSON_OBJECT)
        return true;
    *text = json_value_text(metadata, &exchange->arena, LANGGRAPH_METADATA_BYTES);
    return !str_is_absent(*text) ||
           problem_field(problem, "/metadata", "/metadata: expected at most %d bytes",
                         LANGGRAPH_METADATA_BYTES);
}

void langgraph_threads_create(struct exchange *exchange)
{
    static const struct facade_field fields[] = {
        {"thread_id", FACADE_STRING},
        {"metadata", FACADE_OBJECT},
        {"if_exists", FACADE_STRING},
        {"supersteps", FACADE_ARRAY, "threads that begin with a state are"},
        {"ttl", FACADE_NUMBER | FACADE_OBJECT, "a thread's own lifetime is"},
    };
    struct problem problem;
    struct str thread_id = {NULL, 0}, if_exists, metadata;
    struct id made = id_random();
    const struct json_value *root = run_body_parse(exchange, &problem);
    if (root == NULL || !facade_check(root, "", fields, countof(fields), &problem) ||
        !facade_read_str(root, "/thread_id", &thread_id, &problem) ||
        !facade_read_str(root, "/if_exists", &if_exists, &problem) ||
        !read_metadata(exchange, root, &metadata, &problem)) {
        exchange_problem(exchange, &problem);
        return;
    }
    struct conversation_request *request =
        langgraph_threads_open(exchange, thread_id.len > 0 ? thread_id : str_of(made.text));
    if (request == NULL)
        return;
    request->search = arena_str(&request->arena, metadata);
    request->to = arena_str(&request->arena, if_exists);
    settle(request, make_new);
}

/* ---- copies ---- */

static void show_copy(struct conversation_request *request)
{
    request->key.conversation_id = request->to;
    op_release(&request->call.op);
    settle_paused(request, show);
}

static void copy(struct conversation_request *request)
{
    if (!is_there(request))
        return;
    const struct fork_stored_options options = {request->store, request->key, request->to, 0};
    fork_stored_start(&request->forking, &options, conversation_request_waiter(request, show_copy));
}

void langgraph_threads_copy(struct exchange *exchange)
{
    struct problem problem;
    struct id made = id_random();
    if (exchange->request->body.len > 0) { /* the clients send none */
        const struct json_value *root = run_body_parse(exchange, &problem);
        if (root == NULL || !facade_check(root, "", NULL, 0, &problem)) {
            exchange_problem(exchange, &problem);
            return;
        }
    }
    struct conversation_request *request = langgraph_threads_open(exchange, (struct str){NULL, 0});
    if (request == NULL)
        return;
    request->to = arena_str(&request->arena, str_of(made.text));
    settle(request, copy);
}

/* ---- the end ---- */

void langgraph_threads_erase(struct exchange *exchange)
{
    struct conversation_request *request = langgraph_threads_open(exchange, (struct str){NULL, 0});
    if (request != NULL)
        api_erase_start(request);
}
