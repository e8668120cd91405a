/* SPDX-License-Identifier: MIT */
/* server/streams/invocation.c - a watch without a reader.
 *
 * Happy path: the run ends, and its end may be shown; its answer is written, the exchange replies.
 * Failure: an answer that does not fit is a 500; a client that left is forgotten, the run's own
 * rule says whether it goes on. */
#include "server/streams/invocation.h"

#include <string.h>

#include "core/base/mem.h"
#include "proto/json_write.h"
#include "server/http/exchange_wait.h"
#include "server/language/event_words.h"
#include "server/records/event_json.h"

enum { ANSWER_BYTES = 64 * 1024 * 1024 };

struct invocation {
    struct exchange_wait wait;
    struct runs_entry *entry;
    struct encoder *encoder;
    struct runs_watch watch;
    struct event_reader reader; /* while the end is not shown yet */
};

static void push_comma(struct buf *out)
{
    struct str text = buf_str(out);
    if (text.len > 0 && text.at[text.len - 1] != '{')
        buf_push_char(out, ',');
}

/* The state's own "error" and "error_code", of a graph that caught what failed. */
static uint64_t error_slots(const struct state *state)
{
    const struct schema *schema = state_schema(state);
    uint64_t slots = 0;
    for (unsigned i = 0; i < schema->slot_count; i++)
        if (strcmp(schema->slots[i].name, "error") == 0 ||
            strcmp(schema->slots[i].name, "error_code") == 0)
            slots |= UINT64_C(1) << i;
    return slots;
}

static void write_generic(const struct state *state, const struct str *error, struct str code,
                          struct str more, struct buf *out)
{
    struct buf members;
    struct json_write json;
    buf_init(&members, ANSWER_BYTES);
    uint64_t own = error_slots(state);
    registry_describe(state, error == NULL ? UINT64_MAX : ~own, &members);
    buf_push_char(out, '{');
    buf_push(out, buf_str(&members));
    if (error == NULL && own == 0) {
        push_comma(out);
        buf_push(out, STR("\"error\":null"));
    }
    if (error != NULL) {
        push_comma(out);
        buf_push(out, STR("\"error\":"));
        json_write_init(&json, out);
        json_write_str(&json, *error);
        buf_push(out, STR(",\"error_code\":"));
        json_write_init(&json, out);
        json_write_str(&json, code);
    }
    buf_push_char(out, ',');
    buf_push(out, more);
    buf_push_char(out, '}');
    if (!buf_ok(&members))
        out->failed = true;
    buf_fini(&members);
}

void invocation_write_state(const struct registry_entry *registry, const struct invocation_end *end,
                            struct buf *out)
{
    const struct str *error = end->failed ? &end->message : NULL;
    if (registry->answer != NULL)
        registry->answer(end->state, error, out);
    else
        write_generic(end->state, error, end->code, end->members, out);
}

void invocation_say(enum language language, struct str code, struct str message, struct buf *out)
{
    const struct event_words_answer words = {language, code, message};
    struct buf said;
    buf_init(&said, ANSWER_BYTES);
    if (event_words_say_answer(&words, buf_str(out), &said) && buf_ok(&said)) {
        buf_fini(out);
        *out = said;
    } else {
        buf_fini(&said);
    }
}

void invocation_write(const struct registry_entry *registry, struct run *run, struct buf *out)
{
    struct invocation_end end = {.state = run_state(run), .code = STR(""), .message = STR("")};
    struct buf members;
    buf_init(&members, ANSWER_BYTES);
    end.failed = run_result(run, &end.code, &end.message) != ERR_OK;
    event_json_finish(run, &members);
    end.members = buf_str(&members);
    invocation_write_state(registry, &end, out);
    if (!buf_ok(&members))
        out->failed = true;
    buf_fini(&members);
}

/* Whether it was turned away where models are asked. */
static bool is_busy(const struct run *run)
{
    struct str code = STR(""), message;
    return run_result(run, &code, &message) != ERR_OK && str_equal(code, STR("overloaded"));
}

static void destroy(struct invocation *invocation)
{
    event_log_detach(run_log(runs_run(invocation->entry)), &invocation->reader);
    runs_detach(&invocation->watch);
    mem_free(invocation);
}

static void say(enum language language, const struct run *run, struct buf *out)
{
    struct str code = STR(""), message = STR("");
    if (run_result(run, &code, &message) == ERR_OK)
        message = (struct str){NULL, 0};
    invocation_say(language, code, message, out);
}

static void answer(struct invocation *invocation)
{
    struct exchange *exchange = exchange_wait_take(&invocation->wait);
    struct run *run = runs_run(invocation->entry);
    struct err err;
    struct buf out;
    buf_init(&out, ANSWER_BYTES);
    int status = invocation->encoder->kind->answer(invocation->encoder, invocation->entry, &out);
    if (runs_is_lost(invocation->entry)) {
        err_set(&err, ERR_UNAVAILABLE, RUNS_LOST_TEXT);
        exchange_fail(exchange, &err);
    } else if (buf_ok(&out)) {
        say(exchange->language, run, &out);
        exchange_reply_run(exchange, status, buf_str(&out), run_id(run), is_busy(run));
    } else {
        err_set(&err, ERR_INTERNAL, "the answer does not fit in %d bytes", ANSWER_BYTES);
        exchange_fail(exchange, &err);
    }
    buf_fini(&out);
    destroy(invocation);
}

/* Whether a stream would have shown its end by now (ASKD_DURABILITY=sync). */
static bool is_shown(const struct invocation *invocation)
{
    const struct event_log *log = run_log(runs_run(invocation->entry));
    return event_log_shown_id(log) == event_log_last_id(log);
}

static void on_shown(struct event_reader *reader)
{
    struct invocation *invocation = reader->owner;
    if (is_shown(invocation))
        answer(invocation);
}

static void on_end(struct runs_watch *watch)
{
    struct invocation *invocation = watch->owner;
    struct event_log *log = run_log(runs_run(invocation->entry));
    if (list_is_linked(&invocation->reader.link))
        return; /* it waits */
    if (is_shown(invocation) ||
        event_log_attach(log, &invocation->reader, event_log_last_id(log) - 1) != ERR_OK)
        answer(invocation);
}

static void on_gone(struct exchange_wait *wait)
{
    destroy(container_of(wait, struct invocation, wait));
}

enum err_code invocation_start(struct exchange *exchange, struct runs_entry *entry, struct err *err)
{
    struct encoder *encoder = encoder_of(exchange);
    struct invocation *invocation = encoder == NULL ? NULL : mem_zalloc(1, sizeof *invocation);
    if (invocation == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for another request");
    CHECK(encoder->kind->answer != NULL);
    invocation->encoder = encoder;
    invocation->entry = entry;
    invocation->watch.owner = invocation;
    invocation->watch.on_end = on_end;
    invocation->reader = (struct event_reader){.on_grown = on_shown, .owner = invocation};
    exchange_wait_begin(&invocation->wait, exchange, on_gone);
    exchange_about(exchange, str_of(run_id(runs_run(entry))), run_conversation_id(runs_run(entry)));
    runs_attach(entry, &invocation->watch);
    if (runs_has_answered(entry)) /* an earlier run of the same Idempotency-Key */
        on_end(&invocation->watch);
    return ERR_OK;
}
