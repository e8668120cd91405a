/* SPDX-License-Identifier: MIT */
/* backends/stores/store_wire.c - the table of asks and records, and one walk over it each way.
 *
 * Happy path: a field's type says how the member at its place becomes a word, or is filled from the
 * record's next text or number.
 * Failure: no memory, told by the arena; a field that is missing or out of its range is
 * ERR_PROTOCOL; an answer over its limit is ERR_TOO_LARGE. */
#include "backends/stores/store_wire.h"

#include <inttypes.h>
#include <string.h>

enum { FIRST_WORDS = 32, FORGET = 2 };
enum { UNNAMED_WEIGHT = 4 }; /* leases are renewed in time however much is asked */

/* ---- the table ---- */

/* The place of a member, which is of type want. */
#define AT(of, member, want)                                                                       \
    (offsetof(struct of, member) + 0 * sizeof(_Generic(((struct of *)NULL)->member, want           \
                                                       : (char)0)))
#define FIELD(type, of, member, want)                                                              \
    {                                                                                              \
        STORE_WIRE_##type, AT(of, member, want)                                                    \
    }
#define TEXT(of, member)    FIELD(TEXT, of, member, struct str)
#define SOUGHT(of, member)  FIELD(SOUGHT, of, member, struct str)
#define NUMBER(of, member)  FIELD(NUMBER, of, member, uint64_t)
#define ROWS(of, member)    FIELD(ROWS, of, member, uint64_t)
#define TRUTH(of, member)   FIELD(TRUTH, of, member, bool)
#define STATUS(of, member)  FIELD(STATUS, of, member, enum store_status)
#define FORGETS(of, member) FIELD(FORGET, of, member, bool)
#define ASKED(of)           FIELD(ASKED, of, cancel_asked, bool)
#define KEY(of, key)        TEXT(of, key.conversation_id), CALLER(of, key)
#define CALLER(of, key)     TEXT(of, key.company_id), TEXT(of, key.user_id)

#define FENCE(of) TEXT(of, fence.run_id), TEXT(of, fence.instance), NUMBER(of, fence.epoch)
#define RUN_TEXTS(of, run)                                                                         \
    KEY(of, run key), TEXT(of, run run_id), TEXT(of, run graph), TEXT(of, run input),              \
        TEXT(of, run idempotency_key), TEXT(of, run instance)
#define BEGIN(of, begin)                                                                           \
    RUN_TEXTS(of, begin run.), NUMBER(of, begin lease_ms), TRUTH(of, begin alone)

#define FIELDS(...)                                                                                \
    .fields = (const struct store_wire_field[]){__VA_ARGS__},                                      \
    .count =                                                                                       \
        sizeof((const struct store_wire_field[]){__VA_ARGS__}) / sizeof(struct store_wire_field)
#define KEYED(of, key) .is_keyed = true, .key_at = AT(of, key, struct identity)
#define LIST(of, items, many, item)                                                                \
    .items_at = offsetof(struct of, items), .count_at = AT(of, many, size_t),                      \
    .item_bytes = sizeof(struct item)

