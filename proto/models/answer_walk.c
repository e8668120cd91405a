/* SPDX-License-Identifier: MIT */
/* proto/models/answer_walk.c - what both wires' answers have in them, and the errors of reading.
 *
 * Happy path: one pass of the pull reader, keeping what we want.
 * Failure paths:
 * - not JSON, or a member we need has another type: ERR_PROTOCOL with its place;
 * - an "error" member: the provider's own words, and a code that says whether to try again;
 * - scratch is full: ERR_NO_MEMORY. */
#include "proto/models/answer_walk.h"

bool answer_text_if_any(struct answer_walk *walk, struct str *text)
{
    enum json_token token = json_read_next(&walk->json);
    if (token == JSON_TOKEN_STRING)
        return answer_keep(walk, text);
    if (token == JSON_TOKEN_NUMBER)
        *text = walk->json.text;
    return json_read_skip(&walk->json, token);
}

bool answer_count(struct answer_walk *walk, uint64_t *count)
{
    int64_t value;
    enum json_token token = json_read_next(&walk->json);
    if (token == JSON_TOKEN_NUMBER && json_read_i64(&walk->json, &value) && value >= 0) {
        *count = (uint64_t)value;
        walk->answer->has_usage = true;
    }
    return json_read_skip(&walk->json, token);
}

bool answer_finish(struct answer_walk *walk, const char *name)
{
    struct str word = {NULL, 0};
    if (!answer_text(walk, &word, name))
        return false;
    walk->answer->finish = model_finish_of(word);
    return true;
}

/* ---- calls of tools ---- */

struct model_call_piece *answer_add_call(struct answer_walk *walk)
{
    struct model_answer *answer = walk->answer;
    if (answer->call_count == countof(answer->calls)) {
        answer_refuse(walk, "tool_calls", "too many calls in one answer");
        return NULL;
    }
    struct model_call_piece *call = &answer->calls[answer->call_count++];
    *call = (struct model_call_piece){.index = -1};
    answer->has_tool_call = true;
    return call;
}

bool answer_arguments(struct answer_walk *walk, struct model_call_piece *call)
{
    enum json_token token = json_read_next(&walk->json);
    const char *from = walk->json.at - 1;
    if (token == JSON_TOKEN_STRING)
        return answer_keep(walk, &call->arguments);
    if (!json_read_skip(&walk->json, token))
        return false;
    if (token != JSON_TOKEN_OBJECT && token != JSON_TOKEN_ARRAY)
        return true;
    call->arguments = str_make(from, (size_t)(walk->json.at - from));
    call->is_whole = true;
    return true;
}

/* ---- parts ---- */

struct part {
    struct str type, text;
    struct model_call_piece call;
};

/* Append to scratch, in which views must not move: what was reserved for the answer is enough but
 * for nonsense. */
static bool push_in_place(struct answer_walk *walk, struct str text)
{
    struct buf *scratch = walk->scratch;
    size_t all = (size_t)(walk->json.end - walk->json.begin);
    if (buf_len(scratch) == 0 && buf_reserve(scratch, all) == NULL)
        return false;
    if (text.len > scratch->cap - scratch->end) {
        scratch->failed = true;
        return false;
    }
    buf_push(scratch, text);
    return buf_ok(scratch);
}

/* Whether text is the end of scratch, so that what is appended to it goes on with text. */
static bool is_at_end(const struct answer_walk *walk, struct str text)
{
    struct str all = buf_str(walk->scratch);
    return text.len > 0 && text.at + text.len == all.at + all.len;
}

static bool move_to_end(struct answer_walk *walk, struct str *text)
{
    struct str from = *text;
    if (from.len == 0 || is_at_end(walk, from))
        return true;
    if (!push_in_place(walk, from))
        return false;
    *text = str_from(buf_str(walk->scratch), buf_len(walk->scratch) - from.len);
    return true;
}

static bool take_part_member(struct answer_walk *walk, struct part *part)
{
    if (answer_key_is(walk, STR("type")))
        return answer_text_if_any(walk, &part->type);
    if (answer_key_is(walk, STR("text")))
        return move_to_end(walk, &walk->answer->content) && answer_text_if_any(walk, &part->text);
    if (answer_key_is(walk, STR("id")))
        return answer_text_if_any(walk, &part->call.id);
    if (answer_key_is(walk, STR("name")))
        return answer_text_if_any(walk, &part->call.name);
    if (answer_key_is(walk, STR("input")))
        return answer_arguments(walk, &part->call);
    return answer_skip(walk);
}

static bool walk_part(struct answer_walk *walk, enum json_token token, struct part *part)
{
    if (token == JSON_TOKEN_STRING) /* some servers send bare texts */
        return move_to_end(walk, &walk->answer->content) && answer_keep(walk, &part->text);
    if (token != JSON_TOKEN_OBJECT)
        return json_read_skip(&walk->json, token);
    while ((token = json_read_next(&walk->json)) == JSON_TOKEN_KEY)
        if (!take_part_member(walk, part))
            return false;
    return token == JSON_TOKEN_OBJECT_END;
}

/* Add the part's text to content, which is at the end of scratch if there is any. */
static bool join_part(struct answer_walk *walk, struct str text)
{
    struct str *content = &walk->answer->content;
    if (str_is_empty(*content))
        *content = text;
    else if (text.at == content->at + content->len) /* its unescaped bytes are there already */
        content->len += text.len;
    else if (!is_at_end(walk, *content) || !push_in_place(walk, text))
        return false;
    else
        content->len += text.len;
    return true;
}

