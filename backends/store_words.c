/* SPDX-License-Identifier: MIT */
/* backends/store_words.c - one function per shape of an ask, each pushing its words.
 *
 * Failure: no memory, told at the end. */
#include "backends/store_words.h"

#include <inttypes.h>
#include <string.h>

enum { FIRST_WORDS = 32 };

void store_words_push(struct store_words *words, struct str word)
{
    if (words->count == words->room) {
        size_t room = size_max(words->room * 2, FIRST_WORDS);
        struct str *larger = arena_array(words->arena, room, sizeof *larger);
        if (larger == NULL)
            return;
        if (words->count > 0)
            memcpy(larger, words->at, words->count * sizeof *larger);
        words->at = larger;
        words->room = room;
    }
    words->at[words->count++] = str_is_absent(word) ? STR("") : word;
}

static void push_number(struct store_words *words, uint64_t number)
{
    store_words_push(words, arena_printf(words->arena, "%" PRIu64, number));
}

static void push_key(struct store_words *words, const struct identity *key)
{
    store_words_push(words, key->conversation_id);
    store_words_push(words, key->company_id);
    store_words_push(words, key->user_id);
}

static void push_note(struct store_words *words, const struct store_note *note)
{
    store_words_push(words, note->name);
    store_words_push(words, note->bytes);
}

static void push_fence(struct store_words *words, const struct store_fence *fence)
{
    store_words_push(words, fence->run_id);
    store_words_push(words, fence->instance);
    push_number(words, fence->epoch);
}

/* ---- conversations ---- */

static void push_save(struct store_words *words, const struct store_save *ask, struct str token)
{
    struct str title = ask->turn_count > 0 ? ask->turns[0].question : STR("");
    push_key(words, &ask->key);
    push_number(words, ask->expected_version);
    store_words_push(words, token);
    store_words_push(words, ask->checkpoint.run_id);
    push_number(words, ask->checkpoint.step);
    push_number(words, ask->checkpoint.is_full);
    store_words_push(words, ask->checkpoint.bytes);
    store_words_push(words, str_utf8_prefix(title, STORE_TITLE_BYTES));
    push_number(words, ask->turn_count);
    push_number(words, ask->note_count);
    for (size_t i = 0; i < ask->turn_count; i++) {
        store_words_push(words, ask->turns[i].run_id);
        store_words_push(words, ask->turns[i].question);
        store_words_push(words, ask->turns[i].answer);
        store_words_push(words, ask->turns[i].details);
        push_number(words, ask->turns[i].partial);
    }
    for (size_t i = 0; i < ask->note_count; i++)
        push_note(words, &ask->notes[i]);
}

static void push_load(struct store_words *words, const struct store_load *ask)
{
    push_key(words, &ask->key);
    push_number(words, ask->before_turn);
    push_number(words, store_rows(ask->turn_limit));
    push_number(words, ask->at_version);
    push_number(words, ask->since_version);
}

static void push_user(struct store_words *words, const struct identity *key)
{
    store_words_push(words, key->company_id);
    store_words_push(words, key->user_id);
}

/* False: it is about runs. */
static bool push_conversation_verb(struct store_words *words, const struct store_call *call,
                                   struct str token)
{
    switch (call->verb) {
    case STORE_LOAD:
        push_load(words, call->ask.load);
        return true;
    case STORE_RESTORE:
        push_key(words, &call->ask.restore->key);
        push_number(words, call->ask.restore->at_version);
        return true;
    case STORE_SAVE:
        push_save(words, call->ask.save, token);
        return true;
    case STORE_KEEP:
        push_key(words, &call->ask.keep->key);
        push_note(words, &call->ask.keep->note);
        return true;
    case STORE_CHECKPOINTS:
        push_key(words, &call->ask.checkpoints->key);
        push_number(words, call->ask.checkpoints->before_version);
        push_number(words, store_rows(call->ask.checkpoints->limit));
        return true;
    case STORE_LIST:
        push_user(words, &call->ask.list->key);
        push_number(words, call->ask.list->before_ms);
        push_number(words, store_rows(call->ask.list->limit));
        return true;
    case STORE_SEARCH:
        push_user(words, &call->ask.search->key);
        store_words_push(words, call->ask.search->text);
        push_number(words, store_rows(call->ask.search->limit));
        return true;
    case STORE_ERASE:
        push_key(words, &call->ask.erase->key);
        return true;
    case STORE_PRUNE:
        push_number(words, call->ask.prune->age_ms);
        push_number(words, store_rows(call->ask.prune->limit));
        push_number(words, call->ask.prune->lock_ms);
        store_words_push(words, call->ask.prune->instance);
        return true;
    default:
        return false;
    }
}

