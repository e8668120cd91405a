/* SPDX-License-Identifier: MIT */
/* server/runs/runs_submit.c - from a request to a run that has its place, or to a refusal.
 *
 * Happy path: the conversation is free (or the run may wait for it), a place is
 * found, the run is made and filled, then started or queued. A run that goes on has a past in place
 * of an input. A run whose server is gone (is_taken_over) gets its stored events and its last
 * checkpoint. A paused run goes on as a new run, where it paused, with a person's answer.
 * Failure paths:
 * - no place, draining, a busy conversation: refused before a run exists;
 * - the graph refuses the input, or no memory: the run is destroyed, nothing stays;
 * - a run whose server is gone, without a checkpoint that can be read, begins anew behind its
 *   stored events;
 * - the stored events are damaged, or the checkpoint of the pause is lost: refused. */
#include "server/runs/runs.h"

#include <stdio.h>

#include "agents/memory/history.h"
#include "core/base/mem.h"
#include "server/records/event_json.h"
#include "server/http/problem.h"
#include "server/config/run_limits.h"
#include "server/records/stored_run.h"
#include "server/records/run_input.h"
#include "server/runs/runs_internal.h"

enum { FIRST_BYTES = 32 * 1024 * 1024 };

/* Lengths in front keep the parts apart. */
struct str runs_key_of(const struct runs_request *request, char *room)
{
    const struct identity *of = &request->caller;
    int len = snprintf(room, RUNS_KEY_BYTES, "%zu:%zu:%zu:%.*s%.*s%.*s%.*s", of->company_id.len,
                       of->user_id.len, of->conversation_id.len, STR_ARG(of->company_id),
                       STR_ARG(of->user_id), STR_ARG(of->conversation_id),
                       STR_ARG(request->idempotency_key));
    return len < RUNS_KEY_BYTES ? str_make(room, (size_t)len) : (struct str){NULL, 0};
}

/* What the conversation's queue is called; empty: there is no conversation, and so none to wait
 * for. */
static struct str turn_of(const struct identity *caller, char room[IDENTITY_NAME_BYTES])
{
    return caller->conversation_id.len == 0 ? STR("") : identity_name(caller, room);
}

struct runs_entry *runs_find_conversation(const struct runs *runs, const struct identity *caller)
{
    char room[IDENTITY_NAME_BYTES];
    struct conversation_queue_member *first =
        conversation_queue_first(&runs->turns, turn_of(caller, room));
    return first == NULL ? NULL : container_of(first, struct runs_entry, turn);
}

/* Doors let in no longer names; what comes another way is held here. */
static enum err_code check_names(const struct identity *caller, struct err *err)
{
    if (caller->company_id.len > IDENTITY_BYTES || caller->user_id.len > IDENTITY_BYTES ||
        caller->conversation_id.len > IDENTITY_BYTES)
        return err_set(err, ERR_INVALID,
                       "the name of a company, user or conversation has at most %d bytes",
                       IDENTITY_BYTES);
    return ERR_OK;
}

static void copy_id(struct str id, char *room, size_t size)
{
    id = str_utf8_prefix(id, size - 1);
    memcpy(room, id.len == 0 ? "" : id.at, id.len);
    room[id.len] = '\0';
}

/* The log of the run, with the ids that its lines show, which live in its entry. */
static struct log log_of(struct runs_entry *entry, const struct runs_request *request)
{
    struct log log = *entry->runs->options.log;
    copy_id(request->request_id, entry->request_id, sizeof entry->request_id);
    copy_id(request->caller.conversation_id, entry->conversation_id, sizeof entry->conversation_id);
    log.request_id = entry->request_id[0] == '\0' ? NULL : entry->request_id;
    log.conversation_id = entry->conversation_id[0] == '\0' ? NULL : entry->conversation_id;
    if (entry->trace.is_known) {
        log.trace_id = entry->trace.id_text;
        log.span_id = entry->trace.span_text;
    }
    return log;
}

static bool is_taken_over(const struct runs_request *request)
{
    return request->revival != NULL && request->revival->is_taken_over;
}

