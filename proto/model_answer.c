/* SPDX-License-Identifier: MIT */
/* proto/model_answer.c - the words of providers: why an answer ended, and what an error means.
 *
 * Happy path: a word is looked up; an error's body is walked for its message, type and code.
 * Failure: a body of a shape we do not know is shown as it is. */
#include "proto/model_answer.h"

#include "proto/model_answer_words.h"

enum model_finish model_finish_of(struct str word)
{
    static const struct {
        struct str word;
        enum model_finish finish;
    } words[] = {
        {STR(""), MODEL_FINISH_NONE},
        {STR("stop"), MODEL_FINISH_STOP},
        {STR("end_turn"), MODEL_FINISH_STOP},
        {STR("stop_sequence"), MODEL_FINISH_STOP},
        {STR("eos"), MODEL_FINISH_STOP},
        {STR("length"), MODEL_FINISH_LENGTH},
        {STR("max_tokens"), MODEL_FINISH_LENGTH},
        {STR("model_length"), MODEL_FINISH_LENGTH},
        {STR("model_context_window_exceeded"), MODEL_FINISH_LENGTH},
        {STR("content_filter"), MODEL_FINISH_CONTENT_FILTER},
        {STR("safety"), MODEL_FINISH_CONTENT_FILTER},
        {STR("recitation"), MODEL_FINISH_CONTENT_FILTER},
        {STR("prohibited_content"), MODEL_FINISH_CONTENT_FILTER},
        {STR("refusal"), MODEL_FINISH_REFUSAL},
        {STR("tool_calls"), MODEL_FINISH_TOOL_CALL},
        {STR("function_call"), MODEL_FINISH_TOOL_CALL},
        {STR("tool_use"), MODEL_FINISH_TOOL_CALL},
    };
    for (size_t i = 0; i < countof(words); i++)
        if (str_equal_nocase(word, words[i].word))
            return words[i].finish;
    return MODEL_FINISH_OTHER;
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

enum err_code model_words_code(const struct answer_walk *walk)
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

/* Whether a filter of the provider took offence at the text. */
static bool is_moderation(const struct answer_walk *walk)
{
    static const struct str words[] = {STR("moderation"),     STR("flagged"),
                                       STR("content_filter"), STR("content management policy"),
                                       STR("content policy"), STR("content_policy"),
                                       STR("safety system")};
    bool is_one = false;
    for (size_t i = 0; i < countof(words); i++)
        is_one |= is_called(walk, words[i]) || mentions(walk->message, words[i]);
    return is_one;
}

static enum err_code code_of_status(int status, const struct answer_walk *walk, bool is_filtered)
{
    if (is_filtered)
        return ERR_REJECTED;
    if (status == 401 || status == 403)
        return ERR_DENIED;
    if (status == 429)
        return model_words_code(walk) == ERR_REJECTED ? ERR_REJECTED : ERR_BUSY;
    if (status == 408 || status == 409 || status >= 500)
        return ERR_UNAVAILABLE;
    return ERR_REJECTED;
}

struct str model_words_clean(struct str text, char *to, size_t room)
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

/* Error bodies come in more shapes: gateways put "message" or "detail" at the top. */
static bool take_member(struct answer_walk *walk)
{
    if (answer_key_is(walk, STR("error")))
        return answer_error(walk);
    if (answer_key_is(walk, STR("detail")) && str_is_absent(walk->message))
        return answer_text_if_any(walk, &walk->message);
    if (answer_key_is(walk, STR("message")) && str_is_absent(walk->message))
        return answer_text_if_any(walk, &walk->message);
    return answer_skip(walk);
}

enum err_code model_answer_error(int status, struct str body, bool *is_filtered, struct err *err)
{
    struct buf scratch;
    struct model_answer unused;
    char words[ERR_TEXT_BYTES - 80];
    buf_init(&scratch, body.len);
    struct answer_walk walk = {.scratch = &scratch, .answer = &unused};
    if (!answer_walk_text(&walk, body, take_member) || str_is_absent(walk.message))
        walk.message = body; /* not JSON, or of a shape we do not know: show it */
    bool is_ours = status >= 400 && status < 500 && status != 401 && status != 429;
    bool is_moderated = is_ours && is_moderation(&walk);
    struct str message = model_words_clean(walk.message, words, sizeof words);
    enum err_code code = code_of_status(status, &walk, is_moderated);
    if (is_filtered != NULL)
        *is_filtered = is_moderated;
    if (message.len == 0)
        err_set(err, code, "%d: no message", status);
    else
        err_set(err, code, "%d: %.*s", status, STR_ARG(message));
    buf_fini(&scratch);
    return code;
}
