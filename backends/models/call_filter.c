/* SPDX-License-Identifier: MIT */
/* backends/models/call_filter.c - how a text begins tells whether it may be a call.
 *
 * Happy path: a text that begins with a letter passes at once, but for what may begin a mark.
 * Failure: a full buf, which the caller asks for. */
#include "backends/models/call_filter.h"

static const struct str mark = {"<tool_call>", 11};

/* Beginnings after which the whole text is held back; blanks before them do not count. */
static const struct str beginnings[] = {
    STR("{"),           STR("[{"),      STR("[ {"),  STR("[\n"),    STR("[TOOL_CALLS]"),
    STR("<tool_call>"), STR("```json"), STR("```{"), STR("```\n{"), STR("<|python_tag|>"),
};

void call_filter_init(struct call_filter *filter, size_t limit_bytes)
{
    *filter = (struct call_filter){.state = CALL_FILTER_START};
    buf_init(&filter->held, limit_bytes);
}

void call_filter_fini(struct call_filter *filter)
{
    buf_fini(&filter->held);
}

static enum call_filter_state judge(struct str text)
{
    text = str_trim(text);
    if (text.len == 0)
        return CALL_FILTER_START;
    for (size_t i = 0; i < countof(beginnings); i++) {
        if (str_starts_with(text, beginnings[i]))
            return CALL_FILTER_HELD;
        if (str_starts_with(beginnings[i], text))
            return CALL_FILTER_START;
    }
    return CALL_FILTER_TEXT;
}

/* Where the mark begins in text, or may begin at its end; its length when it does not. */
static size_t find_mark(struct str text)
{
    for (size_t at = 0; at < text.len; at++) {
        struct str rest = str_from(text, at);
        if (text.at[at] == '<' && (str_starts_with(rest, mark) || str_starts_with(mark, rest)))
            return at;
    }
    return text.len;
}

struct str call_filter_feed(struct call_filter *filter, struct str piece)
{
    buf_push(&filter->held, piece);
    struct str text = buf_str(&filter->held);
    if (filter->state == CALL_FILTER_START)
        filter->state = judge(text);
    if (filter->state != CALL_FILTER_TEXT)
        return str_slice(text, 0, 0);
    text = str_slice(text, 0, find_mark(text));
    if (str_starts_with(str_from(buf_str(&filter->held), text.len), mark))
        filter->state = CALL_FILTER_HELD;
    return text;
}

void call_filter_told(struct call_filter *filter, struct str text)
{
    buf_consume(&filter->held, text.len);
}
