/* SPDX-License-Identifier: MIT */
/* proto/openai_answer.c - one pass of the pull reader over an answer, keeping what we want.
 *
 * Happy path: each object is walked by a function that takes the members it knows and skips the
 * others; strings stay views unless they hold escapes.
 * Failure paths:
 * - not JSON, or a member we need has another type: ERR_PROTOCOL with its place;
 * - an "error" member: the provider's own words, and a code that says whether to try again;
 * - scratch is full: ERR_NO_MEMORY. */
#include "proto/openai_answer.h"

#include <string.h>

#include "proto/json_read.h"

struct walk {
    struct json_read json;
    struct buf *scratch;
    struct openai_answer *answer;
    bool is_error;               /* there was an "error" member */
    struct str message, type;    /* of the error, or of a body that is one */
    struct str code;             /* a word or a number */
    const char *wrong, *problem; /* which member was refused, and why; static */
};

/* Takes one member whose key was just read; consumes its value. False: broken or refused. */
typedef bool member_fn(struct walk *walk);

static bool refuse(struct walk *walk, const char *wrong, const char *problem)
{
    walk->wrong = wrong;
    walk->problem = problem;
    return false;
}

static bool skip_member(struct walk *walk)
{
    return json_read_skip(&walk->json, JSON_TOKEN_KEY);
}

/* Asked several times per token, almost always of a name without escapes. */
static inline bool key_is(const struct walk *walk, struct str name)
{
    if (walk->json.has_escapes)
        return json_read_is(&walk->json, name);
    return walk->json.text.len == name.len && memcmp(walk->json.text.at, name.at, name.len) == 0;
}

/* Walk an object whose first token was read. null is an absent object. */
static bool walk_object(struct walk *walk, enum json_token token, member_fn *take, const char *name)
{
    if (token == JSON_TOKEN_NULL)
        return true;
    if (token != JSON_TOKEN_OBJECT)
        return token != JSON_TOKEN_ERROR && refuse(walk, name, "expected an object");
    while ((token = json_read_next(&walk->json)) == JSON_TOKEN_KEY)
        if (!take(walk))
            return false;
    return token == JSON_TOKEN_OBJECT_END;
}

static bool keep_text(struct walk *walk, struct str *text)
{
    *text = json_read_unescape(&walk->json, walk->scratch);
    return !str_is_absent(*text);
}

/* A string or null into *text. */
static bool take_text(struct walk *walk, struct str *text, const char *name)
{
    enum json_token token = json_read_next(&walk->json);
    if (token == JSON_TOKEN_STRING)
        return keep_text(walk, text);
    if (token == JSON_TOKEN_NULL)
        return true;
    return token != JSON_TOKEN_ERROR && refuse(walk, name, "expected a string");
}

/* A string into *text, anything else is skipped. */
static bool take_text_if_any(struct walk *walk, struct str *text)
{
    enum json_token token = json_read_next(&walk->json);
    if (token == JSON_TOKEN_STRING)
        return keep_text(walk, text);
    if (token == JSON_TOKEN_NUMBER)
        *text = walk->json.text;
    return json_read_skip(&walk->json, token);
}

static bool take_count(struct walk *walk, uint64_t *count)
{
    int64_t value;
    enum json_token token = json_read_next(&walk->json);
    if (token == JSON_TOKEN_NUMBER && json_read_i64(&walk->json, &value) && value >= 0) {
        *count = (uint64_t)value;
        walk->answer->has_usage = true;
    }
    return json_read_skip(&walk->json, token);
}

static bool take_usage_member(struct walk *walk)
{
    if (key_is(walk, STR("prompt_tokens")))
        return take_count(walk, &walk->answer->usage.prompt_tokens);
    if (key_is(walk, STR("completion_tokens")))
        return take_count(walk, &walk->answer->usage.completion_tokens);
    return skip_member(walk);
}

/* Take one member of "delta" in a stream, of "message" otherwise. */
static bool take_message_member(struct walk *walk)
{
    if (key_is(walk, STR("content")))
        return take_text(walk, &walk->answer->content, "content");
    if (key_is(walk, STR("role")))
        return take_text(walk, &walk->answer->role, "role");
    return skip_member(walk);
}