/* The id of the run; one whose server is gone keeps its own. */
static struct id id_of(const struct runs *runs, const struct runs_request *request)
{
    struct id id = id_run(runs->options.worker);
    if (!is_taken_over(request))
        return id;
    struct str own = request->revival->past->run->run_id;
    snprintf(id.text, sizeof id.text, "%.*s", STR_ARG(own));
    return id;
}

static void on_visited(struct run *run, const struct run_visit *visit)
{
    const struct runs_entry *entry = run_owner(run);
    const struct runs_options *o = &entry->runs->options;
    node_meters_visited(meters_nodes(o->meters), o->metrics, visit);
}

static void on_retry(struct run *run, const struct run_visit *visit)
{
    const struct runs_entry *entry = run_owner(run);
    const struct runs_options *o = &entry->runs->options;
    node_meters_retry(meters_nodes(o->meters), o->metrics, visit);
}

static struct runs_entry *make_entry(struct runs *runs, const struct runs_request *request)
{
    struct runs_entry *entry = mem_zalloc(1, sizeof *entry);
    if (entry == NULL)
        return NULL;
    entry->runs = runs;
    entry->made_ms = loop_now_ms(runs->options.loop);
    list_init(&entry->watches);
    entry->registry = request->entry;
    entry->cancel_on_disconnect = request->cancel_on_disconnect;
    entry->outlives_readers = request->outlives_readers;
    entry->needs_record = request->needs_record;
    entry->loads = request->loads;
    tracing_begin_run(runs->options.tracing, request->traceparent, &entry->trace);
    struct log log = log_of(entry, request);
    const struct run_options options = {
        .loop = runs->options.loop,
        .graph = request->graph,
        .services = &entry->session,
        .limits = run_limits_of(runs->options.config),
        .id = id_of(runs, request),
        .log = &log,
        .trace = tracing_place(&entry->trace),
        .on_end = runs_on_end,
        .on_answered = runs_on_answered,
        .on_step = runs_on_step,
        .on_save = runs_on_save,
        .on_visited = on_visited,
        .on_retry = on_retry,
        .owner = entry,
        .detail = request->detail,
        .wants_data = request->wants_data,
        .describe = registry_describe,
        .finish = event_json_finish,
        .conversation_id = request->caller.conversation_id,
    };
    entry->run = run_create(&options);
    if (entry->run != NULL)
        return entry;
    mem_free(entry);
    return NULL;
}

/* ---- a past in place of an input ---- */

static enum err_code restore(struct runs_entry *entry, const struct stored_run *past,
                             uint64_t said_id, struct err *err)
{
    size_t used;
    enum err_code code =
        checkpoint_restore(entry->run, past->kept, past->kept_count, said_id, &used, err);
    if (code == ERR_OK ? used < past->kept_count : past->kept_count > 0)
        LOG(entry->runs->options.log, WARN, "run.checkpoints", "run=%s of=%zu used=%zu text=\"%s\"",
            run_id(entry->run), past->kept_count, used, err->text);
    return code;
}

static enum err_code restore_taken_over(struct runs_entry *entry,
                                        const struct runs_request *request, struct err *err)
{
    const struct stored_run *past = request->revival->past;
    enum err_code code = stored_run_replay(past, entry->run, err);
    if (code != ERR_OK)
        return code;
    entry->epoch = request->revival->epoch;
    entry->stored_id = past->run->last_event_id;
    entry->stored_version = past->last_version;
    entry->is_forgotten = past->is_kept; /* its turn is kept already */
    code = restore(entry, past, entry->stored_id, err);
    if (code == ERR_NOT_FOUND)
        code = registry_begin(request->entry, run_input(entry->run), &entry->session, err);
    if (code == ERR_OK && !checkpoint_take_over(entry->run, entry->epoch))
        return err_set(err, ERR_NO_MEMORY, "no memory for what the run had said");
    return code;
}

