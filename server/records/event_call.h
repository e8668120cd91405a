/* SPDX-License-Identifier: MIT */
/* server/records/event_call.h - what tool_start and tool_end say of a call that a model asked for:
 * which one, with which arguments or which result. Tools that a graph calls by itself have none of
 * that. */
#ifndef SERVER_RECORDS_EVENT_CALL_H
#define SERVER_RECORDS_EVENT_CALL_H

#include "core/base/buf.h"
#include "core/store/event.h"

struct event_call { /* views of itself */
    struct str id;
    struct str said; /* arguments as the model wrote them; or the result */
    bool failed;
    /* private */
    struct buf text, scratch;
};

/* Read a tool_start or tool_end into *call, to be given to event_call_fini in any case. False: no
 * model asked for it, or no memory. */
MUST_USE bool event_call_read(const struct event *event, struct event_call *call);
void event_call_fini(struct event_call *call);
/* Whether text is one JSON object. */
bool event_call_is_object(struct str text);

#endif