static bool take_part(struct answer_walk *walk, const struct part *part)
{
    static const struct str thoughts[] = {STR("thinking"), STR("redacted_thinking"),
                                          STR("reasoning")};
    if (str_is_absent(part->type) || str_equal(part->type, STR("text")) ||
        str_equal(part->type, STR("output_text")))
        return str_is_empty(part->text) || join_part(walk, part->text);
    for (size_t i = 0; i < countof(thoughts); i++)
        walk->answer->has_reasoning |= str_equal(part->type, thoughts[i]);
    if (!str_equal(part->type, STR("tool_use")))
        return true;
    struct model_call_piece *call = answer_add_call(walk);
    if (call != NULL)
        *call = part->call;
    return call != NULL;
}

bool answer_parts(struct answer_walk *walk)
{
    enum json_token token;
    while ((token = json_read_next(&walk->json)) != JSON_TOKEN_ARRAY_END) {
        struct part part = {.call.index = -1};
        if (token == JSON_TOKEN_ERROR || !walk_part(walk, token, &part) || !take_part(walk, &part))
            return false;
    }
    return true;
}

/* ---- errors ---- */

static bool take_error_member(struct answer_walk *walk)
{
    if (answer_key_is(walk, STR("message")))
        return answer_text_if_any(walk, &walk->message);
    if (answer_key_is(walk, STR("type")))
        return answer_text_if_any(walk, &walk->type);
    if (answer_key_is(walk, STR("code")))
        return answer_text_if_any(walk, &walk->code);
    return answer_skip(walk);
}

bool answer_error(struct answer_walk *walk)
{
    enum json_token token = json_read_next(&walk->json);
    walk->is_error = token != JSON_TOKEN_NULL;
    if (token == JSON_TOKEN_STRING)
        return answer_keep(walk, &walk->message);
    if (token == JSON_TOKEN_OBJECT)
        return answer_object(walk, token, take_error_member, "error");
    return json_read_skip(&walk->json, token);
}

static bool mentions(struct str text, struct str part)
{
    return str_find(text, part) != STR_NONE;
}

/* Whether the error's type or code has part in it. */
static bool is_called(const struct answer_walk *walk, struct str part)
{
    return mentions(walk->type, part) || mentions(walk->code, part);
}

enum err_code answer_code(const struct answer_walk *walk)
{
    uint64_t status;
    if (is_called(walk, STR("quota")))
        return ERR_REJECTED;
    if (str_to_u64(walk->code, &status) && status >= 400 && status < 500)
        return status == 429 ? ERR_BUSY : ERR_REJECTED;
    if (is_called(walk, STR("rate_limit")))
        return ERR_BUSY;
    if (mentions(walk->type, STR("authentication_error")) ||
        mentions(walk->type, STR("permission_error")))
        return ERR_DENIED;
    if (mentions(walk->type, STR("invalid_request")) ||
        mentions(walk->code, STR("context_length")) || mentions(walk->code, STR("content_filter")))
        return ERR_REJECTED;
    return ERR_UNAVAILABLE;
}

struct str answer_clean(struct str text, char *to, size_t room)
{
    bool is_utf8 = str_is_utf8(text);
    text = str_trim(str_utf8_prefix(text, room));
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.at[i];
        bool is_bad = c < 0x20 || c == 0x7F || (c >= 0x80 && !is_utf8);
        to[i] = is_bad ? ' ' : text.at[i];
    }
    return str_make(to, text.len);
}

/* ---- the whole ---- */

bool answer_walk_text(struct answer_walk *walk, struct str text, answer_member_fn *take)
{
    json_read_init(&walk->json, text);
    buf_clear(walk->scratch);
    if (str_find_char(text, '\\') != STR_NONE && buf_reserve(walk->scratch, text.len) == NULL)
        return false;
    enum json_token token = json_read_next(&walk->json);
    if (token == JSON_TOKEN_NULL)
        return answer_refuse(walk, "the answer", "expected an object");
    return answer_object(walk, token, take, "the answer") &&
           json_read_next(&walk->json) == JSON_TOKEN_END;
}

enum err_code answer_read(struct str data, struct buf *scratch, struct model_answer *answer,
                          answer_member_fn *take, struct err *err)
{
    struct answer_walk walk = {.scratch = scratch, .answer = answer, .call.index = -1};
    char words[ERR_TEXT_BYTES - 80];
    memset(answer, 0, offsetof(struct model_answer, calls)); /* a token has no calls */
    if (!answer_walk_text(&walk, data, take)) {
        if (!buf_ok(scratch))
            return err_set(err, ERR_NO_MEMORY, "no memory for %zu bytes of a model's answer",
                           data.len);
        if (walk.wrong != NULL)
            return err_set(err, ERR_PROTOCOL, "%s in a model's answer: %s", walk.wrong,
                           walk.problem);
        json_read_error(&walk.json, err);
        if (err != NULL)
            err->code = ERR_PROTOCOL;
        err_prefix(err, "a model's answer is not JSON");
        return ERR_PROTOCOL;
    }
    answer->usage.prompt_tokens += walk.beside_prompt;
    if (walk.is_call && answer->call_count == 0) {
        answer->calls[answer->call_count++] = walk.call;
        answer->has_tool_call = true;
    }
    if (!walk.is_error)
        return ERR_OK;
    struct str message =
        str_is_absent(walk.message) ? STR("an error without a message") : walk.message;
    return err_set(err, answer_code(&walk), "the model's server says: %.*s",
                   STR_ARG(answer_clean(message, words, sizeof words)));
}
