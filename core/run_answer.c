/* SPDX-License-Identifier: MIT */
/* core/run_answer.c - what nodes say, token by token, and what of it is void.
 *
 * Happy path: text becomes token events; the first of another attempt on the final channel voids
 * what that said before, and says so. A run that was taken over first repeats what stands; it does
 * so at once when something does not, so that whoever takes it over next knows, too.
 * Failure: as run_emit's. */
#include <string.h>

#include "core/run_internal.h"

enum { MOST_EVENT_BYTES = 8 * 1024 }; /* of a token's text; longer text becomes several */

static const struct str final_channel = {EVENT_FINAL_CHANNEL, sizeof EVENT_FINAL_CHANNEL - 1};

bool run_answer_is(const struct event *event)
{
    return event->kind == EVENT_TOKEN && str_equal(event->name, final_channel);
}

void run_answer_collect(const struct run *run, uint64_t id, struct buf *text)
{
    struct event event = {0};
    int64_t attempt = 1;
    while (event_log_after(run->events, event.id, &event) == ERR_OK && event.id <= id) {
        if (!run_answer_is(&event))
            continue;
        if (event.number > attempt)
            buf_clear(text);
        attempt = event.number;
        buf_push(text, event.text);
    }
}

static void emit(struct run *run, const struct event *token)
{
    struct event event = *token;
    if (run_answer_is(&event)) {
        if (event.number > 1 && event.number != run->said_attempt)
            event.more = STR(EVENT_RESET);
        run->said_attempt = event.number;
    }
    run_emit(run, &event);
}

static void emit_pieces(struct run *run, struct event *token, struct str text)
{
    size_t most = size_min(run->options.limits.log_bytes / 8, MOST_EVENT_BYTES);
    while (text.len > 0) {
        token->text = str_utf8_prefix(text, most);
        if (token->text.len == 0) /* no character boundary: not UTF-8, cut anyway */
            token->text = str_slice(text, 0, most);
        emit(run, token);
        text = str_from(text, token->text.len);
    }
}

static struct event make_token(const struct run *run, const char *channel, unsigned attempt)
{
    return (struct event){.kind = EVENT_TOKEN,
                          .name = str_of(channel),
                          .number = (int64_t)size_max(attempt, (size_t)run->least_attempt)};
}

static void emit_standing(struct run *run, struct event *token)
{
    struct str standing = run->standing;
    run->standing = STR("");
    emit_pieces(run, token, standing);
}

void run_answer_void(struct run *run)
{
    struct event token = make_token(run, EVENT_FINAL_CHANNEL, 0);
    if (!run->has_void)
        return;
    if (run->standing.len > 0)
        emit_standing(run, &token);
    else
        emit(run, &token);
}

void run_answer_emit(struct run *run, const char *channel, struct str text, unsigned attempt)
{
    struct event token = make_token(run, channel, attempt);
    if (run_answer_is(&token) && text.len > 0)
        emit_standing(run, &token);
    emit_pieces(run, &token, text);
}
