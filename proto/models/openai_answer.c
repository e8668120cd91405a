/* SPDX-License-Identifier: MIT */
/* proto/models/openai_answer.c - the members of chat completions.
 *
 * Happy path: each object is walked by a function that takes the members it knows and skips the
 * others. Failure paths: as answer_walk.c tells them. */
#include "proto/models/openai_answer.h"

#include "proto/models/answer_walk.h"

static bool take_cached(struct answer_walk *walk)
{
    if (answer_key_is(walk, STR("cached_tokens")))
        return answer_count(walk, &walk->answer->usage.cached_tokens);
    return answer_skip(walk);
}

static bool take_reasoned(struct answer_walk *walk)
{
    if (answer_key_is(walk, STR("reasoning_tokens")))
        return answer_count(walk, &walk->answer->usage.reasoning_tokens);
    return answer_skip(walk);
}

/* Details are an extra: another type than an object is passed over. */
static bool take_details(struct answer_walk *walk, answer_member_fn *take)
{
    enum json_token token = json_read_next(&walk->json);
    if (token == JSON_TOKEN_OBJECT)
        return answer_object(walk, token, take, "usage");
    return json_read_skip(&walk->json, token);
}

static bool take_usage_member(struct answer_walk *walk)
{
    if (answer_key_is(walk, STR("prompt_tokens")))
        return answer_count(walk, &walk->answer->usage.prompt_tokens);
    if (answer_key_is(walk, STR("completion_tokens")))
        return answer_count(walk, &walk->answer->usage.completion_tokens);
    if (answer_key_is(walk, STR("prompt_tokens_details")))
        return take_details(walk, take_cached);
    if (answer_key_is(walk, STR("completion_tokens_details")))
        return take_details(walk, take_reasoned);
    if (answer_key_is(walk, STR("prompt_cache_hit_tokens"))) /* DeepSeek's name */
        return answer_count(walk, &walk->answer->usage.cached_tokens);
    return answer_skip(walk);
}

/* A text, or an array of parts. */
static bool take_content(struct answer_walk *walk)
{
    enum json_token token = json_read_next(&walk->json);
    if (token == JSON_TOKEN_ARRAY)
        return answer_parts(walk);
    return answer_text_of(walk, token, &walk->answer->content, "content");
}

/* Whether there is anything in the value: a text, an array or an object that is not empty. */
static bool take_presence(struct answer_walk *walk, bool *is_there)
{
    enum json_token token = json_read_next(&walk->json);
    const char *from = walk->json.at;
    *is_there |= token == JSON_TOKEN_STRING && walk->json.text.len > 0;
    if (!json_read_skip(&walk->json, token))
        return false;
    if (token == JSON_TOKEN_ARRAY || token == JSON_TOKEN_OBJECT)
        *is_there |= walk->json.at - from > 1;
    return true;
}

/* ---- calls of tools ---- */

static struct model_call_piece *last_call(struct answer_walk *walk)
{
    return &walk->answer->calls[walk->answer->call_count - 1];
}

static bool take_function_member(struct answer_walk *walk)
{
    if (answer_key_is(walk, STR("name")))
        return answer_text_if_any(walk, &last_call(walk)->name);
    if (answer_key_is(walk, STR("arguments")))
        return answer_arguments(walk, last_call(walk));
    return answer_skip(walk);
}

static bool take_index(struct answer_walk *walk)
{
    int64_t index;
    enum json_token token = json_read_next(&walk->json);
    if (token == JSON_TOKEN_NUMBER && json_read_i64(&walk->json, &index) && index >= 0)
        last_call(walk)->index = index;
    return json_read_skip(&walk->json, token);
}

static bool take_call_member(struct answer_walk *walk)
{
    if (answer_key_is(walk, STR("index")))
        return take_index(walk);
    if (answer_key_is(walk, STR("id")))
        return answer_text_if_any(walk, &last_call(walk)->id);
    if (answer_key_is(walk, STR("function")))
        return answer_object(walk, json_read_next(&walk->json), take_function_member, "function");
    return answer_skip(walk);
}

