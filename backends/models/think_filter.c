/* SPDX-License-Identifier: MIT */
/* backends/models/think_filter.c - four states, a byte at a time until the text begins.
 *
 * Happy path: most texts begin with no '<' and pass from their first byte on.
 * Failure: none; a block that never ends leaves no text. */
#include "backends/models/think_filter.h"

static const struct {
    struct str begin, end;
} tags[] = {
    {STR("<think>"), STR("</think>")},
    {STR("<thinking>"), STR("</thinking>")},
    {STR("<thought>"), STR("</thought>")},
    {STR("<reasoning>"), STR("</reasoning>")},
};

void think_filter_init(struct think_filter *filter, bool starts_inside)
{
    *filter = (struct think_filter){.end = tags[0].end};
    filter->state = starts_inside ? THINK_INSIDE : THINK_BEFORE;
    filter->has_thought = starts_inside;
}

/* Whether what is kept begins a tag; when it is one whole, the block begins. */
static bool may_be_tag(struct think_filter *filter)
{
    struct str kept = str_from(str_make(filter->kept, filter->kept_len), filter->tag_at);
    bool may_be = false;
    for (size_t i = 0; i < countof(tags); i++) {
        may_be |= str_starts_with(tags[i].begin, kept);
        if (!str_equal(tags[i].begin, kept))
            continue;
        filter->state = THINK_INSIDE;
        filter->has_thought = true;
        filter->end = tags[i].end;
        filter->matched = filter->kept_len = 0;
    }
    return may_be;
}

/* '<' is only at the beginning of a tag, so what does not match may only begin one anew. */
static void take_inside(struct think_filter *filter, char c)
{
    if (c != filter->end.at[filter->matched])
        filter->matched = 0;
    if (c == filter->end.at[filter->matched])
        filter->matched++;
    if (filter->matched < filter->end.len)
        return;
    filter->state = THINK_BEFORE;
    filter->matched = 0;
}

/* Take a byte before the text. False: the text has begun with what is kept, then this byte. */
static bool take_before(struct think_filter *filter, char c)
{
    bool is_blank = str_is_blank(c);
    if (filter->state == THINK_BEFORE && is_blank && filter->has_thought)
        return true;
    bool is_text = filter->state == THINK_BEFORE && c != '<' && !is_blank;
    if (is_text || filter->kept_len == sizeof filter->kept)
        return false;
    if (filter->state == THINK_BEFORE && c == '<') {
        filter->state = THINK_OPENING;
        filter->tag_at = filter->kept_len;
    }
    filter->kept[filter->kept_len++] = c;
    if (filter->state == THINK_BEFORE || may_be_tag(filter))
        return true;
    filter->kept_len--;
    return false;
}

struct str think_filter_feed(struct think_filter *filter, struct str piece, struct str *before)
{
    *before = (struct str){NULL, 0};
    if (filter->state == THINK_TEXT)
        return piece;
    for (size_t i = 0; i < piece.len; i++) {
        if (filter->state == THINK_INSIDE) {
            take_inside(filter, piece.at[i]);
        } else if (!take_before(filter, piece.at[i])) {
            filter->state = THINK_TEXT;
            *before = str_make(filter->kept, filter->kept_len);
            return str_from(piece, i);
        }
    }
    return str_slice(piece, piece.len, piece.len);
}

struct str think_filter_end(struct think_filter *filter)
{
    bool is_kept = filter->state == THINK_BEFORE || filter->state == THINK_OPENING;
    return is_kept ? str_make(filter->kept, filter->kept_len) : (struct str){NULL, 0};
}
