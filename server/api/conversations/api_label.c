/* SPDX-License-Identifier: MIT */
/* server/api/conversations/api_label.c - the body is read, the note loaded, changed and kept.
 *
 * Happy path: what the body does not name stays as it is; the answer says how it is now.
 * Failure paths: a member that is wrong: 422; no such conversation of the caller's: 404. Of two
 * changes at the same moment the later one may undo the other. */
#include "server/api/conversations/api_label.h"

#include "proto/json_value.h"
#include "proto/json_write.h"
#include "server/api/conversations/conversation_labels.h"
#include "server/api/run_body.h"

enum { NOTE_BYTES = 128 * 1024, ANSWER_BYTES = 4096 };

/* ---- keeping ---- */

static void load(struct conversation_request *request, conversation_request_fn *next)
{
    request->ask.load = (struct store_load){.key = request->key, .turn_limit = 1};
    op_release(&request->loaded.op);
    store_load_start(&request->loaded, request->store, &request->ask.load,
                     conversation_request_waiter(request, next));
}

/* label is request->label by now. */
static void keep(struct conversation_request *request, conversation_request_fn *next)
{
    const struct conversation_labels labels =
        conversation_labels_of(&request->loaded, &request->arena);
    struct buf note;
    struct err err;
    buf_init(&note, NOTE_BYTES);
    conversation_labels_write(&labels, &request->label, &note);
    request->keep = (struct store_keep){
        .key = identity_user(&request->key),
        .note = {STR(CONVERSATION_LABELS_NOTE), arena_str(&request->arena, buf_str(&note))}};
    const bool is_whole = buf_ok(&note) && arena_ok(&request->arena);
    buf_fini(&note);
    if (!is_whole) {
        err_set(&err, ERR_NO_MEMORY, "no memory for the names of conversations");
        conversation_request_fail(request, &err);
        return;
    }
    op_release(&request->second.op);
    store_keep_start(&request->second, request->store, &request->keep,
                     conversation_request_waiter(request, next));
}

/* ---- PATCH ---- */

static void reply(struct conversation_request *request)
{
    struct json_write json;
    struct buf out;
    buf_init(&out, ANSWER_BYTES);
    json_write_init(&json, &out);
    json_write_object(&json);
    json_write_member_str(&json, STR("conversation_id"), request->key.conversation_id);
    json_write_member_str(&json, STR("title"), request->label.title);
    json_write_member_bool(&json, STR("pinned"), request->label.pinned);
    json_write_object_end(&json);
    conversation_request_reply_buf(request, 200, &out);
}

static void change(struct conversation_request *request)
{
    const struct conversation_labels labels =
        conversation_labels_of(&request->loaded, &request->arena);
    const struct conversation_label *before =
        conversation_labels_find(&labels, request->key.conversation_id);
    struct err err;
    if (request->loaded.version == 0) {
        err_set(&err, ERR_NOT_FOUND, "there is no such conversation");
        conversation_request_fail(request, &err);
        return;
    }
    request->label.id = request->key.conversation_id;
    if (str_is_absent(request->label.title))
        request->label.title = before == NULL ? STR("") : before->title;
    if (!request->says_pinned)
        request->label.pinned = before != NULL && before->pinned;
    keep(request, reply);
}

static void load_label(struct conversation_request *request)
{
    load(request, change);
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

/* ---- erasing ---- */

static void forget(struct conversation_request *request)
{
    const struct conversation_labels labels =
        conversation_labels_of(&request->loaded, &request->arena);
    request->label = (struct conversation_label){.id = request->key.conversation_id};
    if (conversation_labels_find(&labels, request->label.id) == NULL)
        request->labelled_next(request);
    else
        keep(request, request->labelled_next);
}

void api_label_forget(struct conversation_request *request, conversation_request_fn *next)
{
    request->labelled_next = next;
    load(request, forget);
}
