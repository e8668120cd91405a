/* SPDX-License-Identifier: MIT */
/* core/run/run_context.c - what nodes say, and what of it is void.
 *
 * Happy path: text becomes token events; the first of another attempt on the final channel voids
 * what that said before, and says so. A run that was taken over first repeats what stands; it does
 * so at once when something does not, so that whoever takes it over next knows, too.
 * Failure: no memory for the event log is told by on_mute; an event that is too large for it is
 * dropped, with a warning. */
#include "core/run/run_context.h"

#include <string.h>

#include "core/loop/ahead.h"

enum { MOST_EVENT_BYTES = 8 * 1024 }; /* of a token's text; longer text becomes several */

static const struct str final_channel = {EVENT_FINAL_CHANNEL, sizeof EVENT_FINAL_CHANNEL - 1};

bool run_context_is_answer(const struct event *event)
{
    return event->kind == EVENT_TOKEN && str_equal(event->name, final_channel);
}

bool run_context_wants(const struct run_context *context, enum event_level level)
{
    bool is_heard = level == EVENT_ASKED ? context->wants_data : level <= context->detail;
    return is_heard && !run_phase_is_over(context->phase);
}

void run_context_note_event(struct run_context *context, const struct event *event)
{
    if (event->kind == EVENT_ROUTE_DECISION)
        context->route = arena_str(&context->arena, event->name);
    if (run_context_is_answer(event) && context->final_deltas++ == 0 && context->stats.ttft_ms == 0)
        context->stats.ttft_ms = size_max(1, loop_now_ms(context->loop) - context->began_ms);
}

void run_context_emit(struct run_context *context, const struct event *event)
{
    if (!run_context_wants(context,
                           event->kind == EVENT_TOKEN ? EVENT_CORE : event_level(event->kind)))
        return;
    if (event->name.len + event->text.len + event->more.len > context->log_bytes / 4) {
        LOG(&context->log, WARN, "event.dropped", "kind=%s bytes=%zu", event_name(event->kind),
            event->text.len);
        return;
    }
    run_context_note_event(context, event);
    if (event_log_append(context->events, event) == 0)
        context->hooks.on_mute(context);
}

void run_context_describe(struct run_context *context, const char *path, const struct state *state,
                          uint64_t changed)
{
    const struct schema *schema = state_schema(state);
    struct buf members;
    for (unsigned i = 0; i < schema->slot_count; i++)
        if (schema->slots[i].secret)
            changed &= ~(UINT64_C(1) << i);
    if (changed == 0 || context->hooks.describe == NULL || !run_context_wants(context, EVENT_NODES))
        return;
    buf_init(&members, context->log_bytes / 4);
    context->hooks.describe(state, changed, &members);
    const struct event event = {
        .kind = EVENT_STATE, .name = str_of(path), .text = buf_str(&members)};
    if (buf_ok(&members))
        run_context_emit(context, &event);
    buf_fini(&members);
}

/* ---- the answer, token by token ---- */

void run_context_collect_answer(const struct run_context *context, uint64_t id, struct buf *text)
{
    struct event event = {0};
    int64_t attempt = 1;
    while (event_log_after(context->events, event.id, &event) == ERR_OK && event.id <= id) {
        if (!run_context_is_answer(&event))
            continue;
        if (event.number > attempt)
            buf_clear(text);
        attempt = event.number;
        buf_push(text, event.text);
    }
}

static void emit(struct run_context *context, const struct event *token)
{
    struct event event = *token;
    if (run_context_is_answer(&event)) {
        if (event.number > 1 && event.number != context->said_attempt)
            event.more = STR(EVENT_RESET);
        context->said_attempt = event.number;
    }
    run_context_emit(context, &event);
}

static void emit_pieces(struct run_context *context, struct event *token, struct str text)
{
    size_t most = size_min(context->log_bytes / 8, MOST_EVENT_BYTES);
    while (text.len > 0) {
        token->text = text.len <= most ? text : str_utf8_prefix(text, most);
        if (token->text.len == 0) /* no character boundary: not UTF-8, cut anyway */
            token->text = str_slice(text, 0, most);
        emit(context, token);
        text = str_from(text, token->text.len);
    }
}

static struct event make_token(const struct run_context *context, const char *channel,
                               unsigned attempt)
{
    return (struct event){.kind = EVENT_TOKEN,
                          .name = str_of(channel),
                          .number = (int64_t)size_max(attempt, (size_t)context->least_attempt)};
}

static void emit_standing(struct run_context *context, struct event *token)
{
    struct str standing = context->standing;
    context->standing = STR("");
    emit_pieces(context, token, standing);
}

