/* SPDX-License-Identifier: MIT */
/* core/store/store.c - answers of a store: copies in the call's arena, arrays that double.
 *
 * Failure: an answer larger than STORE_ANSWER_BYTES. */
#include "core/store/store.h"

#include <string.h>

enum { FIRST_ITEMS = 2 };

const char *store_verb_name(enum store_verb verb)
{
    static const char *const names[STORE_VERB_COUNT] = {
#define STORE_NAME(verb_, name_, effect) #name_,
        STORE_VERBS(STORE_NAME)
#undef STORE_NAME
    };
    return names[verb];
}

enum store_effect store_verb_effect(enum store_verb verb)
{
    static const enum store_effect effects[STORE_VERB_COUNT] = {
#define STORE_EFFECT(verb_, name_, effect) STORE_##effect,
        STORE_VERBS(STORE_EFFECT)
#undef STORE_EFFECT
    };
    return effects[verb];
}

uint64_t store_rows(uint64_t limit)
{
    return limit == 0 || limit > STORE_MAX_ROWS ? STORE_MAX_ROWS : limit;
}

void store_call_begin(struct store_call *call)
{
    call->version = call->total = call->last_id = 0;
    call->knows_version = false;
    call->checkpoints = NULL;
    call->turns = NULL;
    call->notes = NULL;
    call->summaries = NULL;
    call->runs = NULL;
    call->batches = NULL;
    call->verdicts = NULL;
    call->jobs = NULL;
    call->checkpoint_count = call->turn_count = call->note_count = 0;
    call->summary_count = call->run_count = call->batch_count = call->verdict_count = 0;
    call->job_count = 0;
    arena_init(&call->arena, STORE_ANSWER_BYTES);
}

bool store_failed_lately(const struct store *store, uint64_t ms)
{
    return store->failed_ms > 0 && loop_now_ms(store->loop) - store->failed_ms < ms;
}

void store_note_failure(struct store *store)
{
    store->failed_ms = size_max(loop_now_ms(store->loop), 1);
}

void store_call_finish(struct store_call *call, const struct err *err)
{
    if (err->code == ERR_UNAVAILABLE || err->code == ERR_TIMEOUT)
        store_note_failure(call->store);
    else if (err->code != ERR_CANCELLED)
        call->store->answered_ms = size_max(loop_now_ms(call->store->loop), 1);
    op_finish_err(&call->op, err);
}

void store_call_release(struct op *op)
{
    struct store_call *call = container_of(op, struct store_call, op);
    arena_fini(&call->arena);
    store_call_begin(call);
}

/* items with room for one more of size bytes behind count: as it is, or a copy of twice the size.
 * NULL: the arena is spent. */
static void *grown(struct arena *arena, const void *items, size_t count, size_t size)
{
    bool is_power = (count & (count - 1)) == 0;
    if (count > 0 && (count < FIRST_ITEMS || !is_power))
        return (void *)(uintptr_t)items;
    void *larger = arena_array(arena, size_max(count * 2, FIRST_ITEMS), size);
    if (larger != NULL && count > 0)
        memcpy(larger, items, count * size);
    return larger;
}

static struct str copy(struct store_call *call, struct str text)
{
    return arena_str(&call->arena, text);
}

static enum err_code verdict_of(const struct store_call *call)
{
    return arena_ok(&call->arena) ? ERR_OK : ERR_TOO_LARGE;
}

enum err_code store_add_checkpoint(struct store_call *call,
                                   const struct store_checkpoint *checkpoint)
{
    struct store_checkpoint *items =
        grown(&call->arena, call->checkpoints, call->checkpoint_count, sizeof *items);
    if (items == NULL)
        return ERR_TOO_LARGE;
    struct store_checkpoint *item = &items[call->checkpoint_count++];
    call->checkpoints = items;
    *item = *checkpoint;
    item->run_id = copy(call, checkpoint->run_id);
    item->bytes = copy(call, checkpoint->bytes);
    return verdict_of(call);
}

