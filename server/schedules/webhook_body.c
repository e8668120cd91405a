/* SPDX-License-Identifier: MIT */
/* server/schedules/webhook_body.c - one walk over the events: the tokens of the last attempt are
 * the answer, the terminal event gives the rest.
 *
 * Failure: no memory; damaged events; a run whose end was lost is told as failed. */
#include "server/schedules/webhook_body.h"

#include "proto/json_write.h"
#include "server/records/run_input.h"

enum { ANSWER_BYTES = 256 * 1024, MEMBERS_BYTES = 512 * 1024 };

struct said {
    struct buf answer;
    int64_t attempt;
    bool is_cut;
};

static bool hear(void *owner, const struct event *event)
{
    struct said *said = owner;
    if (event->kind != EVENT_TOKEN || !str_equal(event->name, STR(EVENT_FINAL_CHANNEL)))
        return true;
    if (event->number > said->attempt) {
        said->attempt = event->number;
        buf_clear(&said->answer);
    }
    struct str part = str_utf8_prefix(event->text, said->answer.limit - buf_len(&said->answer));
    said->is_cut = said->is_cut || part.len < event->text.len;
    buf_push(&said->answer, part);
    return true;
}

static void write_end(const struct event *last, bool has_ended, struct json_write *json)
{
    struct str members = !has_ended ? STR("") : last->kind == EVENT_ERROR ? last->more : last->text;
    if (!has_ended || last->kind == EVENT_ERROR) {
        json_write_key(json, STR("error"));
        json_write_object(json);
        json_write_member_str(json, STR("code"), has_ended ? last->name : STR("server_shutdown"));
        json_write_member_str(json, STR("message"),
                              has_ended ? last->text : STR("the end of the run was lost"));
        json_write_object_end(json);
    }
    if (members.len > MEMBERS_BYTES) {
        json_write_member_bool(json, STR("result_left_out"), true);
        return;
    }
    struct buf object;
    buf_init(&object, MEMBERS_BYTES + 2);
    buf_printf(&object, "{%.*s}", STR_ARG(members));
    if (buf_ok(&object))
        json_write_member_raw(json, STR("result"), buf_str(&object));
    buf_fini(&object);
}

static const char *type_of(const struct event *last, bool has_ended)
{
    if (!has_ended)
        return "run.failed";
    if (event_is_pause(last))
        return "run.interrupted";
    if (last->kind == EVENT_COMPLETE)
        return "run.completed";
    return str_equal(last->name, STR("cancelled")) ? "run.cancelled" : "run.failed";
}

bool webhook_body_write(const struct stored_run *past, struct str schedule_id, struct buf *out)
{
    const struct store_run *run = past->run;
    struct said said = {.attempt = 1};
    struct event last;
    struct err ignored;
    struct json_write json;
    bool has_ended = false;
    buf_init(&said.answer, ANSWER_BYTES);
    bool fine = stored_run_find_end(past, &has_ended, &last, &ignored) == ERR_OK &&
                stored_run_each(past, hear, &said, &ignored) == ERR_OK && buf_ok(&said.answer);
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_member_str(&json, STR("type"), str_of(type_of(&last, has_ended)));
    json_write_member_u64(&json, STR("timestamp_ms"), run->changed_ms);
    json_write_key(&json, STR("data"));
    json_write_object(&json);
    if (schedule_id.len > 0)
        json_write_member_str(&json, STR("schedule_id"), schedule_id);
    json_write_member_str(&json, STR("run_id"), run->run_id);
    json_write_member_str(&json, STR("graph"), run->graph);
    if (run->key.conversation_id.len > 0)
        json_write_member_str(&json, STR("conversation_id"), run->key.conversation_id);
    json_write_member_str(&json, STR("company_id"), run->key.company_id);
    json_write_member_str(&json, STR("user_id"), run->key.user_id);
    json_write_member_str(&json, STR("question"), run_input_message(run->input));
    json_write_member_str(&json, STR("answer"), buf_str(&said.answer));
    if (said.is_cut)
        json_write_member_bool(&json, STR("answer_cut"), true);
    json_write_member_u64(&json, STR("began_ms"), run->began_ms);
    write_end(&last, has_ended, &json);
    json_write_object_end(&json);
    json_write_object_end(&json);
    buf_fini(&said.answer);
    return fine && buf_ok(out);
}
