/* SPDX-License-Identifier: MIT */
/* proto/models/answer_same.c - two comparisons around a string that json_read reads.
 *
 * Happy path: the bytes before the text's quote are the same, the string is read, the bytes behind
 * it are the same.
 * Failure: anything else, and no memory: false, and the event is read as any other is. */
#include "proto/models/answer_same.h"

#include "proto/json_read.h"

enum { MOST_BYTES = 1024 }; /* of an event that is remembered */

void answer_same_fini(struct answer_same *same)
{
    buf_fini(&same->event);
    same->to = 0;
}

/* Whether the answer has a text and nothing else that matters to anybody twice in a stream. */
static bool is_text_alone(const struct model_answer *answer)
{
    return !str_is_empty(answer->content) && str_is_empty(answer->refusal) && !answer->is_done &&
           answer->finish == MODEL_FINISH_NONE && !answer->has_reasoning && !answer->has_usage &&
           !answer->has_tool_call && answer->call_count == 0;
}

void answer_same_learn(struct answer_same *same, struct str data, const struct model_answer *answer)
{
    struct str content = answer->content;
    same->to = 0;
    if (data.len > MOST_BYTES || !is_text_alone(answer) || content.at <= data.at ||
        content.at + content.len >= data.at + data.len || content.at[-1] != '"' ||
        content.at[content.len] != '"')
        return;
    same->event.limit = MOST_BYTES;
    buf_clear(&same->event);
    buf_push(&same->event, data);
    if (!buf_ok(&same->event))
        return;
    same->from = (size_t)(content.at - data.at);
    same->to = same->from + content.len;
}

bool answer_same_read(const struct answer_same *same, struct str data, struct buf *scratch,
                      struct str *content)
{
    struct json_read json;
    struct str known = buf_str(&same->event), before = str_slice(known, 0, same->from);
    struct str behind = str_from(known, same->to);
    if (same->to == 0 || !str_starts_with(data, before))
        return false;
    json_read_init(&json, str_from(data, same->from - 1));
    if (json_read_next(&json) != JSON_TOKEN_STRING ||
        !str_equal(behind, str_make(json.at - 1, (size_t)(json.end - json.at) + 1)))
        return false;
    buf_clear(scratch);
    *content = json_read_unescape(&json, scratch);
    return !str_is_absent(*content);
}
