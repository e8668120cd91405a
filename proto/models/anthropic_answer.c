/* SPDX-License-Identifier: MIT */
/* proto/models/anthropic_answer.c - the members of messages and of the events that build them.
 *
 * One walk reads all events, for each member stands for one thing wherever it comes: "text" in a
 * delta is said, "thinking" is thought, "stop_reason" ends. Failure paths: as answer_walk.c tells
 * them. */
#include "proto/models/anthropic_answer.h"

#include "proto/models/answer_walk.h"

static bool take_usage_member(struct answer_walk *walk)
{
    struct model_usage *usage = &walk->answer->usage;
    uint64_t written = 0;
    if (answer_key_is(walk, STR("input_tokens")))
        return answer_count(walk, &usage->prompt_tokens);
    if (answer_key_is(walk, STR("output_tokens")))
        return answer_count(walk, &usage->completion_tokens);
    if (answer_key_is(walk, STR("cache_read_input_tokens"))) {
        if (!answer_count(walk, &usage->cached_tokens))
            return false;
        walk->beside_prompt += usage->cached_tokens;
        return true;
    }
    if (answer_key_is(walk, STR("cache_creation_input_tokens"))) {
        if (!answer_count(walk, &written))
            return false;
        walk->beside_prompt += written;
        return true;
    }
    return answer_skip(walk);
}

static bool take_usage(struct answer_walk *walk)
{
    return answer_object(walk, json_read_next(&walk->json), take_usage_member, "usage");
}

static bool take_thought(struct answer_walk *walk)
{
    walk->answer->has_reasoning = true;
    return answer_skip(walk);
}

/* The type of a block says what its pieces will be. */
static bool take_block_type(struct answer_walk *walk)
{
    struct str type = {NULL, 0};
    if (!answer_text_if_any(walk, &type))
        return false;
    walk->answer->has_tool_call |= str_ends_with(type, STR("tool_use"));
    walk->is_call |= str_equal(type, STR("tool_use"));
    walk->answer->has_reasoning |= str_ends_with(type, STR("thinking"));
    return true;
}

static bool take_block_member(struct answer_walk *walk)
{
    if (answer_key_is(walk, STR("text")))
        return answer_text(walk, &walk->answer->content, "text");
    if (answer_key_is(walk, STR("type")))
        return take_block_type(walk);
    if (answer_key_is(walk, STR("id")))
        return answer_text_if_any(walk, &walk->call.id);
    if (answer_key_is(walk, STR("name")))
        return answer_text_if_any(walk, &walk->call.name);
    if (answer_key_is(walk, STR("input")))
        return answer_arguments(walk, &walk->call);
    return answer_skip(walk);
}

/* A delta of a block, or of the message. */
static bool take_delta_member(struct answer_walk *walk)
{
    if (answer_key_is(walk, STR("text")))
        return answer_text(walk, &walk->answer->content, "text");
    if (answer_key_is(walk, STR("thinking")))
        return take_thought(walk);
    if (answer_key_is(walk, STR("partial_json"))) {
        walk->is_call = true;
        return answer_text(walk, &walk->call.arguments, "partial_json");
    }
    if (answer_key_is(walk, STR("stop_reason")))
        return answer_finish(walk, "stop_reason");
    return answer_skip(walk);
}

/* A message: whole, or as it begins. */
static bool take_message_member(struct answer_walk *walk)
{
    if (answer_key_is(walk, STR("content"))) {
        enum json_token token = json_read_next(&walk->json);
        if (token == JSON_TOKEN_ARRAY)
            return answer_parts(walk);
        return answer_text_of(walk, token, &walk->answer->content, "content");
    }
    if (answer_key_is(walk, STR("model")))
        return answer_text(walk, &walk->answer->model, "model");
    if (answer_key_is(walk, STR("role")))
        return answer_text(walk, &walk->answer->role, "role");
    if (answer_key_is(walk, STR("stop_reason")))
        return answer_finish(walk, "stop_reason");
    if (answer_key_is(walk, STR("usage")))
        return take_usage(walk);
    return answer_skip(walk);
}

static bool take_event_type(struct answer_walk *walk)
{
    struct str type = {NULL, 0};
    if (!answer_text_if_any(walk, &type))
        return false;
    walk->answer->is_done |= str_equal(type, STR("message_stop"));
    return true;
}

static bool take_index(struct answer_walk *walk)
{
    enum json_token token = json_read_next(&walk->json);
    if (token == JSON_TOKEN_NUMBER && !json_read_i64(&walk->json, &walk->call.index))
        walk->call.index = -1;
    return json_read_skip(&walk->json, token);
}

static bool take_event_member(struct answer_walk *walk)
{
    if (answer_key_is(walk, STR("delta")))
        return answer_object(walk, json_read_next(&walk->json), take_delta_member, "delta");
    if (answer_key_is(walk, STR("type")))
        return take_event_type(walk);
    if (answer_key_is(walk, STR("index")))
        return take_index(walk);
    if (answer_key_is(walk, STR("content_block")))
        return answer_object(walk, json_read_next(&walk->json), take_block_member, "content_block");
    if (answer_key_is(walk, STR("message")))
        return answer_object(walk, json_read_next(&walk->json), take_message_member, "message");
    if (answer_key_is(walk, STR("usage")))
        return take_usage(walk);
    if (answer_key_is(walk, STR("error")))
        return answer_error(walk);
    return answer_skip(walk);
}

static bool take_whole_member(struct answer_walk *walk)
{
    if (answer_key_is(walk, STR("error")))
        return answer_error(walk);
    return take_message_member(walk);
}

enum err_code anthropic_answer_event(struct str data, struct buf *scratch,
                                     struct model_answer *answer, struct err *err)
{
    return answer_read(data, scratch, answer, take_event_member, err);
}

enum err_code anthropic_answer_whole(struct str body, struct buf *scratch,
                                     struct model_answer *answer, struct err *err)
{
    return answer_read(body, scratch, answer, take_whole_member, err);
}