static const struct store_wire_verb verbs[STORE_VERB_COUNT] = {
    [STORE_LOAD] = {"v5_load", KEYED(store_load, key),
                    FIELDS(KEY(store_load, key), NUMBER(store_load, before_turn),
                           ROWS(store_load, turn_limit), NUMBER(store_load, at_version),
                           NUMBER(store_load, since_version))},
    [STORE_RESTORE] = {"v1_restore", KEYED(store_restore, key),
                       FIELDS(KEY(store_restore, key), NUMBER(store_restore, at_version))},
    [STORE_SAVE] = {"v5_save", KEYED(store_save, key),
                    FIELDS(KEY(store_save, key), NUMBER(store_save, expected_version),
                           {STORE_WIRE_TOKEN, 0}, TEXT(store_save, checkpoint.run_id),
                           NUMBER(store_save, checkpoint.step),
                           TRUTH(store_save, checkpoint.is_full),
                           TEXT(store_save, checkpoint.bytes), {STORE_WIRE_TITLE, 0}),
                    .lists = {{LIST(store_save, turns, turn_count, store_turn),
                               FIELDS(TEXT(store_turn, run_id), TEXT(store_turn, question),
                                      TEXT(store_turn, answer), TEXT(store_turn, details),
                                      TRUTH(store_turn, partial)),
                               .is_searched = true},
                              {LIST(store_save, notes, note_count, store_note),
                               FIELDS(TEXT(store_note, name), TEXT(store_note, bytes))}},
                    .list_count = 2},
    [STORE_KEEP] = {"v1_keep", KEYED(store_keep, key),
                    FIELDS(KEY(store_keep, key), TEXT(store_keep, note.name),
                           TEXT(store_keep, note.bytes))},
    [STORE_CHECKPOINTS] = {"v1_checkpoints", KEYED(store_checkpoints, key),
                           FIELDS(KEY(store_checkpoints, key),
                                  NUMBER(store_checkpoints, before_version),
                                  ROWS(store_checkpoints, limit))},
    [STORE_LIST] = {"v1_list", KEYED(store_list, key),
                    FIELDS(CALLER(store_list, key), NUMBER(store_list, before_ms),
                           ROWS(store_list, limit))},
    [STORE_SEARCH] = {"v1_search", KEYED(store_search, key),
                      FIELDS(CALLER(store_search, key), SOUGHT(store_search, text),
                             ROWS(store_search, limit))},
    [STORE_NOTES] = {"v4_notes", FIELDS(TEXT(store_notes, prefix), ROWS(store_notes, limit))},
    [STORE_ERASE] = {"v7_erase", KEYED(store_erase, key), FIELDS(KEY(store_erase, key))},
    [STORE_PRUNE] = {"v5_prune", FIELDS(NUMBER(store_prune, age_ms), ROWS(store_prune, limit),
                                        NUMBER(store_prune, lock_ms), TEXT(store_prune, instance))},
    [STORE_BEGIN] = {"v5_begin", KEYED(store_begin, run.key), FIELDS(BEGIN(store_begin, ))},
    [STORE_RESUME] = {"v8_resume", KEYED(store_resume, begin.run.key),
                      FIELDS(BEGIN(store_resume, begin.), TEXT(store_resume, paused_id),
                             NUMBER(store_resume, checkpoint.step),
                             TEXT(store_resume, checkpoint.bytes))},
    [STORE_CLAIM] = {"v6_claim", FIELDS(TEXT(store_claim, run_id), TEXT(store_claim, instance),
                                        NUMBER(store_claim, lease_ms))},
    [STORE_RENEW] = {"v1_renew", FIELDS(FENCE(store_renew), NUMBER(store_renew, lease_ms))},
    [STORE_FINISH] = {"v8_finish", FIELDS(FENCE(store_finish), STATUS(store_finish, status))},
    [STORE_FIND] = {"v1_find", KEYED(store_find, key),
                    FIELDS(KEY(store_find, key), TEXT(store_find, run_id),
                           TEXT(store_find, idempotency_key))},
    [STORE_RUNS] = {"v1_runs", KEYED(store_runs, key),
                    FIELDS(KEY(store_runs, key), ROWS(store_runs, limit),
                           TRUTH(store_runs, only_open))},
    [STORE_ENDED] = {"v8_ended", KEYED(store_ended, key),
                     FIELDS(CALLER(store_ended, key), NUMBER(store_ended, after_ms),
                            TEXT(store_ended, after_id), ROWS(store_ended, limit))},
    [STORE_STOP] = {"v1_stop", KEYED(store_stop, key),
                    FIELDS(KEY(store_stop, key), TEXT(store_stop, run_id),
                           FORGETS(store_stop, forget))},
    [STORE_APPEND] = {"v3_append",
                      FIELDS(FENCE(store_append), NUMBER(store_append, batch.first_id),
                             NUMBER(store_append, batch.count), TEXT(store_append, batch.bytes))},
    [STORE_WRITE] = {"v3_write",
                     .lists = {{LIST(store_write, appends, count, store_append),
                                FIELDS(FENCE(store_append), NUMBER(store_append, batch.first_id),
                                       NUMBER(store_append, batch.count),
                                       TEXT(store_append, batch.bytes))}},
                     .list_count = 1},
    [STORE_READ] = {"v1_read", KEYED(store_read, key),
                    FIELDS(KEY(store_read, key), TEXT(store_read, run_id),
                           NUMBER(store_read, after_id), NUMBER(store_read, limit_bytes))},
    [STORE_MARK] = {"v1_mark", FIELDS(FENCE(store_mark), NUMBER(store_mark, checkpoint.version),
                                      NUMBER(store_mark, checkpoint.step),
                                      TRUTH(store_mark, checkpoint.is_full),
                                      TEXT(store_mark, checkpoint.bytes))},
    [STORE_MARKS] = {"v1_marks", KEYED(store_marks, key),
                     FIELDS(KEY(store_marks, key), TEXT(store_marks, run_id),
                            NUMBER(store_marks, before_version), ROWS(store_marks, limit),
                            TRUTH(store_marks, only_list))},
    [STORE_PUT] = {"v7_put", KEYED(store_put, job.key),
                   FIELDS(KEY(store_put, job.key), TEXT(store_put, job.kind),
                          TEXT(store_put, job.job_id), NUMBER(store_put, job.due_ms),
                          TEXT(store_put, job.bytes), NUMBER(store_put, expected_version),
                          NUMBER(store_put, most), {STORE_WIRE_TOKEN, 0})},
    [STORE_TAKE] = {"v7_take", FIELDS(TEXT(store_take, kind), NUMBER(store_take, lease_ms))},
    [STORE_JOBS] = {"v7_jobs", KEYED(store_jobs, key),
                    FIELDS(KEY(store_jobs, key), TEXT(store_jobs, kind), TEXT(store_jobs, job_id),
                           ROWS(store_jobs, limit))},
    [STORE_DROP] = {"v7_drop", KEYED(store_drop, key),
                    FIELDS(KEY(store_drop, key), TEXT(store_drop, kind), TEXT(store_drop, job_id),
                           NUMBER(store_drop, expected_version))},
};