/* ---- runs ---- */

static void push_begin(struct store_words *words, const struct store_begin *ask)
{
    push_key(words, &ask->run.key);
    store_words_push(words, ask->run.run_id);
    store_words_push(words, ask->run.graph);
    store_words_push(words, ask->run.input);
    store_words_push(words, ask->run.idempotency_key);
    store_words_push(words, ask->run.instance);
    push_number(words, ask->lease_ms);
    push_number(words, ask->alone);
}

static void push_resume(struct store_words *words, const struct store_resume *ask)
{
    push_begin(words, &ask->begin);
    store_words_push(words, ask->paused_id);
    push_number(words, ask->checkpoint.step);
    store_words_push(words, ask->checkpoint.bytes);
}

static void push_append(struct store_words *words, const struct store_append *ask)
{
    push_fence(words, &ask->fence);
    push_number(words, ask->batch.first_id);
    push_number(words, ask->batch.count);
    store_words_push(words, ask->batch.bytes);
}

static void push_write(struct store_words *words, const struct store_write *ask)
{
    push_number(words, ask->count);
    for (size_t i = 0; i < ask->count; i++)
        push_append(words, &ask->appends[i]);
}

static void push_read(struct store_words *words, const struct store_read *ask)
{
    push_key(words, &ask->key);
    store_words_push(words, ask->run_id);
    push_number(words, ask->after_id);
    push_number(words, ask->limit_bytes);
}

static void push_mark(struct store_words *words, const struct store_mark *ask)
{
    push_fence(words, &ask->fence);
    push_number(words, ask->checkpoint.version);
    push_number(words, ask->checkpoint.step);
    push_number(words, ask->checkpoint.is_full);
    store_words_push(words, ask->checkpoint.bytes);
}

static void push_marks(struct store_words *words, const struct store_marks *ask)
{
    push_key(words, &ask->key);
    store_words_push(words, ask->run_id);
    push_number(words, ask->before_version);
    push_number(words, store_rows(ask->limit));
    push_number(words, ask->only_list);
}

static void push_claim(struct store_words *words, const struct store_claim *ask)
{
    store_words_push(words, ask->run_id);
    store_words_push(words, ask->instance);
    push_number(words, ask->lease_ms);
}

static void push_run_verb(struct store_words *words, const struct store_call *call)
{
    switch (call->verb) {
    case STORE_BEGIN:
        push_begin(words, call->ask.begin);
        break;
    case STORE_RESUME:
        push_resume(words, call->ask.resume);
        break;
    case STORE_CLAIM:
        push_claim(words, call->ask.claim);
        break;
    case STORE_RENEW:
        push_fence(words, &call->ask.renew->fence);
        push_number(words, call->ask.renew->lease_ms);
        break;
    case STORE_FINISH:
        push_fence(words, &call->ask.finish->fence);
        push_number(words, call->ask.finish->status);
        break;
    case STORE_FIND:
        push_key(words, &call->ask.find->key);
        store_words_push(words, call->ask.find->run_id);
        store_words_push(words, call->ask.find->idempotency_key);
        break;
    case STORE_RUNS:
        push_key(words, &call->ask.runs->key);
        push_number(words, store_rows(call->ask.runs->limit));
        push_number(words, call->ask.runs->only_open);
        break;
    case STORE_STOP:
        push_key(words, &call->ask.stop->key);
        store_words_push(words, call->ask.stop->run_id);
        push_number(words, call->ask.stop->forget ? STORE_WORDS_FORGET : 1);
        break;
    case STORE_APPEND:
        push_append(words, call->ask.append);
        break;
    case STORE_WRITE:
        push_write(words, call->ask.write);
        break;
    case STORE_MARK:
        push_mark(words, call->ask.mark);
        break;
    case STORE_MARKS:
        push_marks(words, call->ask.marks);
        break;
    default:
        push_read(words, call->ask.read);
        break;
    }
}

bool store_words_ask(struct store_words *words, const struct store_call *call, struct str token)
{
    if (!push_conversation_verb(words, call, token))
        push_run_verb(words, call);
    return arena_ok(words->arena);
}
