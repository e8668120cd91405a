/* SPDX-License-Identifier: MIT */
/* server/api/conversations/api_label.c - the body is read, then a note is kept for what it names.
 *
 * Happy path: labels that are one note yet are carried over; what the body does not name stays as
 * it is; the notes are loaded again, those that are too many are forgotten, and the answer says how
 * it is now. Failure paths: a member that is wrong: 422; no such conversation of the caller's, or
 * it was erased meanwhile, which takes the notes with it: 404. */
#include "server/api/conversations/api_label.h"

#include "proto/json_value.h"
#include "proto/json_write.h"
#include "server/api/conversations/conversation_labels.h"
#include "server/api/run_body.h"
#include "server/runs/shard.h"

enum { ANSWER_BYTES = 4096 };

static void load(struct conversation_request *request, conversation_request_fn *next)
{
    request->ask.load = (struct store_load){.key = request->key, .turn_limit = 1};
    op_release(&request->loaded.op);
    store_load_start(&request->loaded, request->store, &request->ask.load,
                     conversation_request_waiter(request, next));
}

static void keep(struct conversation_request *request, const struct store_note *note,
                 conversation_request_fn *next)
{
    struct err err;
    request->keep = (struct store_keep){.key = identity_user(&request->key), .note = *note};
    if (!arena_ok(&request->arena)) {
        err_set(&err, ERR_NO_MEMORY, "no memory for the names of conversations");
        conversation_request_fail(request, &err);
        return;
    }
    op_release(&request->second.op);
    store_keep_start(&request->second, request->store, &request->keep,
                     conversation_request_waiter(request, next));
}

static void keep_title(struct conversation_request *request, struct str id, struct str title,
                       conversation_request_fn *next)
{
    const struct store_note note =
        conversation_labels_title(id, title, loop_wall_ms(request->shard->loop), &request->arena);
    keep(request, &note, next);
}

static void keep_pin(struct conversation_request *request, struct str id, bool pinned,
                     conversation_request_fn *next)
{
    const struct store_note note =
        conversation_labels_pin(id, pinned, loop_wall_ms(request->shard->loop), &request->arena);
    keep(request, &note, next);
}

/* ---- carrying over what was one note ---- */

static void load_carried(struct conversation_request *request)
{
    request->step = 0;
    load(request, request->labelled_next);
}

/* Each label's name, then its pin, from request->step on; the one note goes last. */
static void carry(struct conversation_request *request)
{
    while (request->step < 2 * request->carried.count) {
        const struct conversation_label *label = &request->carried.at[request->step / 2];
        const bool is_pin = request->step++ % 2 == 1;
        if (is_pin && label->pinned) {
            keep_pin(request, label->id, true, carry);
            return;
        }
        if (!is_pin && !str_is_empty(label->title)) {
            keep_title(request, label->id, label->title, carry);
            return;
        }
    }
    keep(request, &(struct store_note){STR(CONVERSATION_LABELS_BEFORE), STR("")}, load_carried);
}

static void carry_over(struct conversation_request *request)
{
    request->carried = conversation_labels_before(&request->loaded, &request->arena);
    if (request->carried.count == 0) {
        request->labelled_next(request);
        return;
    }
    request->step = 0;
    carry(request);
}

/* Load the conversation with labels that are notes of their own; then next. */
static void load_labels(struct conversation_request *request, conversation_request_fn *next)
{
    request->labelled_next = next;
    load(request, carry_over);
}

/* ---- forgetting ---- */

static void forget_pin(struct conversation_request *request)
{
    keep_pin(request, request->key.conversation_id, false, request->forgotten_next);
}

static void forget_title(struct conversation_request *request)
{
    const struct conversation_labels labels =
        conversation_labels_of(&request->loaded, &request->arena);
    if (conversation_labels_find(&labels, request->key.conversation_id) == NULL)
        request->forgotten_next(request); /* as mostly */
    else
        keep_title(request, request->key.conversation_id, STR(""), forget_pin);
}