union record {
    struct store_checkpoint checkpoint;
    struct store_turn turn;
    struct store_note note;
    struct store_summary summary;
    struct store_run run;
    struct store_batch batch;
    struct store_verdict verdict;
    struct store_job job;
};

/* One add function a kind: add_checkpoint and so on. */
#define ADDER(kind)                                                                                \
    static enum err_code add_##kind(struct store_call *call, const union record *record)           \
    {                                                                                              \
        return store_add_##kind(call, &record->kind);                                              \
    }
ADDER(checkpoint)
ADDER(turn)
ADDER(note)
ADDER(summary)
ADDER(run)
ADDER(batch)
ADDER(verdict)
ADDER(job)

static const struct {
    const char *name;
    enum err_code (*add)(struct store_call *call, const union record *record);
    const struct store_wire_field *fields;
    size_t count;
} kinds[STORE_WIRE_KINDS] = {
    [STORE_WIRE_CHECKPOINT] =
        {"checkpoint", add_checkpoint,
         FIELDS(NUMBER(store_checkpoint, version), NUMBER(store_checkpoint, time_ms),
                TEXT(store_checkpoint, run_id), NUMBER(store_checkpoint, step),
                TRUTH(store_checkpoint, is_full), TEXT(store_checkpoint, bytes))},
    [STORE_WIRE_TURN] = {"turn", add_turn,
                         FIELDS(NUMBER(store_turn, number), NUMBER(store_turn, version),
                                NUMBER(store_turn, time_ms), TEXT(store_turn, conversation_id),
                                TEXT(store_turn, run_id), TEXT(store_turn, question),
                                TEXT(store_turn, answer), TEXT(store_turn, details),
                                TRUTH(store_turn, partial))},
    [STORE_WIRE_NOTE] = {"note", add_note, FIELDS(TEXT(store_note, name), TEXT(store_note, bytes))},
    [STORE_WIRE_SUMMARY] = {"summary", add_summary,
                            FIELDS(TEXT(store_summary, conversation_id), TEXT(store_summary, title),
                                   NUMBER(store_summary, version), NUMBER(store_summary, turns),
                                   NUMBER(store_summary, began_ms),
                                   NUMBER(store_summary, changed_ms))},
    [STORE_WIRE_RUN] = {"run", add_run,
                        FIELDS(RUN_TEXTS(store_run, ), NUMBER(store_run, epoch),
                               NUMBER(store_run, began_ms), NUMBER(store_run, changed_ms),
                               NUMBER(store_run, lease_until_ms), NUMBER(store_run, last_event_id),
                               STATUS(store_run, status), ASKED(store_run))},
    [STORE_WIRE_BATCH] = {"batch", add_batch,
                          FIELDS(NUMBER(store_batch, first_id), NUMBER(store_batch, count),
                                 TEXT(store_batch, bytes))},
    [STORE_WIRE_VERDICT] = {"verdict", add_verdict,
                            FIELDS(TRUTH(store_verdict, is_kept), NUMBER(store_verdict, last_id),
                                   ASKED(store_verdict))},
    [STORE_WIRE_JOB] = {"job", add_job,
                        FIELDS(KEY(store_job, key), TEXT(store_job, kind), TEXT(store_job, job_id),
                               TEXT(store_job, bytes), NUMBER(store_job, version),
                               NUMBER(store_job, due_ms), NUMBER(store_job, began_ms),
                               NUMBER(store_job, changed_ms))},
};

