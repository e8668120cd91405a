/* SPDX-License-Identifier: MIT */
/* server/feedback/api_feedback.c - the run is found, then its turn, then a note is kept beside it.
 *
 * Happy path: the body is read; the store of runs says which conversation the run was of; the turn
 * gives question and statement; the note is kept under the run's id, so that another feedback on
 * the same run takes its place. Failure paths: a member of another type or too long: 422 with its
 * pointer; no such run of the caller's, or one without a turn (yet): 404; no store: 503. */
#include "server/feedback/api_feedback.h"

#include <stdio.h>

#include "proto/json_value.h"
#include "server/api/conversations/conversation_request.h"
#include "server/api/run_body.h"
#include "server/records/feedback_note.h"
#include "server/records/turn_details.h"
#include "server/runs/shard.h"

enum { MAX_REASON = 2000, MAX_SQL = 16 * 1024, NOTE_BYTES = 256 * 1024 };

/* ---- the body ---- */

static bool read_score(const struct json_value *root, struct feedback_note *note,
                       struct problem *problem)
{
    const struct json_value *score = json_value_member(root, STR("score"));
    if (score != NULL && score->type == JSON_INT && score->integer >= -1 && score->integer <= 1) {
        note->score = score->integer;
        return true;
    }
    problem_field(problem, "/score", "/score: expected 1 (good), 0 or -1 (bad), got %s",
                  score == NULL ? "nothing" : "something else");
    return false;
}

/* Read a text that may be absent. */
static bool read_text(const struct json_value *root, const char *name, size_t most,
                      struct str *text, struct problem *problem)
{
    char pointer[32];
    const struct json_value *value = json_value_member(root, str_of(name));
    *text = STR("");
    if (value == NULL)
        return true;
    if (value->type == JSON_STRING && value->text.len <= most) {
        *text = str_trim(value->text);
        return true;
    }
    snprintf(pointer, sizeof pointer, "/%s", name);
    problem_field(problem, pointer, "%s: expected a text of at most %zu bytes", pointer, most);
    return false;
}

static bool read_body(struct exchange *exchange, struct feedback_note *note,
                      struct problem *problem)
{
    const struct json_value *root = run_body_parse(exchange, problem);
    return root != NULL && read_score(root, note, problem) &&
           read_text(root, "reason", MAX_REASON, &note->reason, problem) &&
           read_text(root, "sql", MAX_SQL, &note->corrected, problem);
}

/* ---- the run ---- */

static void reply(struct conversation_request *request)
{
    conversation_request_reply(request, 200, STR("{\"state\":\"kept\"}"));
}

/* The turn of the run among those that were loaded; NULL: none. */
static const struct store_turn *find_turn(const struct conversation_request *request)
{
    for (size_t i = 0; i < request->call.turn_count; i++)
        if (str_equal(request->call.turns[i].run_id, request->run_id))
            return &request->call.turns[i];
    return NULL;
}

static void keep(struct conversation_request *request)
{
    const struct store_turn *turn = find_turn(request);
    struct feedback_note *note = request->owner;
    struct buf out;
    struct err err;
    if (turn == NULL) {
        err_set(&err, ERR_NOT_FOUND, "there is no such run with an answer");
        conversation_request_fail(request, &err);
        return;
    }
    note->key = request->key;
    note->run_id = request->run_id;
    note->at_ms = turn->time_ms;
    buf_init(&out, NOTE_BYTES);
    note->question = arena_str(&request->arena, turn_details_find_meant(turn->details, &out));
    if (str_is_absent(note->question)) /* it stands by itself */
        note->question = turn->question;
    buf_clear(&out);
    note->sql = arena_str(&request->arena, turn_details_find_written(turn->details, &out));
    buf_clear(&out);
    feedback_note_write(note, &out);
    request->keep = (struct store_keep){
        request->key,
        {feedback_note_name(request->run_id, &request->arena),
         buf_ok(&out) ? arena_str(&request->arena, buf_str(&out)) : (struct str){NULL, 0}}};
    buf_fini(&out);
    if (str_is_absent(request->keep.note.name) || str_is_absent(request->keep.note.bytes)) {
        err_set(&err, ERR_NO_MEMORY, "no memory for another request");
        conversation_request_fail(request, &err);
        return;
    }
    store_keep_start(&request->second, request->store, &request->keep,
                     conversation_request_waiter(request, reply));
}

static void load(struct conversation_request *request)
{
    request->ask.load = (struct store_load){.key = request->key};
    store_load_start(&request->call, request->store, &request->ask.load,
                     conversation_request_waiter(request, keep));
}

/* Saved from another worker or server, the turn may still be on its way to the store. */
static void find(struct conversation_request *request)
{
    turn_find_start(&request->finding, request->store, &request->key, request->run_id,
                    conversation_request_waiter(request, load));
}

static void settle(struct conversation_request *request)
{
    const struct store_run *run = request->loaded.run_count > 0 ? &request->loaded.runs[0] : NULL;
    struct err err;
    if (run == NULL || str_is_empty(run->key.conversation_id)) {
        err_set(&err, ERR_NOT_FOUND, "there is no such run in a conversation");
        conversation_request_fail(request, &err);
        return;
    }
    request->key = identity_copy(&request->arena, &run->key);
    conversation_request_settle(request, find);
}

void api_feedback_post(struct exchange *exchange)
{
    struct feedback_note read = {.score = 0};
    struct problem problem;
    struct err err;
    if (!read_body(exchange, &read, &problem)) {
        exchange_problem(exchange, &problem);
        return;
    }
    struct conversation_request *request = conversation_request_open(exchange, false);
    if (request == NULL)
        return;
    struct feedback_note *note = arena_alloc(&request->arena, sizeof *note);
    request->run_id = arena_str(&request->arena, exchange->match.params[0]);
    if (request->shard->wiring->events == NULL || note == NULL) {
        err_set(&err, note == NULL ? ERR_NO_MEMORY : ERR_NOT_CONFIGURED,
                note == NULL ? "no memory for another request"
                             : "runs are kept in memory only: set ASKD_CHECKPOINT_URL");
        conversation_request_fail(request, &err);
        return;
    }
    note->score = read.score;
    note->reason = arena_str(&request->arena, read.reason);
    note->corrected = arena_str(&request->arena, read.corrected);
    request->owner = note;
    request->ask.find = (struct store_find){.key = request->key, .run_id = request->run_id};
    store_find_start(&request->loaded, request->shard->wiring->events, &request->ask.find,
                     conversation_request_waiter(request, settle));
}