/* Write the first checkpoint of the new run, with which its record begins. */
static enum err_code write_first(struct runs_entry *entry, struct err *err)
{
    struct arena *arena = run_arena(entry->run);
    struct buf bytes;
    buf_init(&bytes, FIRST_BYTES);
    entry->stored_version = 1;
    if (checkpoint_write_restored(entry->run, &bytes, &entry->first.step))
        entry->first.bytes = arena_str(arena, buf_str(&bytes));
    buf_fini(&bytes);
    return str_is_absent(entry->first.bytes)
               ? err_set(err, ERR_NO_MEMORY, "no memory for where the run paused")
               : ERR_OK;
}

static enum err_code revive_paused(struct runs_entry *entry, const struct runs_request *request,
                                   struct err *err)
{
    const struct runs_revival *revival = request->revival;
    enum err_code code = restore(entry, revival->past, UINT64_MAX, err);
    if (code == ERR_NOT_FOUND)
        return err_set(err, ERR_GONE, "where the run paused is not there any more");
    if (code == ERR_OK && !checkpoint_resume(entry->run, revival->node, revival->answer))
        return err_set(err, ERR_NO_MEMORY, "no memory for another run");
    if (code != ERR_OK || revival->is_fork)
        return code;
    entry->paused_id = arena_str(run_arena(entry->run), revival->past->run->run_id);
    return write_first(entry, err);
}

static enum err_code revive(struct runs_entry *entry, const struct runs_request *request,
                            struct err *err)
{
    return request->revival->is_taken_over ? restore_taken_over(entry, request, err)
                                           : revive_paused(entry, request, err);
}

/* ---- filling ---- */

/* Copy into the arena of the run; NULL with its failure. */
static const struct history_message *copy_said(struct arena *arena,
                                               const struct runs_request *request)
{
    struct history_message *said = arena_array(arena, request->said_count, sizeof *said);
    for (size_t i = 0; said != NULL && i < request->said_count; i++)
        said[i] = (struct history_message){.role = request->said[i].role,
                                           .text = arena_str(arena, request->said[i].text)};
    return said;
}

/* Put entry into map, in place of an entry of the same run: this worker may have one, when the
 * process slept until the lease was over, and then took the run over as any other server would. The
 * map must own the key of the entry that it holds. */
static bool put_anew(struct map *map, struct str key, struct runs_entry *entry)
{
    (void)map_take(map, key);
    return map_put(map, key, entry);
}

static void fill_session(struct runs_entry *entry, const struct runs_request *request)
{
    struct arena *arena = run_arena(entry->run);
    entry->session = (struct session){
        .has = entry->runs->options.services,
        .caller = identity_copy(arena, &request->caller),
        .run_id = str_of(run_id(entry->run)),
        .graph = str_of(request->entry->def->name),
        .message = arena_str(arena, request->message),
        .said_count = request->said_count,
        .said_adds = request->said_adds,
        .client_tools = arena_str(arena, request->client_tools),
        .metadata = arena_str(arena, request->metadata),
    };
    if (request->said_count > 0)
        entry->session.said = copy_said(arena, request);
    if (request->revival != NULL)
        run_input_read(request->revival->past->run->input, &entry->session, arena);
    if (!is_taken_over(request)) /* a choice is of one request: whoever answers makes another */
        entry->session.client_choice = arena_str(arena, request->client_choice);
    entry->session.definition = request->entry->hash;
    entry->session.knows = knowledge_of(request->pin->set, str_of(request->entry->def->name),
                                        entry->session.caller.role);
}