static bool take_finish(struct walk *walk)
{
    static const struct {
        const char *name;
        enum openai_finish finish;
    } names[] = {
        {"", OPENAI_FINISH_NONE},
        {"stop", OPENAI_FINISH_STOP},
        {"length", OPENAI_FINISH_LENGTH},
        {"content_filter", OPENAI_FINISH_CONTENT_FILTER},
    };
    struct str reason = {NULL, 0};
    if (!take_text(walk, &reason, "finish_reason"))
        return false;
    if (str_is_absent(reason))
        return true;
    walk->answer->finish = OPENAI_FINISH_OTHER;
    for (size_t i = 0; i < countof(names); i++)
        if (str_equal(reason, str_of(names[i].name)))
            walk->answer->finish = names[i].finish;
    return true;
}

static bool take_choice_member(struct walk *walk)
{
    if (key_is(walk, STR("delta")) || key_is(walk, STR("message")))
        return walk_object(walk, json_read_next(&walk->json), take_message_member, "message");
    if (key_is(walk, STR("finish_reason")))
        return take_finish(walk);
    return skip_member(walk);
}

/* The first choice counts; we never ask for more. */
static bool take_choices(struct walk *walk)
{
    enum json_token token = json_read_next(&walk->json);
    if (token == JSON_TOKEN_NULL)
        return true;
    if (token != JSON_TOKEN_ARRAY)
        return token != JSON_TOKEN_ERROR && refuse(walk, "choices", "expected an array");
    token = json_read_next(&walk->json);
    if (token != JSON_TOKEN_ARRAY_END) {
        if (!walk_object(walk, token, take_choice_member, "choices/0"))
            return false;
        while ((token = json_read_next(&walk->json)) != JSON_TOKEN_ARRAY_END)
            if (!json_read_skip(&walk->json, token))
                return false;
    }
    return true;
}

static bool take_error_member(struct walk *walk)
{
    if (key_is(walk, STR("message")))
        return take_text_if_any(walk, &walk->message);
    if (key_is(walk, STR("type")))
        return take_text_if_any(walk, &walk->type);
    if (key_is(walk, STR("code")))
        return take_text_if_any(walk, &walk->code);
    return skip_member(walk);
}

/* {"error":{"message":...}} as OpenAI has it, or {"error":"..."}. */
static bool take_error(struct walk *walk)
{
    enum json_token token = json_read_next(&walk->json);
    walk->is_error = token != JSON_TOKEN_NULL;
    if (token == JSON_TOKEN_STRING)
        return keep_text(walk, &walk->message);
    if (token == JSON_TOKEN_OBJECT)
        return walk_object(walk, token, take_error_member, "error");
    return json_read_skip(&walk->json, token);
}

static bool take_answer_member(struct walk *walk)
{
    if (key_is(walk, STR("choices")))
        return take_choices(walk);
    if (key_is(walk, STR("usage")))
        return walk_object(walk, json_read_next(&walk->json), take_usage_member, "usage");
    if (key_is(walk, STR("model")))
        return take_text(walk, &walk->answer->model, "model");
    if (key_is(walk, STR("error")))
        return take_error(walk);
    return skip_member(walk);
}

/* Error bodies come in more shapes: gateways put "message" or "detail" at the top. */
static bool take_error_body_member(struct walk *walk)
{
    if (key_is(walk, STR("error")))
        return take_error(walk);
    if (key_is(walk, STR("detail")) && str_is_absent(walk->message))
        return take_text_if_any(walk, &walk->message);
    if (key_is(walk, STR("message")) && str_is_absent(walk->message))
        return take_text_if_any(walk, &walk->message);
    return skip_member(walk);
}

/* Read the whole text. scratch gets room for all that may be unescaped first, so that no view in
 * it moves. False: see walk->wrong, walk->json and scratch. */
static bool walk_text(struct walk *walk, struct str text, member_fn *take)
{
    json_read_init(&walk->json, text);
    buf_clear(walk->scratch);
    if (str_find_char(text, '\\') != STR_NONE && buf_reserve(walk->scratch, text.len) == NULL)
        return false;
    enum json_token token = json_read_next(&walk->json);
    if (token == JSON_TOKEN_NULL)
        return refuse(walk, "the answer", "expected an object");
    return walk_object(walk, token, take, "the answer") &&
           json_read_next(&walk->json) == JSON_TOKEN_END;
}

