/* SPDX-License-Identifier: MIT */
/* server/api/api_resume.c - find, read, open, begin.
 *
 * Happy path: the paused run's past is read and its conversation opened; the new run, which is
 * where it paused, takes its place in the store (server/runs/runs_claim.c), and is streamed.
 * Failure paths:
 * - the run is not the caller's, not paused, or answered by somebody else meanwhile: nothing is
 *   changed;
 * - the pause is not in the store yet: it is looked for again, for a second;
 * - the store cannot be used: 503, whether or not it has done what it was asked; a new run that is
 *   in the store and on no server is taken over like any other;
 * - the client left: before the new run is begun nothing happens, after it that goes on. */
#include "server/api/api_resume.h"

#include "core/base/mem.h"
#include "core/loop/timer.h"
#include "server/api/api_run.h"
#include "server/http/exchange_wait.h"
#include "server/records/stored_run.h"
#include "server/records/run_input.h"
#include "server/runs/shard.h"
#include "server/streams/invocation.h"
#include "server/streams/sse_stream.h"

enum { ARENA_BYTES = 4 * 1024 * 1024 };
enum { TRIES = 20, TRY_MS = 50 }; /* until the store has it that the run has paused */

struct resuming {
    struct exchange_wait wait;
    struct shard *shard;
    struct store *store;
    struct arena arena;
    struct runs_request asked; /* as far as it counts */
    struct str run_id, answer;
    api_run_answer_fn *tell;
    struct str (*on_found)(struct exchange *exchange, const struct stored_run *past,
                           struct str answer);
    struct store_runs runs;
    struct store_call call;
    struct stored_run past;
    struct conversations_opening opening;
    struct timer timer; /* between two looks */
    unsigned tries;
};

static void destroy(struct resuming *resuming)
{
    op_release(&resuming->call.op);
    op_release(&resuming->past.op);
    op_release(&resuming->opening.op);
    arena_fini(&resuming->arena);
    mem_free(resuming);
}

static struct op_waiter waiter_of(struct resuming *resuming, op_fn *done)
{
    return (struct op_waiter){.done = done, .owner = resuming};
}

static void refuse_gone(struct exchange *exchange, const struct err *err)
{
    struct problem problem;
    problem_set(&problem, 410, "gone", "%s", err->text);
    exchange_problem(exchange, &problem);
}

static void fail(struct resuming *resuming, const struct err *err)
{
    struct err copy = *err;
    struct exchange *exchange = exchange_wait_take(&resuming->wait);
    destroy(resuming);
    if (exchange == NULL)
        return;
    if (copy.code == ERR_GONE)
        refuse_gone(exchange, &copy);
    else
        exchange_fail_stored(exchange, &copy);
}

static void refuse(struct resuming *resuming, enum err_code code, const char *text)
{
    struct err err;
    err_set(&err, code, "%s", text);
    fail(resuming, &err);
}

static void refuse_ended(struct resuming *resuming)
{
    refuse(resuming, ERR_CONFLICT, "the run does not wait for anybody's answer (any more)");
}

/* Whether it is to be given up: the step failed, or nobody waits for it. */
static bool has_failed(struct resuming *resuming, const struct op *op)
{
    struct err err = op->err;
    if (err.code == ERR_OK && resuming->wait.exchange != NULL)
        return false;
    fail(resuming, &err);
    return true;
}

/* ---- from the last step back ---- */

static void stream(struct exchange *exchange, struct runs_entry *entry)
{
    struct err err = {0};
    if (sse_stream_start(exchange, entry, 0, &err) != ERR_OK)
        exchange_fail(exchange, &err);
}

void api_resume_whole(struct exchange *exchange, struct runs_entry *entry)
{
    struct err err = {0};
    if (invocation_start(exchange, entry, &err) != ERR_OK)
        exchange_fail(exchange, &err);
}

static void begin_run(struct resuming *resuming, struct exchange *exchange)
{
    struct err err;
    const struct store_run *run = resuming->past.run;
    const struct registry *registry = resuming->shard->group->registry;
    int place =
        registry_find_definition(registry, run->graph, run_input_definition(run->input), &err);
    if (place < 0) {
        refuse_gone(exchange, &err);
        return;
    }
    struct str answer = resuming->answer;
    if (resuming->on_found != NULL)
        answer = resuming->on_found(exchange, &resuming->past, answer);
    if (str_is_absent(answer))
        return;
    const struct runs_revival revival = {
        .past = &resuming->past,
        .node = stored_run_find_interrupt(&resuming->past),
        .answer = answer,
    };
    struct runs_request request = resuming->asked;
    request.graph = registry_graph(registry, (size_t)place);
    request.entry = registry_entry(registry, (size_t)place);
    request.pin = resuming->shard->pin;
    request.caller = run->key;
    request.caller.role = resuming->asked.caller.role; /* of who asks now, not of who asked then */
    request.message = run_input_message(run->input);
    request.revival = &revival;
    api_run_begin_alone(exchange, &request, resuming->tell);
}

static void on_opened(struct op *op)
{
    struct resuming *resuming = op_owner(op);
    if (has_failed(resuming, op))
        return;
    begin_run(resuming, exchange_wait_take(&resuming->wait));
    destroy(resuming);
}

