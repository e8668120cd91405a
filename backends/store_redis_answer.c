/* SPDX-License-Identifier: MIT */
/* backends/store_redis_answer.c - a list of a code, three numbers and seven lists of records.
 *
 * Happy path: each record's fields are read by their place and copied into the call.
 * Failure paths: a field that is not there or not a number is ERR_PROTOCOL; a code of the script
 * ("conflict") is the call's error, with the records that came with it; ERR_TOO_LARGE. */
#include "backends/store_redis_answer.h"

#include "backends/store_words.h"

/* Places in an answer. */
enum {
    AT_CODE,
    AT_VERSION,
    AT_TOTAL,
    AT_LAST_ID,
    AT_CHECKPOINTS,
    AT_TURNS,
    AT_NOTES,
    AT_SUMMARIES,
    AT_RUNS,
    AT_BATCHES,
    AT_VERDICTS
};

/* Reads the fields of a record in order; notes when one is not as it should be. */
struct fields {
    const struct redis_reply *record;
    size_t at;
    bool is_bad;
};

static struct str next_text(struct fields *fields)
{
    struct str text = redis_reply_text(fields->record, fields->at++);
    fields->is_bad |= str_is_absent(text);
    return text;
}

static uint64_t next_number(struct fields *fields)
{
    int64_t number = 0;
    bool is_good = redis_reply_number(fields->record, fields->at++, &number) && number >= 0;
    fields->is_bad |= !is_good;
    return is_good ? (uint64_t)number : 0;
}

typedef enum err_code add_fn(struct store_call *call, struct fields *fields);

static enum err_code add_checkpoint(struct store_call *call, struct fields *fields)
{
    struct store_checkpoint checkpoint = {0};
    checkpoint.version = next_number(fields);
    checkpoint.time_ms = next_number(fields);
    checkpoint.run_id = next_text(fields);
    checkpoint.step = next_number(fields);
    checkpoint.is_full = next_number(fields) != 0;
    checkpoint.bytes = next_text(fields);
    return store_add_checkpoint(call, &checkpoint);
}

static enum err_code add_turn(struct store_call *call, struct fields *fields)
{
    struct store_turn turn = {0};
    turn.number = next_number(fields);
    turn.version = next_number(fields);
    turn.time_ms = next_number(fields);
    turn.conversation_id = next_text(fields);
    turn.run_id = next_text(fields);
    turn.question = next_text(fields);
    turn.answer = next_text(fields);
    turn.details = next_text(fields);
    turn.partial = next_number(fields) != 0;
    return store_add_turn(call, &turn);
}

static enum err_code add_note(struct store_call *call, struct fields *fields)
{
    struct store_note note = {0};
    note.name = next_text(fields);
    note.bytes = next_text(fields);
    return store_add_note(call, &note);
}

static enum err_code add_summary(struct store_call *call, struct fields *fields)
{
    struct store_summary summary = {0};
    summary.conversation_id = next_text(fields);
    summary.title = next_text(fields);
    summary.version = next_number(fields);
    summary.turns = next_number(fields);
    summary.began_ms = next_number(fields);
    summary.changed_ms = next_number(fields);
    return store_add_summary(call, &summary);
}

static enum err_code add_run(struct store_call *call, struct fields *fields)
{
    struct store_run run = {0};
    run.key.conversation_id = next_text(fields);
    run.key.company_id = next_text(fields);
    run.key.user_id = next_text(fields);
    run.run_id = next_text(fields);
    run.graph = next_text(fields);
    run.input = next_text(fields);
    run.idempotency_key = next_text(fields);
    run.instance = next_text(fields);
    run.epoch = next_number(fields);
    run.began_ms = next_number(fields);
    run.changed_ms = next_number(fields);
    run.lease_until_ms = next_number(fields);
    run.last_event_id = next_number(fields);
    uint64_t status = next_number(fields);
    fields->is_bad |= status > STORE_CANCELLED;
    run.status = (enum store_status)(status > STORE_CANCELLED ? STORE_FAILED : status);
    uint64_t asked = next_number(fields);
    run.cancel_asked = asked != 0;
    run.forget_asked = asked == STORE_WORDS_FORGET;
    return store_add_run(call, &run);
}

static enum err_code add_batch(struct store_call *call, struct fields *fields)
{
    struct store_batch batch = {0};
    batch.first_id = next_number(fields);
    batch.count = next_number(fields);
    batch.bytes = next_text(fields);
    return store_add_batch(call, &batch);
}

static enum err_code add_verdict(struct store_call *call, struct fields *fields)
{
    struct store_verdict verdict = {0};
    verdict.is_kept = next_number(fields) != 0;
    verdict.last_id = next_number(fields);
    uint64_t asked = next_number(fields);
    verdict.cancel_asked = asked != 0;
    verdict.forget_asked = asked == STORE_WORDS_FORGET;
    return store_add_verdict(call, &verdict);
}

static enum err_code say_strange(struct err *err)
{
    return err_set(err, ERR_PROTOCOL, "the redis store holds what this version does not write");
}

static enum err_code add_all(struct store_call *call, const struct redis_reply *list, add_fn *add,
                             struct err *err)
{
    for (size_t i = 0; i < list->count; i++) {
        struct fields fields = {.record = &list->items[i]};
        enum err_code code = add(call, &fields);
        if (fields.is_bad)
            return say_strange(err);
        if (code != ERR_OK)
            return err_set(err, code, "the answer of the store is over its limit");
    }
    return ERR_OK;
}

static enum err_code read_code(const struct store_call *call, const struct redis_reply *reply,
                               struct err *err)
{
    struct str code = redis_reply_text(reply, AT_CODE);
    const char *what = call->verb < STORE_BEGIN ? "conversation" : "run";
    if (str_equal(code, STR("ok")))
        return ERR_OK;
    if (str_equal(code, STR("not_found")))
        return err_set(err, ERR_NOT_FOUND, "there is no such %s", what);
    if (str_equal(code, STR("conflict")))
        return err_set(err, ERR_CONFLICT, "the %s is another's or was changed meanwhile", what);
    if (str_equal(code, STR("busy")))
        return err_set(err, ERR_BUSY, "another instance prunes");
    if (str_equal(code, STR("protocol")))
        return err_set(err, ERR_PROTOCOL, "the redis store cannot be used: %.*s",
                       STR_ARG(redis_reply_text(reply, AT_CODE + 1)));
    return say_strange(err);
}

enum err_code store_redis_answer(struct store_call *call, const struct redis_reply *reply,
                                 struct err *err)
{
    static const struct {
        size_t at;
        add_fn *add;
    } lists[] = {
        {AT_CHECKPOINTS, add_checkpoint}, {AT_TURNS, add_turn}, {AT_NOTES, add_note},
        {AT_SUMMARIES, add_summary},      {AT_RUNS, add_run},   {AT_BATCHES, add_batch},
        {AT_VERDICTS, add_verdict},
    };
    enum err_code given = read_code(call, reply, err);
    if (given == ERR_PROTOCOL)
        return given;
    struct fields numbers = {.record = reply, .at = AT_VERSION};
    call->version = next_number(&numbers);
    call->total = next_number(&numbers);
    call->last_id = next_number(&numbers);
    for (size_t i = 0; i < countof(lists); i++) {
        const struct redis_reply *list = redis_reply_find(reply, lists[i].at);
        if (numbers.is_bad || list == NULL || list->kind != REDIS_REPLY_IS_ARRAY)
            return say_strange(err);
        enum err_code code = add_all(call, list, lists[i].add, err);
        if (code != ERR_OK)
            return code;
    }
    return given;
}