static bool mentions(struct str text, struct str part)
{
    return str_find(text, part) != STR_NONE;
}

/* What a provider's words mean when there is no HTTP status to go by. */
static enum err_code code_of_words(const struct walk *walk)
{
    uint64_t status;
    if (mentions(walk->code, STR("quota")) || mentions(walk->type, STR("quota")))
        return ERR_REJECTED;
    if (str_to_u64(walk->code, &status) && status >= 400 && status < 500)
        return status == 429 ? ERR_BUSY : ERR_REJECTED;
    if (mentions(walk->code, STR("rate_limit")) || mentions(walk->type, STR("rate_limit")))
        return ERR_BUSY;
    if (mentions(walk->type, STR("invalid_request")) ||
        mentions(walk->code, STR("context_length")) || mentions(walk->code, STR("content_filter")))
        return ERR_REJECTED;
    return ERR_UNAVAILABLE;
}

static enum err_code code_of_status(int status, const struct walk *walk)
{
    if (status == 401 || status == 403)
        return ERR_DENIED;
    if (status == 429)
        return code_of_words(walk) == ERR_REJECTED ? ERR_REJECTED : ERR_BUSY;
    if (status == 408 || status == 409 || status >= 500)
        return ERR_UNAVAILABLE;
    return ERR_REJECTED;
}

/* A copy of text on one line, cut to room, for a message to people. */
static struct str clean(struct str text, char *to, size_t room)
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

static enum err_code read_answer(struct str text, struct buf *scratch, struct openai_answer *answer,
                                 struct err *err)
{
    struct walk walk = {.scratch = scratch, .answer = answer};
    char words[ERR_TEXT_BYTES - 80];
    *answer = (struct openai_answer){0};
    if (!walk_text(&walk, text, take_answer_member)) {
        if (!buf_ok(scratch))
            return err_set(err, ERR_NO_MEMORY, "no memory for %zu bytes of a model's answer",
                           text.len);
        if (walk.wrong != NULL)
            return err_set(err, ERR_PROTOCOL, "%s in a model's answer: %s", walk.wrong,
                           walk.problem);
        json_read_error(&walk.json, err);
        if (err != NULL)
            err->code = ERR_PROTOCOL;
        err_prefix(err, "a model's answer is not JSON");
        return ERR_PROTOCOL;
    }
    if (!walk.is_error)
        return ERR_OK;
    struct str message =
        str_is_absent(walk.message) ? STR("an error without a message") : walk.message;
    return err_set(err, code_of_words(&walk), "the model's server says: %.*s",
                   STR_ARG(clean(message, words, sizeof words)));
}

enum err_code openai_answer_chunk(struct str data, struct buf *scratch,
                                  struct openai_answer *answer, struct err *err)
{
    if (str_equal(str_trim(data), STR("[DONE]"))) {
        *answer = (struct openai_answer){.is_done = true};
        return ERR_OK;
    }
    return read_answer(data, scratch, answer, err);
}

enum err_code openai_answer_whole(struct str body, struct buf *scratch,
                                  struct openai_answer *answer, struct err *err)
{
    return read_answer(body, scratch, answer, err);
}

enum err_code openai_answer_error(int status, struct str body, struct err *err)
{
    struct buf scratch;
    struct openai_answer unused;
    char words[ERR_TEXT_BYTES - 80];
    buf_init(&scratch, body.len);
    struct walk walk = {.scratch = &scratch, .answer = &unused};
    if (!walk_text(&walk, body, take_error_body_member) || str_is_absent(walk.message))
        walk.message = body; /* not JSON, or of a shape we do not know: show it */
    struct str message = clean(walk.message, words, sizeof words);
    enum err_code code = code_of_status(status, &walk);
    if (message.len == 0)
        err_set(err, code, "%d: no message", status);
    else
        err_set(err, code, "%d: %.*s", status, STR_ARG(message));
    buf_fini(&scratch);
    return code;
}
