/* SPDX-License-Identifier: MIT */
/* server/facades/langgraph/langgraph_search.c - the caller's list, narrowed.
 *
 * Happy path: the list and the runs that are open are read; where metadata are asked for, the
 * threads are read one after the other, the last changed first, until there are as many as are
 * wanted. Failure: what a list cannot be narrowed by: 501; the store's failure: its status. */
#include "server/facades/langgraph/langgraph_search.h"

#include "server/facades/facade.h"
#include "server/facades/langgraph/langgraph_json.h"
#include "server/facades/langgraph/langgraph_threads.h"
#include "server/api/run_body.h"
#include "server/runs/shard.h"

enum { ANSWER_BYTES = 64 * 1024 * 1024, WANTED_BYTES = 64 * 1024, SEARCHED = 10 };
enum { JUDGE_BYTES = 1 << 20 }; /* of one thread's metadata and what is wanted, as values */

struct found {
    size_t summary;
    struct str metadata; /* absent: not read */
};

struct search {                              /* request->owner, in its arena */
    const struct json_value *metadata, *ids; /* NULL: any */
    struct str status;                       /* absent: any */
    size_t at;                               /* of the summaries: the one that is looked at */
    uint64_t skipped;
    struct found *found;
    size_t found_count;
};

static bool has_paused(const struct store_call *open, struct str conversation_id)
{
    for (size_t i = 0; i < open->run_count; i++)
        if (open->runs[i].status == STORE_PAUSED &&
            str_equal(open->runs[i].key.conversation_id, conversation_id))
            return true;
    return false;
}

/* What a list tells of a thread: what it holds and asks is not read for that. */
static struct langgraph_thread thread_of(const struct conversation_request *request, size_t i)
{
    const struct store_summary *summary = &request->call.summaries[i];
    const struct identity key = identity_in(&request->key, summary->conversation_id);
    return (struct langgraph_thread){
        .thread_id = summary->conversation_id,
        .began_ms = summary->began_ms,
        .changed_ms = summary->changed_ms,
        .is_busy = runs_find_conversation(request->shard->runs, &key) != NULL,
        .waits = has_paused(&request->second, summary->conversation_id)};
}

/* Whether the list alone has nothing against the thread. */
static bool fits(const struct search *search, const struct langgraph_thread *thread)
{
    bool is_listed = search->ids == NULL;
    for (const struct json_value *id = is_listed ? NULL : search->ids->first; id != NULL;
         id = id->next)
        is_listed =
            is_listed || (id->type == JSON_STRING && str_equal(id->text, thread->thread_id));
    return is_listed && (str_is_absent(search->status) ||
                         str_equal(search->status, langgraph_json_status(thread)));
}

static void show(struct conversation_request *request)
{
    const struct search *search = request->owner;
    struct json_write json;
    struct buf out;
    buf_init(&out, ANSWER_BYTES);
    json_write_init(&json, &out);
    json_write_array(&json);
    for (size_t i = 0; i < search->found_count; i++) {
        struct langgraph_thread thread = thread_of(request, search->found[i].summary);
        thread.metadata = search->found[i].metadata;
        langgraph_json_thread(&thread, &json, &out);
    }
    json_write_array_end(&json);
    conversation_request_reply_buf(request, 200, &out);
}

/* The thread that is looked at is one of those that are wanted. */
static void keep(const struct conversation_request *request, struct search *search,
                 struct str metadata)
{
    if (search->skipped++ >= request->before)
        search->found[search->found_count++] = (struct found){search->at, metadata};
}

static void look(struct conversation_request *request);

static void fail_memory(struct conversation_request *request)
{
    struct err err;
    err_set(&err, ERR_NO_MEMORY, "no memory for the threads; ask for fewer at once");
    conversation_request_fail(request, &err);
}

/* Many threads are looked at for few that are wanted: what the others hold is dropped at once. */
static void judge(struct conversation_request *request)
{
    struct search *search = request->owner;
    struct str metadata = langgraph_threads_metadata(&request->loaded);
    struct arena scratch;
    arena_init(&scratch, JUDGE_BYTES);
    bool fits = request->loaded.version > 0 && /* else it was erased meanwhile */
                langgraph_json_has_members(&scratch, metadata, search->metadata);
    bool is_judged = arena_ok(&scratch);
    arena_fini(&scratch);
    if (fits)
        keep(request, search, arena_str(&request->arena, metadata));
    if (!is_judged || !arena_ok(&request->arena)) {
        fail_memory(request);
        return;
    }
    search->at++;
    op_release(&request->loaded.op);
    look(request);
}

/* Look at the threads that are left, until one has to be read. */
static void look(struct conversation_request *request)
{
    struct search *search = request->owner;
    for (; search->at < request->call.summary_count && search->found_count < request->limit;
         search->at++) {
        const struct langgraph_thread thread = thread_of(request, search->at);
        if (!fits(search, &thread))
            continue;
        if (search->metadata != NULL) {
            request->ask.load = (struct store_load){
                .key = identity_in(&request->key, thread.thread_id), .turn_limit = 1};
            store_load_start(&request->loaded, request->store, &request->ask.load,
                             conversation_request_waiter(request, judge));
            return;
        }
        keep(request, search, (struct str){NULL, 0});
    }
    show(request);
}

