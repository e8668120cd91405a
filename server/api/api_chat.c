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

enum { ANSWER_BYTES = 64 * 1024, HEAD_BYTES = 256 };

void api_chat_stream(struct exchange *exchange)
{
    api_run_stream(exchange, "orchestrator");
}

/* Five keys although nothing ran. status: 200 where the question is at fault, which is an answer;
 * 429 and 503 say besides when to ask again. */
static void answer_error(struct exchange *exchange, const struct runs_request *request, int status,
                         const char *error)
{
    struct buf out, head;
    struct str text = str_of(error);
    buf_init(&out, ANSWER_BYTES);
    buf_init(&head, HEAD_BYTES);
    if (request->entry->answer != NULL)
        request->entry->answer(NULL, &text, &out);
    buf_push(&head, STR("Content-Type: application/json\r\nCache-Control: no-store\r\n"));
    if (status != 200)
        buf_printf(&head, "Retry-After: %d\r\n", PROBLEM_RETRY_AFTER);
    exchange_reply_with(exchange, status, buf_str(&head), buf_ok(&out) ? buf_str(&out) : STR("{}"));
    buf_fini(&out);
    buf_fini(&head);
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
        answer_error(exchange, &request, 200, "the query is empty; ask a question");
        return;
    }
    enum err_code code = api_run_submit(exchange, &request, &entry, &err);
    if (code == ERR_OK && invocation_start(exchange, entry, &err) != ERR_OK) {
        runs_cancel(entry, "cancelled", err.text);
        code = err.code;
    }
    if (code == ERR_INVALID)
        answer_error(exchange, &request, 200, err.text);
    else if (code == ERR_BUSY || code == ERR_UNAVAILABLE || code == ERR_NO_MEMORY)
        answer_error(exchange, &request, err_http_status(code), err.text);
    else if (code != ERR_OK)
        exchange_fail(exchange, &err);
}
