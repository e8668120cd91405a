/* SPDX-License-Identifier: MIT */
/* server/conversation_json.c - one object each; times are milliseconds since 1970.
 *
 * Failure: none but a full buf. */
#include "server/conversation_json.h"

#include "proto/json_write.h"

void conversation_json_list(const struct store_call *call, struct str conversation_id UNUSED,
                            struct buf *out)
{
    struct json_write json;
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_key(&json, STR("conversations"));
    json_write_array(&json);
    for (size_t i = 0; i < call->summary_count; i++) {
        const struct store_summary *summary = &call->summaries[i];
        json_write_object(&json);
        json_write_member_str(&json, STR("conversation_id"), summary->conversation_id);
        json_write_member_str(&json, STR("title"), summary->title);
        json_write_member_u64(&json, STR("turns"), summary->turns);
        json_write_member_u64(&json, STR("version"), summary->version);
        json_write_member_u64(&json, STR("began_ms"), summary->began_ms);
        json_write_member_u64(&json, STR("changed_ms"), summary->changed_ms);
        json_write_object_end(&json);
    }
    json_write_array_end(&json);
    json_write_object_end(&json);
}

void conversation_json_found(const struct store_call *call, struct str conversation_id UNUSED,
                             struct buf *out)
{
    struct json_write json;
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_key(&json, STR("found"));
    json_write_array(&json);
    for (size_t i = 0; i < call->turn_count; i++) {
        const struct store_turn *turn = &call->turns[i];
        json_write_object(&json);
        json_write_member_str(&json, STR("conversation_id"), turn->conversation_id);
        json_write_member_u64(&json, STR("turn"), turn->number);
        json_write_member_u64(&json, STR("time_ms"), turn->time_ms);
        json_write_member_str(&json, STR("question"), turn->question);
        json_write_member_str(&json, STR("answer"), turn->answer);
        json_write_object_end(&json);
    }
    json_write_array_end(&json);
    json_write_object_end(&json);
}

static void write_message(struct json_write *json, const struct store_turn *turn, const char *role,
                          struct str content)
{
    json_write_object(json);
    json_write_member_str(json, STR("role"), str_of(role));
    json_write_member_str(json, STR("content"), content);
    json_write_member_u64(json, STR("turn"), turn->number);
}

static void write_turn(struct json_write *json, const struct store_turn *turn)
{
    write_message(json, turn, "user", turn->question);
    json_write_object_end(json);
    write_message(json, turn, "assistant", turn->answer);
    if (turn->partial)
        json_write_member_bool(json, STR("partial"), true);
    json_write_member_str(json, STR("run_id"), turn->run_id);
    json_write_member_u64(json, STR("version"), turn->version);
    json_write_member_u64(json, STR("time_ms"), turn->time_ms);
    if (str_starts_with(turn->details, STR("{")))
        json_write_member_raw(json, STR("details"), turn->details);
    json_write_object_end(json);
}

static void write_waits(struct json_write *json, const struct store_run *run)
{
    json_write_key(json, STR("waits"));
    json_write_object(json);
    json_write_member_str(json, STR("run_id"), run->run_id);
    json_write_member_str(json, STR("graph"), run->graph);
    json_write_member_str(json, STR("question"), run->input);
    json_write_member_u64(json, STR("time_ms"), run->began_ms);
    json_write_object_end(json);
}

void conversation_json_history(const struct store_call *call, struct str conversation_id,
                               const struct store_run *waits, struct buf *out)
{
    struct json_write json;
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_member_str(&json, STR("conversation_id"), conversation_id);
    json_write_member_u64(&json, STR("version"), call->version);
    json_write_member_u64(&json, STR("turns"), call->total);
    json_write_key(&json, STR("messages"));
    json_write_array(&json);
    for (size_t i = 0; i < call->turn_count; i++)
        write_turn(&json, &call->turns[i]);
    json_write_array_end(&json);
    if (waits != NULL)
        write_waits(&json, waits);
    json_write_object_end(&json);
}

static void write_checkpoint(struct json_write *json, const struct store_checkpoint *checkpoint)
{
    json_write_object(json);
    json_write_member_u64(json, STR("version"), checkpoint->version);
    json_write_member_u64(json, STR("time_ms"), checkpoint->time_ms);
    json_write_member_str(json, STR("run_id"), checkpoint->run_id);
    json_write_member_u64(json, STR("step"), checkpoint->step);
    json_write_member_bool(json, STR("full"), checkpoint->is_full);
    json_write_object_end(json);
}

void conversation_json_checkpoints(const struct store_call *versions,
                                   const struct store_call *supersteps, struct str conversation_id,
                                   struct buf *out)
{
    struct json_write json;
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_member_str(&json, STR("conversation_id"), conversation_id);
    json_write_key(&json, STR("checkpoints"));
    json_write_array(&json);
    for (size_t i = 0; i < versions->checkpoint_count; i++)
        write_checkpoint(&json, &versions->checkpoints[i]);
    json_write_array_end(&json);
    json_write_key(&json, STR("supersteps"));
    json_write_array(&json);
    for (size_t i = supersteps->checkpoint_count; i-- > 0;)
        write_checkpoint(&json, &supersteps->checkpoints[i]);
    json_write_array_end(&json);
    json_write_object_end(&json);
}