static void open_conversation(struct resuming *resuming)
{
    const struct identity *key = &resuming->past.run->key;
    size_t home = shard_of_conversation(resuming->shard, key->conversation_id);
    if (key->conversation_id.len > 0 && home != resuming->shard->index) {
        struct exchange *exchange = exchange_wait_take(&resuming->wait);
        destroy(resuming);
        exchange_hand_over(exchange, home);
        return;
    }
    conversations_open_start(&resuming->opening, resuming->shard->conversations, key,
                             waiter_of(resuming, on_opened));
}

static void look(struct resuming *resuming);

static void look_again(struct timer *timer)
{
    struct resuming *resuming = container_of(timer, struct resuming, timer);
    if (resuming->wait.exchange == NULL)
        destroy(resuming);
    else
        look(resuming);
}

/* The run goes on, or it has paused and its record is on the way to the store: the client that was
 * told of the pause may have answered at once. */
static void wait_for_pause(struct resuming *resuming)
{
    if (resuming->tries++ == TRIES) {
        refuse_ended(resuming);
        return;
    }
    op_release(&resuming->call.op);
    op_release(&resuming->past.op);
    timer_start(&resuming->timer, resuming->shard->loop, TRY_MS, look_again);
}

static void on_read(struct op *op)
{
    struct resuming *resuming = op_owner(op);
    if (has_failed(resuming, op))
        return;
    if (!identity_is_of(&resuming->past.run->key,
                        &resuming->asked.caller)) /* a store takes "" for anybody */
        refuse(resuming, ERR_NOT_FOUND, "there is no such run");
    else if (resuming->past.run->status == STORE_PAUSED)
        open_conversation(resuming);
    else if (resuming->past.run->status == STORE_RUNNING)
        wait_for_pause(resuming);
    else
        refuse_ended(resuming);
}

static void read_past(struct resuming *resuming)
{
    stored_run_start(&resuming->past, resuming->store, NULL, &resuming->asked.caller,
                     resuming->run_id, waiter_of(resuming, on_read));
}

static void on_listed(struct op *op)
{
    struct resuming *resuming = op_owner(op);
    if (has_failed(resuming, op))
        return;
    for (size_t i = 0; i < resuming->call.run_count && resuming->run_id.len == 0; i++)
        if (resuming->call.runs[i].status == STORE_PAUSED)
            resuming->run_id = arena_str(&resuming->arena, resuming->call.runs[i].run_id);
    if (resuming->run_id.len > 0)
        read_past(resuming);
    else if (resuming->call.run_count > 0)
        wait_for_pause(resuming);
    else
        refuse_ended(resuming);
}

/* Read the run that was named, or first find out which one paused last. */
static void look(struct resuming *resuming)
{
    if (resuming->run_id.len > 0) {
        read_past(resuming);
        return;
    }
    resuming->runs =
        (struct store_runs){.key = resuming->asked.caller, .limit = 8, .only_open = true};
    store_runs_start(&resuming->call, resuming->store, &resuming->runs,
                     waiter_of(resuming, on_listed));
}

/* ---- the beginning ---- */

static struct resuming *make(struct exchange *exchange, const struct api_resume_options *options)
{
    struct resuming *resuming = mem_zalloc(1, sizeof *resuming);
    if (resuming == NULL)
        return NULL;
    struct arena *arena = &resuming->arena;
    arena_init(arena, ARENA_BYTES);
    resuming->shard = exchange->shard;
    resuming->store = exchange->shard->wiring->events;
    const struct runs_request *run = options->run;
    resuming->asked =
        (struct runs_request){.detail = run->detail,
                              .wants_data = run->wants_data,
                              .cancel_on_disconnect = run->cancel_on_disconnect,
                              .outlives_readers = run->outlives_readers,
                              .needs_record = run->needs_record,
                              .idempotency_key = arena_str(arena, run->idempotency_key),
                              .caller = identity_copy(arena, &run->caller),
                              .client_tools = arena_str(arena, run->client_tools),
                              .metadata = arena_str(arena, run->metadata),
                              .client_choice = arena_str(arena, run->client_choice)};
    resuming->run_id = arena_str(arena, options->run_id);
    resuming->answer = arena_str(arena, options->answer);
    resuming->tell = options->tell != NULL ? options->tell : stream;
    resuming->on_found = options->on_found;
    if (arena_ok(arena))
        return resuming;
    destroy(resuming);
    return NULL;
}

void api_resume_start(struct exchange *exchange, const struct api_resume_options *options)
{
    struct err err = {0};
    struct resuming *resuming = NULL;
    if (exchange->shard->wiring->events == NULL)
        err_set(&err, ERR_NOT_CONFIGURED,
                "what runs say is kept in memory only, where none can pause: set "
                "ASKD_CHECKPOINT_URL");
    else if ((resuming = make(exchange, options)) == NULL)
        err_set(&err, ERR_NO_MEMORY, "no memory for another request");
    if (err.code != ERR_OK) {
        exchange_fail(exchange, &err);
        return;
    }
    exchange_wait_begin(&resuming->wait, exchange, NULL); /* has_failed() sees that it left */
    look(resuming);
}