void api_label_forget(struct conversation_request *request, conversation_request_fn *next)
{
    request->forgotten_next = next;
    load_labels(request, forget_title);
}

/* ---- PATCH ---- */

static void fail_absent(struct conversation_request *request)
{
    struct err err;
    err_set(&err, ERR_NOT_FOUND, "there is no such conversation");
    conversation_request_fail(request, &err);
}

static void reply(struct conversation_request *request)
{
    const struct conversation_labels labels =
        conversation_labels_of(&request->loaded, &request->arena);
    const struct conversation_label *label =
        conversation_labels_find(&labels, request->key.conversation_id);
    struct json_write json;
    struct buf out;
    buf_init(&out, ANSWER_BYTES);
    json_write_init(&json, &out);
    json_write_object(&json);
    json_write_member_str(&json, STR("conversation_id"), request->key.conversation_id);
    json_write_member_str(&json, STR("title"), label == NULL ? STR("") : label->title);
    json_write_member_bool(&json, STR("pinned"), label != NULL && label->pinned);
    json_write_object_end(&json);
    conversation_request_reply_buf(request, 200, &out);
}

/* The notes are as they were loaded, one after the other. */
static void forget_old(struct conversation_request *request)
{
    while (request->step < request->loaded.note_count) {
        const struct store_note *note = &request->loaded.notes[request->step++];
        if (conversation_labels_is_too_many(&request->loaded, note)) {
            keep(request, &(struct store_note){note->name, STR("")}, forget_old);
            return;
        }
    }
    reply(request);
}

static void look_again(struct conversation_request *request)
{
    if (request->loaded.version == 0) /* erased meanwhile: what was put goes, too */
        api_label_forget(request, fail_absent);
    else
        forget_old(request);
}

static void load_again(struct conversation_request *request)
{
    load(request, look_again);
}

static void change_pin(struct conversation_request *request)
{
    if (request->says_pinned)
        keep_pin(request, request->key.conversation_id, request->label.pinned, load_again);
    else
        load_again(request);
}

static void change(struct conversation_request *request)
{
    if (request->loaded.version == 0)
        fail_absent(request);
    else if (str_is_absent(request->label.title))
        change_pin(request);
    else
        keep_title(request, request->key.conversation_id, request->label.title, change_pin);
}

static void load_label(struct conversation_request *request)
{
    load_labels(request, change);
}

/* False: problem. */
static bool read_body(const struct json_value *root, struct conversation_request *request,
                      struct problem *problem)
{
    struct err err = {0};
    struct str title = {NULL, 0};
    enum err_code code = json_value_str(root, "/title", &title, &err);
    if (code != ERR_OK && code != ERR_NOT_FOUND)
        return problem_field(problem, "/title", "%s", err.text);
    if (title.len > CONVERSATION_LABELS_TITLE)
        return problem_field(problem, "/title", "/title: expected at most %d bytes, got %zu",
                             CONVERSATION_LABELS_TITLE, title.len);
    code = json_value_bool(root, "/pinned", &request->label.pinned, &err);
    if (code != ERR_OK && code != ERR_NOT_FOUND)
        return problem_field(problem, "/pinned", "%s", err.text);
    request->says_pinned = code == ERR_OK;
    if (str_is_absent(title) && !request->says_pinned)
        return problem_field(problem, "", "expected title or pinned, got neither");
    if (!str_is_absent(title))
        request->label.title = arena_str(&request->arena, str_trim(title));
    return true;
}

void api_label_set(struct exchange *exchange)
{
    struct problem problem;
    const struct json_value *root = run_body_parse(exchange, &problem);
    if (root == NULL) {
        exchange_problem(exchange, &problem);
        return;
    }
    struct conversation_request *request = conversation_request_open(exchange, true);
    if (request == NULL)
        return;
    if (read_body(root, request, &problem))
        conversation_request_settle(request, load_label);
    else
        exchange_problem(conversation_request_leave(request), &problem);
}