void run_context_void_answer(struct run_context *context)
{
    struct event token = make_token(context, EVENT_FINAL_CHANNEL, 0);
    if (!context->has_void)
        return;
    if (context->standing.len > 0)
        emit_standing(context, &token);
    else
        emit(context, &token);
}

void run_context_say(struct run_context *context, const char *channel, struct str text,
                     unsigned attempt)
{
    struct event token = make_token(context, channel, attempt);
    AHEAD_NOTE(context->loop, &context->loop, &context->events, &context->phase,
               &context->final_deltas, &context->said_attempt, &context->standing);
    if (run_context_is_answer(&token) && text.len > 0)
        emit_standing(context, &token);
    emit_pieces(context, &token, text);
}

/* ---- supersteps, pauses, and where a restored run goes on ---- */

void run_context_step(struct run_context *context)
{
    context->steps++;
    context->is_due = true;
    if (context->hooks.on_step != NULL)
        context->hooks.on_step(context);
}

struct str run_context_find_resume(const struct run_context *context, const char *path)
{
    bool is_its = context->resume_node.len > 0 && str_equal(context->resume_node, str_of(path));
    return is_its ? context->resume_value : (struct str){NULL, 0};
}

void run_context_drop_resume(struct run_context *context, const char *path)
{
    if (!str_is_absent(run_context_find_resume(context, path)))
        context->resume_node = (struct str){NULL, 0};
}

void run_context_interrupt(struct run_context *context, const char *path, struct str details)
{
    bool is_first = context->interrupts.len == 0;
    context->interrupts =
        arena_printf(&context->arena, "%.*s%s{\"node\":\"%s\"%s%.*s}", STR_ARG(context->interrupts),
                     is_first ? "" : ",", path, details.len > 0 ? "," : "", STR_ARG(details));
}

struct run_part *run_context_find_part(const struct run_context *context, struct str path)
{
    LIST_EACH(link, &context->parts)
        if (str_equal(list_item(link, struct run_part, link)->path, path))
            return list_item(link, struct run_part, link);
    return NULL;
}

static bool is_inside(struct str at, struct str path)
{
    return path.len == 0 ||
           (at.len > path.len && str_starts_with(at, path) && at.at[path.len] == '/');
}

void run_context_drop_parts(struct run_context *context, struct str path)
{
    LIST_EACH_SAFE(link, &context->parts)
        if (is_inside(list_item(link, struct run_part, link)->path, path))
            list_remove(link);
}

/* ---- memos ---- */

static void drop_memo(struct run_context *context, struct str path, struct str key)
{
    LIST_EACH_SAFE(link, &context->memos) {
        const struct run_memo *memo = list_item(link, const struct run_memo, link);
        if (str_equal(memo->path, path) && str_equal(memo->key, key))
            list_remove(link);
    }
}

bool run_context_add_memo(struct run_context *context, const struct run_memo *memo)
{
    struct arena *arena = &context->arena;
    struct run_memo *added = arena_alloc(arena, sizeof *added);
    if (added == NULL)
        return false;
    *added = (struct run_memo){.path = arena_str(arena, memo->path),
                               .key = arena_str(arena, memo->key),
                               .text = arena_str(arena, memo->text),
                               .is_saved = memo->is_saved};
    if (!arena_ok(arena))
        return false;
    drop_memo(context, added->path, added->key);
    list_push(&context->memos, &added->link);
    return true;
}

void run_context_put_memo(struct run_context *context, struct str path, struct str key,
                          struct str text)
{
    const struct run_memo memo = {.path = path, .key = key, .text = text};
    context->memo_count++;
    if (!run_context_add_memo(context, &memo))
        return; /* the arena is spent, which ends the run at the superstep's end */
    context->is_due = true;
    if (context->hooks.on_step != NULL)
        context->hooks.on_step(context);
}

struct str run_context_find_memo(const struct run_context *context, struct str path, struct str key)
{
    struct str found = {NULL, 0};
    LIST_EACH(link, &context->memos) {
        const struct run_memo *memo = list_item(link, const struct run_memo, link);
        if (str_equal(memo->path, path) && str_equal(memo->key, key))
            found = memo->text;
    }
    return found;
}

void run_context_drop_memos(struct run_context *context, struct str path)
{
    LIST_EACH_SAFE(link, &context->memos) {
        struct str at = list_item(link, struct run_memo, link)->path;
        if (is_inside(at, path) || str_equal(at, path))
            list_remove(link);
    }
}