static bool take_calls(struct answer_walk *walk)
{
    enum json_token token = json_read_next(&walk->json);
    if (token != JSON_TOKEN_ARRAY)
        return json_read_skip(&walk->json, token);
    while ((token = json_read_next(&walk->json)) != JSON_TOKEN_ARRAY_END) {
        if (token == JSON_TOKEN_ERROR)
            return false;
        if (answer_add_call(walk) == NULL ||
            !answer_object(walk, token, take_call_member, "tool_calls"))
            return false;
    }
    return true;
}

/* The form before there were several calls: one function, whose pieces have no number. */
static bool take_function_call(struct answer_walk *walk)
{
    enum json_token token = json_read_next(&walk->json);
    if (token != JSON_TOKEN_OBJECT)
        return json_read_skip(&walk->json, token);
    struct model_call_piece *call = answer_add_call(walk);
    if (call == NULL)
        return false;
    call->index = 0;
    return answer_object(walk, token, take_function_member, "function_call");
}

/* Take one member of "delta" in a stream, of "message" otherwise. */
static bool take_message_member(struct answer_walk *walk)
{
    struct model_answer *answer = walk->answer;
    if (answer_key_is(walk, STR("content")))
        return take_content(walk);
    if (answer_key_is(walk, STR("role")))
        return answer_text(walk, &answer->role, "role");
    if (answer_key_is(walk, STR("refusal")))
        return answer_text_if_any(walk, &answer->refusal);
    if (answer_key_is(walk, STR("reasoning_content")) || answer_key_is(walk, STR("reasoning")) ||
        answer_key_is(walk, STR("reasoning_details")) || answer_key_is(walk, STR("thinking")))
        return take_presence(walk, &answer->has_reasoning);
    if (answer_key_is(walk, STR("tool_calls")))
        return take_calls(walk);
    if (answer_key_is(walk, STR("function_call")))
        return take_function_call(walk);
    return answer_skip(walk);
}

static bool take_choice_member(struct answer_walk *walk)
{
    if (answer_key_is(walk, STR("delta")) || answer_key_is(walk, STR("message")))
        return answer_object(walk, json_read_next(&walk->json), take_message_member, "message");
    if (answer_key_is(walk, STR("finish_reason")))
        return answer_finish(walk, "finish_reason");
    return answer_skip(walk);
}

/* The first choice counts; we never ask for more. */
static bool take_choices(struct answer_walk *walk)
{
    enum json_token token = json_read_next(&walk->json);
    if (token == JSON_TOKEN_NULL)
        return true;
    if (token != JSON_TOKEN_ARRAY)
        return token != JSON_TOKEN_ERROR && answer_refuse(walk, "choices", "expected an array");
    token = json_read_next(&walk->json);
    if (token != JSON_TOKEN_ARRAY_END) {
        if (!answer_object(walk, token, take_choice_member, "choices/0"))
            return false;
        while ((token = json_read_next(&walk->json)) != JSON_TOKEN_ARRAY_END)
            if (!json_read_skip(&walk->json, token))
                return false;
    }
    return true;
}

static bool take_member(struct answer_walk *walk)
{
    if (answer_key_is(walk, STR("choices")))
        return take_choices(walk);
    if (answer_key_is(walk, STR("usage")))
        return answer_object(walk, json_read_next(&walk->json), take_usage_member, "usage");
    if (answer_key_is(walk, STR("model")))
        return answer_text(walk, &walk->answer->model, "model");
    if (answer_key_is(walk, STR("error")))
        return answer_error(walk);
    return answer_skip(walk);
}

enum err_code openai_answer_chunk(struct str data, struct buf *scratch, struct model_answer *answer,
                                  struct err *err)
{
    if (str_equal(str_trim(data), STR("[DONE]"))) {
        *answer = (struct model_answer){.is_done = true};
        return ERR_OK;
    }
    return answer_read(data, scratch, answer, take_member, err);
}

enum err_code openai_answer_whole(struct str body, struct buf *scratch, struct model_answer *answer,
                                  struct err *err)
{
    return answer_read(body, scratch, answer, take_member, err);
}
