/* SPDX-License-Identifier: MIT */
/* backends/store_pg_answer.c - rows of askd_store.v1_row: what each is, numbers, texts.
 *
 * Happy path: the first row has the code and the call's numbers, each further one a record.
 * Failure paths: a row that is none of ours, a number that is none: ERR_PROTOCOL; a code of the
 * function ("conflict"), with the records that came with it; ERR_TOO_LARGE. */
#include "backends/pg_rows.h"
#include "backends/store_pg_wire.h"
#include "backends/store_words.h"

enum { AT_KIND, AT_NUMBERS, AT_TEXTS = 8, COLUMNS = 16 };

/* One row, and an arena for its texts. */
struct fields {
    const struct pg_result *result;
    struct arena *arena;
    size_t row;
    bool is_bad;
};

static struct str text_at(struct fields *fields, size_t i)
{
    struct str cell = pg_task_cell(fields->result, fields->row, AT_TEXTS + i);
    return pg_rows_bytea(fields->arena, cell);
}

static uint64_t number_at(struct fields *fields, size_t i)
{
    uint64_t number = 0;
    struct str cell = pg_task_cell(fields->result, fields->row, AT_NUMBERS + i);
    fields->is_bad |= !str_to_u64(cell, &number);
    return number;
}

typedef enum err_code add_fn(struct store_call *call, struct fields *fields);

static enum err_code add_checkpoint(struct store_call *call, struct fields *fields)
{
    const struct store_checkpoint checkpoint = {.version = number_at(fields, 0),
                                                .time_ms = number_at(fields, 1),
                                                .step = number_at(fields, 2),
                                                .is_full = number_at(fields, 3) != 0,
                                                .run_id = text_at(fields, 0),
                                                .bytes = text_at(fields, 1)};
    return store_add_checkpoint(call, &checkpoint);
}

static enum err_code add_turn(struct store_call *call, struct fields *fields)
{
    const struct store_turn turn = {.number = number_at(fields, 0),
                                    .version = number_at(fields, 1),
                                    .time_ms = number_at(fields, 2),
                                    .partial = number_at(fields, 3) != 0,
                                    .conversation_id = text_at(fields, 0),
                                    .run_id = text_at(fields, 1),
                                    .question = text_at(fields, 2),
                                    .answer = text_at(fields, 3),
                                    .details = text_at(fields, 4)};
    return store_add_turn(call, &turn);
}

static enum err_code add_note(struct store_call *call, struct fields *fields)
{
    return store_add_note(call, &(struct store_note){text_at(fields, 0), text_at(fields, 1)});
}

static enum err_code add_summary(struct store_call *call, struct fields *fields)
{
    const struct store_summary summary = {.version = number_at(fields, 0),
                                          .turns = number_at(fields, 1),
                                          .began_ms = number_at(fields, 2),
                                          .changed_ms = number_at(fields, 3),
                                          .conversation_id = text_at(fields, 0),
                                          .title = text_at(fields, 1)};
    return store_add_summary(call, &summary);
}

static enum err_code add_run(struct store_call *call, struct fields *fields)
{
    uint64_t status = number_at(fields, 5);
    fields->is_bad |= status > STORE_CANCELLED;
    const struct store_run run = {
        .epoch = number_at(fields, 0),
        .began_ms = number_at(fields, 1),
        .changed_ms = number_at(fields, 2),
        .lease_until_ms = number_at(fields, 3),
        .last_event_id = number_at(fields, 4),
        .status = (enum store_status)(status > STORE_CANCELLED ? STORE_FAILED : status),
        .cancel_asked = number_at(fields, 6) != 0,
        .forget_asked = number_at(fields, 6) == STORE_WORDS_FORGET,
        .key = {text_at(fields, 0), text_at(fields, 1), text_at(fields, 2)},
        .run_id = text_at(fields, 3),
        .graph = text_at(fields, 4),
        .input = text_at(fields, 5),
        .idempotency_key = text_at(fields, 6),
        .instance = text_at(fields, 7),
    };
    return store_add_run(call, &run);
}

static enum err_code add_batch(struct store_call *call, struct fields *fields)
{
    const struct store_batch batch = {number_at(fields, 0), number_at(fields, 1),
                                      text_at(fields, 0)};
    return store_add_batch(call, &batch);
}

static enum err_code add_verdict(struct store_call *call, struct fields *fields)
{
    const struct store_verdict verdict = {.is_kept = number_at(fields, 0) != 0,
                                          .last_id = number_at(fields, 1),
                                          .cancel_asked = number_at(fields, 2) != 0,
                                          .forget_asked =
                                              number_at(fields, 2) == STORE_WORDS_FORGET};
    return store_add_verdict(call, &verdict);
}

static enum err_code say_strange(struct err *err)
{
    return err_set(err, ERR_PROTOCOL,
                   "the store in PostgreSQL holds what this version does not write");
}

static enum err_code add_record(struct store_call *call, struct fields *fields, struct err *err)
{
    static const struct {
        struct str kind;
        add_fn *add;
    } kinds[] = {
        {{"checkpoint", 10}, add_checkpoint}, {{"turn", 4}, add_turn}, {{"note", 4}, add_note},
        {{"summary", 7}, add_summary},        {{"run", 3}, add_run},   {{"batch", 5}, add_batch},
        {{"verdict", 7}, add_verdict},
    };
    struct str kind = pg_task_cell(fields->result, fields->row, AT_KIND);
    for (size_t i = 0; i < countof(kinds); i++) {
        if (!str_equal(kind, kinds[i].kind))
            continue;
        enum err_code code = kinds[i].add(call, fields);
        if (fields->is_bad)
            return say_strange(err);
        return code == ERR_OK && arena_ok(fields->arena)
                   ? ERR_OK
                   : err_set(err, ERR_TOO_LARGE, "the answer of the store is over its limit");
    }
    return say_strange(err);
}

static enum err_code read_head(struct store_call *call, struct fields *fields, struct err *err)
{
    struct str code = pg_task_cell(fields->result, 0, AT_KIND);
    const char *what = call->verb < STORE_BEGIN ? "conversation" : "run";
    call->version = number_at(fields, 0);
    call->total = number_at(fields, 1);
    call->last_id = number_at(fields, 2);
    if (fields->is_bad)
        return say_strange(err);
    if (str_equal(code, STR("ok")))
        return ERR_OK;
    if (str_equal(code, STR("not_found")))
        return err_set(err, ERR_NOT_FOUND, "there is no such %s", what);
    if (str_equal(code, STR("conflict")))
        return err_set(err, ERR_CONFLICT, "the %s is another's or was changed meanwhile", what);
    if (str_equal(code, STR("busy")))
        return err_set(err, ERR_BUSY, "another instance prunes");
    return say_strange(err);
}

enum err_code store_pg_answer(struct store_call *call, const struct pg_result *result,
                              struct err *err)
{
    struct arena arena;
    size_t rows = pg_task_row_count(result);
    if (rows == 0 || pg_task_column_count(result) != COLUMNS)
        return say_strange(err);
    arena_init(&arena, STORE_ANSWER_BYTES);
    struct fields head = {.result = result, .arena = &arena};
    enum err_code given = read_head(call, &head, err), code = given;
    for (size_t row = 1; row < rows && code == given && given != ERR_PROTOCOL; row++) {
        struct fields fields = {.result = result, .arena = &arena, .row = row};
        enum err_code added = add_record(call, &fields, err);
        code = added == ERR_OK ? code : added;
        arena_fini(&arena); /* the call has copies */
    }
    arena_fini(&arena);
    return code;
}