#define FORGET_FOLLOWS(of)                                                                         \
    _Static_assert(offsetof(struct of, forget_asked) == offsetof(struct of, cancel_asked) + 1,     \
                   "STORE_WIRE_ASKED fills two in a row")
FORGET_FOLLOWS(store_run);
FORGET_FOLLOWS(store_verdict);

const struct store_wire_verb *store_wire_verb_of(enum store_verb verb)
{
    return &verbs[verb];
}

const char *store_wire_kind_name(enum store_wire_kind kind)
{
    return kinds[kind].name;
}

/* All members of the union are pointers to plain data. */
static const char *ask_of(const struct store_call *call)
{
    return (const char *)call->ask.load;
}

void store_wire_caller(const struct store_call *call, struct gate_ticket *ticket)
{
    const struct store_wire_verb *verb = &verbs[call->verb];
    struct identity key = {0};
    if (verb->is_keyed)
        memcpy(&key, ask_of(call) + verb->key_at, sizeof key);
    bool is_named = !str_is_empty(key.company_id);
    ticket->caller = is_named ? key : (struct identity){0};
    ticket->weight = is_named ? 0 : UNNAMED_WEIGHT;
}

/* ---- asks ---- */

void store_wire_push(struct store_wire_words *words, struct str word)
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

static struct str title_of(const struct store_save *ask)
{
    return ask->turn_count == 0 ? STR("")
                                : str_utf8_prefix(ask->turns[0].question, STORE_TITLE_BYTES);
}

/* The number that a member is. */
static uint64_t number_of(enum store_wire_type type, const char *at)
{
    uint64_t number;
    bool truth;
    enum store_status status;
    switch (type) {
    case STORE_WIRE_STATUS:
        memcpy(&status, at, sizeof status);
        return status;
    case STORE_WIRE_TRUTH:
        memcpy(&truth, at, sizeof truth);
        return truth;
    case STORE_WIRE_FORGET:
        memcpy(&truth, at, sizeof truth);
        return truth ? FORGET : 1;
    default:
        memcpy(&number, at, sizeof number);
        return type == STORE_WIRE_ROWS ? store_rows(number) : number;
    }
}

static void push_field(struct store_wire_words *words, const struct store_wire_field *field,
                       const char *item)
{
    struct str text;
    if (field->type == STORE_WIRE_TEXT || field->type == STORE_WIRE_SOUGHT) {
        memcpy(&text, item + field->at, sizeof text);
        store_wire_push(words, text);
    } else {
        store_wire_push(words, arena_printf(words->arena, "%" PRIu64,
                                            number_of(field->type, item + field->at)));
    }
}

