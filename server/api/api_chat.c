/* SPDX-License-Identifier: MIT */
/* server/api/api_chat.c - to the right worker, then rejoin or begin.
 *
 * Happy path: the body is read; a conversation of another worker is handed over; a run is begun
 * and streamed (or waited for).
 * Failure paths: see run_body and runs; a run to rejoin that is gone: 410; somebody else's: 404. */
#include "server/api/api_chat.h"

#include "server/api/api_run.h"
#include "server/streams/invocation.h"
#include "server/api/run_body.h"

enum { ANSWER_BYTES = 64 * 1024 };

void api_chat_stream(struct exchange *exchange)
{
    api_run_stream(exchange, "orchestrator");
}

/* Five keys although nothing ran. */
static void answer_error(struct exchange *exchange, const struct runs_request *request,
                         const char *error)
{
    struct buf out;
    struct str text = str_of(error);
    buf_init(&out, ANSWER_BYTES);
    if (request->entry->answer != NULL)
        request->entry->answer(NULL, &text, &out);
    exchange_reply(exchange, 200, "application/json", buf_ok(&out) ? buf_str(&out) : STR("{}"));
    buf_fini(&out);
}

void api_chat_ask(struct exchange *exchange)
{
    struct runs_request request;
    struct problem problem;
    struct runs_entry *entry;
    struct err err = {0};
    if (!run_body_read_ask(exchange, &request, &problem)) {
        exchange_problem(exchange, &problem);
        return;
    }
    if (str_trim(request.message).len == 0) {
        answer_error(exchange, &request, "the query is empty; ask a question");
        return;
    }
    enum err_code code = api_run_submit(exchange, &request, &entry, &err);
    if (code == ERR_OK && invocation_start(exchange, entry, &err) != ERR_OK) {
        runs_cancel(entry, "cancelled", err.text);
        code = err.code;
    }
    if (code == ERR_INVALID)
        answer_error(exchange, &request, err.text);
    else if (code != ERR_OK)
        exchange_fail(exchange, &err);
}
