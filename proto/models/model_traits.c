/* SPDX-License-Identifier: MIT */
/* proto/models/model_traits.c - the names of parameters, looked for in the words of a refusal.
 *
 * Happy path: the first parameter that was sent and is named is left out, or gets its other name.
 * Failure: none; words that name nothing teach nothing. */
#include "proto/models/model_traits.h"

#include <inttypes.h>

static bool is_name_byte(char c)
{
    return str_is_alpha(c) || str_is_digit(c) || c == '_';
}

/* Whether word stands in text by itself: "max_tokens", not "my_max_tokens". */
static bool names(struct str text, struct str word)
{
    for (ptrdiff_t at; (at = str_find(text, word)) != STR_NONE;) {
        size_t from = (size_t)at, to = from + word.len;
        bool begins = from == 0 || !is_name_byte(text.at[from - 1]);
        bool ends = to == text.len || !is_name_byte(text.at[to]);
        if (begins && ends)
            return true;
        text = str_from(text, to);
    }
    return false;
}

static bool names_number(struct str text, uint64_t number)
{
    char digits[24];
    struct buf word = {.at = digits, .cap = sizeof digits, .limit = sizeof digits};
    buf_push_u64(&word, number);
    return names(text, buf_str(&word));
}

void model_traits_apply(const struct model_traits *traits, enum model_wire wire,
                        struct model_request *request)
{
    request->limit = traits->limit;
    request->has_temperature &= !traits->no_temperature;
    request->asks_usage &= !traits->no_stream_options;
    if (traits->no_response_format)
        request->form = STR("");
    if (traits->no_reasoning_effort)
        request->reasoning_effort = STR("");
    if (traits->needs_room)
        request->max_tokens *= MODEL_TRAITS_ROOM;
    if (wire == MODEL_WIRE_ANTHROPIC) { /* what it has not, or must have */
        request->limit = MODEL_LIMIT_MAX_TOKENS;
        request->asks_usage = false;
        request->reasoning_effort = STR("");
    }
}

/* The limit's name was refused, or its number. */
static enum model_lesson learn_limit(struct model_traits *traits, enum model_wire wire,
                                     const struct model_request *sent, struct str body)
{
    bool is_number = names_number(body, sent->max_tokens);
    if (is_number && traits->needs_room) {
        traits->needs_room = false;
        return MODEL_LESSON_FOR_CALL;
    }
    if (wire == MODEL_WIRE_ANTHROPIC)
        return MODEL_LESSON_NONE;
    if (is_number) {
        traits->limit = MODEL_LIMIT_NONE;
        return MODEL_LESSON_FOR_CALL;
    }
    traits->limit = sent->limit == MODEL_LIMIT_MAX_TOKENS ? MODEL_LIMIT_MAX_COMPLETION_TOKENS
                                                          : MODEL_LIMIT_NONE;
    return MODEL_LESSON_FOR_GOOD;
}

enum model_lesson model_traits_learn(struct model_traits *traits, enum model_wire wire,
                                     const struct model_request *sent, struct str body)
{
    static const struct str limits[] = {[MODEL_LIMIT_MAX_TOKENS] = STR("max_tokens"),
                                        [MODEL_LIMIT_MAX_COMPLETION_TOKENS] =
                                            STR("max_completion_tokens")};
    const struct {
        bool is_sent;
        struct str name;
        bool *leaves_out;
    } others[] = {
        {sent->has_temperature, STR("temperature"), &traits->no_temperature},
        {sent->stream && sent->asks_usage, STR("stream_options"), &traits->no_stream_options},
        {sent->form.len > 0, STR("response_format"), &traits->no_response_format},
        {sent->form.len > 0, STR("json_schema"), &traits->no_response_format},
        {sent->form.len > 0, STR("output_config"), &traits->no_response_format},
        {sent->reasoning_effort.len > 0, STR("reasoning_effort"), &traits->no_reasoning_effort},
    };
    for (size_t i = 0; i < countof(others); i++)
        if (others[i].is_sent && names(body, others[i].name)) {
            *others[i].leaves_out = true;
            return MODEL_LESSON_FOR_GOOD;
        }
    bool is_limited = sent->max_tokens > 0 && sent->limit != MODEL_LIMIT_NONE;
    if (is_limited && names(body, limits[sent->limit]))
        return learn_limit(traits, wire, sent, body);
    return MODEL_LESSON_NONE;
}

void model_traits_keep(struct model_traits *known, const struct model_traits *learned)
{
    if (learned->limit > known->limit)
        known->limit = learned->limit;
    known->no_temperature |= learned->no_temperature;
    known->no_stream_options |= learned->no_stream_options;
    known->no_response_format |= learned->no_response_format;
    known->no_reasoning_effort |= learned->no_reasoning_effort;
    known->needs_room |= learned->needs_room;
}