static void begin(struct conversation_request *request)
{
    struct search *search = request->owner;
    search->found = arena_array(&request->arena, request->limit + 1, sizeof *search->found);
    if (search->found != NULL) {
        look(request);
        return;
    }
    fail_memory(request);
}

static void find_open(struct conversation_request *request)
{
    if (request->shard->wiring->events == NULL) {
        begin(request);
        return;
    }
    request->ask.runs = (struct store_runs){.key = request->key, .only_open = true};
    store_runs_start(&request->second, request->shard->wiring->events, &request->ask.runs,
                     conversation_request_waiter(request, begin));
}

static void list(struct conversation_request *request)
{
    const struct search *search = request->owner;
    bool is_whole =
        search->metadata == NULL && search->ids == NULL && str_is_absent(search->status);
    request->ask.list = (struct store_list){
        .key = request->key, .limit = is_whole ? request->before + request->limit : STORE_MAX_ROWS};
    store_list_start(&request->call, request->store, &request->ask.list,
                     conversation_request_waiter(request, find_open));
}

/* A member of root, in the request's arena; NULL: it is not there, or narrows nothing. */
static const struct json_value *take(struct conversation_request *request,
                                     const struct json_value *root, struct str name)
{
    const struct json_value *value = json_value_member(root, name);
    if (value == NULL || value->type == JSON_NULL ||
        (value->type == JSON_OBJECT && value->count == 0))
        return NULL;
    struct str text = json_value_text(value, &request->arena, WANTED_BYTES);
    return str_is_absent(text) ? NULL : json_value_parse(&request->arena, text, NULL, NULL);
}

/* What is wanted, as the request's own. False: no memory, or it is too long. */
static bool read(struct conversation_request *request, const struct json_value *root)
{
    struct search *search = arena_alloc(&request->arena, sizeof *search);
    const struct json_value *status = json_value_member(root, STR("status"));
    if (search == NULL)
        return false;
    request->owner = search;
    search->metadata = take(request, root, STR("metadata"));
    search->ids = take(request, root, STR("ids"));
    search->status = status != NULL && status->type == JSON_STRING
                         ? arena_str(&request->arena, status->text)
                         : (struct str){NULL, 0};
    return true;
}

/* Whether value is within the bytes that are kept of it. */
static bool is_short(struct exchange *exchange, const struct json_value *root, const char *pointer,
                     struct problem *problem)
{
    const struct json_value *value = json_value_find(root, pointer);
    return value == NULL ||
           !str_is_absent(json_value_text(value, &exchange->arena, WANTED_BYTES)) ||
           problem_field(problem, pointer, "%s: expected at most %d bytes", pointer, WANTED_BYTES);
}

static bool is_status(const struct json_value *root, struct problem *problem)
{
    static const char *const statuses[] = {"busy", "error", "idle", "interrupted"}; /* by bytes */
    const struct json_value *status = json_value_member(root, STR("status"));
    return status == NULL || status->type != JSON_STRING ||
           str_is_listed(status->text, statuses, countof(statuses)) ||
           problem_field(problem, "/status",
                         "/status: expected one of busy, error, idle, interrupted");
}

void langgraph_search(struct exchange *exchange)
{
    static const struct facade_field fields[] = {
        {"limit", FACADE_INTEGER},
        {"offset", FACADE_INTEGER},
        {"metadata", FACADE_OBJECT},
        {"ids", FACADE_ARRAY},
        {"status", FACADE_STRING},
        {"values", FACADE_OBJECT, "a search by values is"},
        {"sort_by", FACADE_STRING, "another order is", {"\"updated_at\""}},
        {"sort_order", FACADE_STRING, "another order is", {"\"desc\""}},
        {"select", FACADE_ARRAY, "choosing members is"},
        {"extract", FACADE_OBJECT, "extracting values is"},
    };
    struct problem problem;
    struct err err;
    uint64_t limit = SEARCHED, offset = 0;
    const struct json_value *root = run_body_parse(exchange, &problem);
    if (root == NULL || !facade_check(root, "", fields, countof(fields), &problem) ||
        !langgraph_threads_number(root, "/limit", STORE_MAX_ROWS / 2, &limit, &problem) ||
        !langgraph_threads_number(root, "/offset", STORE_MAX_ROWS / 2, &offset, &problem) ||
        !is_status(root, &problem) || !is_short(exchange, root, "/metadata", &problem) ||
        !is_short(exchange, root, "/ids", &problem)) {
        exchange_problem(exchange, &problem);
        return;
    }
    struct conversation_request *request = langgraph_threads_open(exchange, STR(""));
    if (request == NULL)
        return;
    request->before = offset;
    request->limit = limit;
    if (read(request, root)) {
        conversation_request_settle(request, list);
        return;
    }
    err_set(&err, ERR_NO_MEMORY, "no memory for what is wanted");
    conversation_request_fail(request, &err);
}