void store_wire_push_fields(struct store_wire_words *words, const struct store_call *call,
                            struct str token)
{
    const struct store_wire_verb *verb = &verbs[call->verb];
    for (size_t i = 0; i < verb->count; i++) {
        if (verb->fields[i].type == STORE_WIRE_TOKEN)
            store_wire_push(words, token);
        else if (verb->fields[i].type == STORE_WIRE_TITLE)
            store_wire_push(words, title_of(call->ask.save));
        else
            push_field(words, &verb->fields[i], ask_of(call));
    }
}

size_t store_wire_list_count(const struct store_call *call, const struct store_wire_list *list)
{
    size_t count;
    memcpy(&count, ask_of(call) + list->count_at, sizeof count);
    return count;
}

void store_wire_push_list(struct store_wire_words *words, const struct store_call *call,
                          const struct store_wire_list *list)
{
    const char *items;
    memcpy(&items, ask_of(call) + list->items_at, sizeof items);
    for (size_t i = 0; i < store_wire_list_count(call, list); i++)
        for (size_t j = 0; j < list->count; j++)
            push_field(words, &list->fields[j], items + i * list->item_bytes);
}

/* ---- answers ---- */

enum err_code store_wire_strange(const struct store_wire_source *source, struct err *err)
{
    return err_set(err, ERR_PROTOCOL, "%s holds what this version does not write", source->store);
}

enum err_code store_wire_code(const struct store_call *call, struct str code,
                              const struct store_wire_source *source, struct err *err)
{
    const char *what = call->verb < STORE_BEGIN ? "conversation"
                       : call->verb < STORE_PUT ? "run"
                                                : "job";
    if (str_equal(code, STR("ok")))
        return ERR_OK;
    if (str_equal(code, STR("not_found")))
        return err_set(err, ERR_NOT_FOUND, "there is no such %s", what);
    if (str_equal(code, STR("conflict")))
        return err_set(err, ERR_CONFLICT, "the %s is another's or was changed meanwhile", what);
    if (str_equal(code, STR("busy")))
        return err_set(err, ERR_BUSY,
                       call->verb == STORE_PUT ? STORE_WIRE_MANY : "another instance prunes");
    return store_wire_strange(source, err);
}

enum err_code store_wire_read_numbers(struct store_call *call, struct store_wire_source *source,
                                      struct err *err)
{
    bool is_good = source->next_number(source, &call->version) &&
                   source->next_number(source, &call->total) &&
                   source->next_number(source, &call->last_id);
    return is_good ? ERR_OK : store_wire_strange(source, err);
}

/* Fill the member from the record. False: what is there is not of its kind. */
static bool take_field(const struct store_wire_field *field, struct store_wire_source *source,
                       char *record)
{
    struct str text;
    uint64_t number = 0;
    if (field->type == STORE_WIRE_TEXT) {
        bool is_good = source->next_text(source, &text);
        memcpy(record + field->at, &text, sizeof text);
        return is_good;
    }
    if (!source->next_number(source, &number))
        return false;
    const bool truths[] = {number != 0, number == FORGET};
    enum store_status status = (enum store_status)number;
    switch (field->type) {
    case STORE_WIRE_STATUS:
        memcpy(record + field->at, &status, sizeof status);
        return number <= STORE_CANCELLED;
    case STORE_WIRE_TRUTH:
        memcpy(record + field->at, truths, sizeof truths[0]);
        return true;
    case STORE_WIRE_ASKED:
        memcpy(record + field->at, truths, sizeof truths);
        return true;
    default:
        memcpy(record + field->at, &number, sizeof number);
        return true;
    }
}

enum err_code store_wire_add(struct store_call *call, enum store_wire_kind kind,
                             struct store_wire_source *source, struct err *err)
{
    union record record;
    memset(&record, 0, sizeof record);
    for (size_t i = 0; i < kinds[kind].count; i++)
        if (!take_field(&kinds[kind].fields[i], source, (char *)&record))
            return store_wire_strange(source, err);
    return kinds[kind].add(call, &record) == ERR_OK
               ? ERR_OK
               : err_set(err, ERR_TOO_LARGE, "the answer of the store is over its limit");
}
