/* SPDX-License-Identifier: MIT */
/* server/records/run_text.c - one walk over the log.
 *
 * Failure: events that are gone are skipped; a full buf ends it. */
#include "server/records/run_text.h"

void run_text_collect(struct run *run, struct buf *text)
{
    struct event_log *log = run_log(run);
    struct event event;
    uint64_t id = event_log_gone_id(log);
    int64_t attempt = 1;
    for (; event_log_after(log, id, &event) == ERR_OK; id = event.id) {
        if (event.kind != EVENT_TOKEN || !str_equal(event.name, STR(EVENT_FINAL_CHANNEL)))
            continue;
        if (event.number > attempt) {
            attempt = event.number;
            buf_clear(text);
        }
        buf_push(text, str_utf8_prefix(event.text, text->limit - buf_len(text)));
    }
}
