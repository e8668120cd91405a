/* SPDX-License-Identifier: MIT */
/* server/conversations/takeover_turn.c - one walk over the events: the tokens of the last attempt
 * are the answer, the members of the complete event give the rest.
 *
 * Failure: takeover_turn_keep says false; an answer that is too long is cut. */
#include "server/conversations/takeover_turn.h"
#include "server/records/run_input.h"
#include "server/records/turn_result.h"

#include "proto/json_value.h"
#include "proto/json_write.h"

enum {
    MAX_ANSWER_BYTES = 256 * 1024,
    MAX_DETAILS_BYTES = 128 * 1024,
    MEMBERS_BYTES = 64 * 1024 * 1024,
};

struct said {
    struct buf answer;
    int64_t attempt;
    struct turn_result result;
};

static bool take(void *owner, const struct event *event)
{
    struct said *said = owner;
    turn_result_hear(&said->result, event);
    if (event->kind != EVENT_TOKEN || !str_equal(event->name, STR(EVENT_FINAL_CHANNEL)))
        return true;
    if (event->number > said->attempt) {
        said->attempt = event->number;
        buf_clear(&said->answer);
    }
    size_t room = said->answer.limit - buf_len(&said->answer);
    buf_push(&said->answer, str_utf8_prefix(event->text, room));
    return true;
}

/* Write the details of the turn (server/records/turn_details.h), from the members of the complete
 * event. */
static void write_details(struct str graph, const struct turn_result *result, struct buf *out)
{
    const struct event *last = &result->last;
    struct json_write json;
    struct arena arena;
    struct str text;
    int64_t row_count;
    arena_init(&arena, MEMBERS_BYTES);
    const struct json_value *root = NULL;
    if (last->kind == EVENT_COMPLETE)
        root = json_value_parse(&arena, arena_printf(&arena, "{%.*s}", STR_ARG(last->text)), NULL,
                                NULL);
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_member_str(&json, STR("graph"), graph);
    if (json_value_str(root, "/route", &text, NULL) == ERR_OK)
        json_write_member_str(&json, STR("route"), text);
    if (json_value_str(root, "/sql", &text, NULL) == ERR_OK && text.len > 0)
        json_write_member_str(&json, STR("sql"), text);
    if (json_value_i64(root, "/data/row_count", &row_count, NULL) == ERR_OK)
        json_write_member_i64(&json, STR("row_count"), row_count);
    turn_result_write(result, &json);
    json_write_object_end(&json);
    arena_fini(&arena);
}

static void keep(const struct store_run *run, const struct said *said,
                 struct conversations *conversations)
{
    struct buf details;
    buf_init(&details, MAX_DETAILS_BYTES);
    write_details(run->graph, &said->result, &details);
    const struct store_checkpoint checkpoint = {.is_full = true, .bytes = STR("")};
    const struct store_turn turn = {.run_id = run->run_id,
                                    .question = run_input_message(run->input),
                                    .answer = buf_str(&said->answer),
                                    .details = buf_ok(&details) ? buf_str(&details) : STR("{}"),
                                    .partial = said->result.last.kind != EVENT_COMPLETE};
    conversations_save_past(conversations, &run->key, &checkpoint, &turn);
    buf_fini(&details);
}

bool takeover_turn_keep(const struct stored_run *past, struct conversations *conversations)
{
    const struct store_run *run = past->run;
    struct said said = {.attempt = 1};
    struct err ignored;
    if (past->is_kept || run->forget_asked || run->key.conversation_id.len == 0 ||
        conversations_store(conversations) == NULL)
        return false;
    buf_init(&said.answer, MAX_ANSWER_BYTES);
    bool is_said = stored_run_each(past, take, &said, &ignored) == ERR_OK && buf_ok(&said.answer) &&
                   buf_len(&said.answer) > 0;
    if (is_said)
        keep(run, &said, conversations);
    buf_fini(&said.answer);
    return is_said;
}