enum err_code store_add_turn(struct store_call *call, const struct store_turn *turn)
{
    struct store_turn *items = grown(&call->arena, call->turns, call->turn_count, sizeof *items);
    if (items == NULL)
        return ERR_TOO_LARGE;
    struct store_turn *item = &items[call->turn_count++];
    call->turns = items;
    *item = *turn;
    item->conversation_id = copy(call, turn->conversation_id);
    item->run_id = copy(call, turn->run_id);
    item->question = copy(call, turn->question);
    item->answer = copy(call, turn->answer);
    item->details = copy(call, turn->details);
    return verdict_of(call);
}

enum err_code store_add_note(struct store_call *call, const struct store_note *note)
{
    struct store_note *items = grown(&call->arena, call->notes, call->note_count, sizeof *items);
    if (items == NULL)
        return ERR_TOO_LARGE;
    call->notes = items;
    items[call->note_count++] =
        (struct store_note){copy(call, note->name), copy(call, note->bytes)};
    return verdict_of(call);
}

enum err_code store_add_summary(struct store_call *call, const struct store_summary *summary)
{
    struct store_summary *items =
        grown(&call->arena, call->summaries, call->summary_count, sizeof *items);
    if (items == NULL)
        return ERR_TOO_LARGE;
    struct store_summary *item = &items[call->summary_count++];
    call->summaries = items;
    *item = *summary;
    item->conversation_id = copy(call, summary->conversation_id);
    item->title = copy(call, summary->title);
    return verdict_of(call);
}

enum err_code store_add_run(struct store_call *call, const struct store_run *run)
{
    struct store_run *items = grown(&call->arena, call->runs, call->run_count, sizeof *items);
    if (items == NULL)
        return ERR_TOO_LARGE;
    struct store_run *item = &items[call->run_count++];
    call->runs = items;
    *item = *run;
    item->key = identity_copy(&call->arena, &run->key);
    item->run_id = copy(call, run->run_id);
    item->graph = copy(call, run->graph);
    item->input = copy(call, run->input);
    item->idempotency_key = copy(call, run->idempotency_key);
    item->instance = copy(call, run->instance);
    return verdict_of(call);
}

enum err_code store_add_batch(struct store_call *call, const struct store_batch *batch)
{
    struct store_batch *items =
        grown(&call->arena, call->batches, call->batch_count, sizeof *items);
    if (items == NULL)
        return ERR_TOO_LARGE;
    call->batches = items;
    items[call->batch_count++] =
        (struct store_batch){batch->first_id, batch->count, copy(call, batch->bytes)};
    return verdict_of(call);
}

enum err_code store_add_verdict(struct store_call *call, const struct store_verdict *verdict)
{
    struct store_verdict *items =
        grown(&call->arena, call->verdicts, call->verdict_count, sizeof *items);
    if (items == NULL)
        return ERR_TOO_LARGE;
    call->verdicts = items;
    items[call->verdict_count++] = *verdict;
    return verdict_of(call);
}

enum err_code store_add_job(struct store_call *call, const struct store_job *job)
{
    struct store_job *items = grown(&call->arena, call->jobs, call->job_count, sizeof *items);
    if (items == NULL)
        return ERR_TOO_LARGE;
    struct store_job *item = &items[call->job_count++];
    call->jobs = items;
    *item = *job;
    item->key = identity_copy(&call->arena, &job->key);
    item->kind = copy(call, job->kind);
    item->job_id = copy(call, job->job_id);
    item->bytes = copy(call, job->bytes);
    return verdict_of(call);
}

void store_reverse_turns(struct store_call *call)
{
    struct store_turn *turns = (struct store_turn *)(uintptr_t)call->turns;
    for (size_t i = 0, j = call->turn_count; i + 1 < j; i++) {
        struct store_turn turn = turns[i];
        turns[i] = turns[--j];
        turns[j] = turn;
    }
}
