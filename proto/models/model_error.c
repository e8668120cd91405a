/* SPDX-License-Identifier: MIT */
/* proto/models/model_error.c - a body walked for its message, type and code, and what they mean.
 *
 * Failure: a body of a shape we do not know is shown as it is. */
#include "proto/models/model_error.h"

#include "proto/models/answer_walk.h"

static bool mentions(struct str text, struct str part)
{
    return str_find(text, part) != STR_NONE;
}

/* Whether the error's type or code has part in it. */
static bool is_called(const struct answer_walk *walk, struct str part)
{
    return mentions(walk->type, part) || mentions(walk->code, part);
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
        return answer_code(walk) == ERR_REJECTED ? ERR_REJECTED : ERR_BUSY;
    if (status == 408 || status == 409 || status >= 500)
        return ERR_UNAVAILABLE;
    return ERR_REJECTED;
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

enum err_code model_error(int status, struct str body, bool *is_filtered, struct err *err)
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
    struct str message = answer_clean(walk.message, words, sizeof words);
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