static enum err_code fill_entry(struct runs_entry *entry, const struct runs_request *request,
                                struct err *err)
{
    char room[RUNS_KEY_BYTES], turn_room[IDENTITY_NAME_BYTES];
    struct runs *runs = entry->runs;
    struct arena *arena = run_arena(entry->run);
    fill_session(entry, request);
    if (!arena_ok(arena))
        return err_set(err, ERR_NO_MEMORY, "no memory for another run");
    if (request->idempotency_key.len > 0)
        entry->key = arena_str(arena, runs_key_of(request, room));
    entry->idempotency_key = arena_str(arena, request->idempotency_key);
    entry->call = arena_str(arena, request->call);
    enum err_code code =
        request->revival != NULL
            ? revive(entry, request, err)
            : registry_begin(request->entry, run_input(entry->run), &entry->session, err);
    if (code != ERR_OK)
        return code;
    struct str turn = arena_str(arena, turn_of(&request->caller, turn_room));
    if (is_taken_over(request) && runs_find_conversation(runs, &request->caller) != NULL)
        turn = STR(""); /* this run was active before: it waits for no other */
    if (!arena_ok(arena) || !put_anew(&runs->by_id, str_of(run_id(entry->run)), entry) ||
        !conversation_queue_join(&runs->turns, &entry->turn, turn) ||
        (!str_is_absent(entry->key) && !put_anew(&runs->by_key, entry->key, entry)) ||
        (!str_is_absent(entry->call) && !put_anew(&runs->by_call, entry->call, entry)))
        return err_set(err, ERR_NO_MEMORY, "no memory for another run");
    bool may_line_up =
        conversation_queue_is_first(&runs->turns, &entry->turn) && !runs_claim_is_needed(entry);
    if (!admission_join(&entry->ticket, runs->options.admission, runs_caller(entry)) ||
        (may_line_up && !admission_line_up(&entry->ticket)))
        return err_set(err, ERR_NO_MEMORY, "no memory for another run");
    entry->pin = request->pin;
    entry->pin->runs++;
    return ERR_OK;
}

static enum err_code find_place(struct runs *runs, const struct identity *caller, bool must_wait,
                                struct err *err)
{
    struct admission *admission = runs->options.admission;
    if (admission_wants_weight(admission))
        admission_weigh(admission, runs_weigh(runs) * runs->options.worker_count);
    enum admission_verdict verdict = admission_ask(admission, caller, must_wait);
    if (verdict != ADMISSION_YES)
        runs->retry_s = admission_retry_s(admission, caller, verdict);
    switch (verdict) {
    case ADMISSION_FULL:
        return err_set(err, ERR_BUSY, "too many runs go on and wait here; try again later");
    case ADMISSION_SHARE:
        return err_set(err, ERR_BUSY,
                       "too many runs of this company or user go on and wait here; try again "
                       "later");
    case ADMISSION_HEAVY:
        return err_set(err, ERR_UNAVAILABLE, "this server has no memory for more runs; try later");
    case ADMISSION_CLOSED:
        return err_set(err, ERR_UNAVAILABLE, "this server is stopping; try another");
    case ADMISSION_YES:
        break;
    }
    return ERR_OK;
}

unsigned runs_retry_s(const struct runs *runs)
{
    return runs->retry_s > 0 ? runs->retry_s : PROBLEM_RETRY_AFTER; /* no request was refused yet */
}

bool runs_has_place(struct runs *runs, const struct runs_request *request, struct err *err)
{
    return find_place(runs, &request->caller, false, err) == ERR_OK;
}

enum err_code runs_submit(struct runs *runs, const struct runs_request *request,
                          struct runs_entry **entry, struct err *err)
{
    enum err_code code = check_names(&request->caller, err);
    if (code != ERR_OK)
        return code;
    struct runs_entry *first = runs_find_conversation(runs, &request->caller);
    bool is_busy = first != NULL && !is_taken_over(request);
    if (is_busy && request->multitask == RUNS_REJECT)
        return err_set(err, ERR_CONFLICT, RUNS_BUSY);
    code = find_place(runs, &request->caller, is_busy, err);
    if (code != ERR_OK)
        return code;
    struct runs_entry *made = make_entry(runs, request);
    code = made == NULL ? err_set(err, ERR_NO_MEMORY, "no memory for another run")
                        : fill_entry(made, request, err);
    if (code != ERR_OK) {
        if (made != NULL)
            runs_destroy_entry(made);
        return code;
    }
    *entry = made;
    made->multitask = request->multitask;
    if (is_busy && request->multitask == RUNS_ROLLBACK)
        first->is_forgotten = true;
    if (is_busy && (request->multitask == RUNS_INTERRUPT || request->multitask == RUNS_ROLLBACK))
        runs_cancel(first, "cancelled", "a newer message of the conversation took its place");
    runs_set_state(made, RUNS_WAITING);
    if (conversation_queue_is_first(&runs->turns, &made->turn))
        runs_make_ready(made);
    runs_start_waiting(runs);
    return ERR_OK;
}
