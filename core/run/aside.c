/* SPDX-License-Identifier: MIT */
/* core/run/aside.c - text in a buffer, and a memo "ATTEMPT TEXT" of it.
 *
 * Failure: longer than SAID_BYTES: the text is given up. */
#include "core/run/aside.h"

#include <inttypes.h>

#include "core/run/run_context.h"

enum { SAID_BYTES = 4 << 20, NUMBER_BYTES = 24 };

void aside_init(struct aside *aside, const struct run_context *context, struct str path,
                struct str key, bool goes_on)
{
    struct str kept = run_context_find_memo(context, path, key);
    *aside = (struct aside){.path = path, .key = key};
    buf_init(&aside->text, SAID_BYTES);
    if (!goes_on) {
        aside->has_news = kept.len > 0; /* what an earlier try had said is void */
        return;
    }
    struct str number = str_split(&kept, ' ');
    if (str_to_u64(number, &aside->attempt))
        buf_push(&aside->text, kept);
}

void aside_fini(struct aside *aside)
{
    buf_fini(&aside->text);
}

void aside_say(struct aside *aside, struct str text, uint64_t attempt)
{
    if (attempt > aside->attempt)
        buf_clear(&aside->text);
    aside->attempt = attempt;
    buf_push(&aside->text, text);
    aside->has_news = true;
}

struct str aside_text(const struct aside *aside)
{
    return buf_ok(&aside->text) ? buf_str(&aside->text) : STR("");
}

void aside_keep(struct aside *aside, struct run_context *context)
{
    if (!aside->has_news)
        return;
    aside->has_news = false;
    struct str said = aside_text(aside);
    struct buf text; /* the memo is a copy in the run's arena, which gives nothing back */
    buf_init(&text, NUMBER_BYTES + said.len);
    buf_printf(&text, "%" PRIu64 " ", aside->attempt);
    buf_push(&text, said);
    const struct run_memo memo = {.path = aside->path, .key = aside->key, .text = buf_str(&text)};
    if (!buf_ok(&text) || !run_context_add_memo(context, &memo))
        LOG(&context->log, WARN, "memo.lost", "node=%.*s", STR_ARG(aside->path));
    buf_fini(&text);
}
