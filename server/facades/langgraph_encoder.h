/* SPDX-License-Identifier: MIT */
/* server/facades/langgraph_encoder.h - a run as the LangGraph API streams it: modes, ids of frames,
 * values with the thread's messages; or its last values alone. */
#ifndef SERVER_FACADES_LANGGRAPH_ENCODER_H
#define SERVER_FACADES_LANGGRAPH_ENCODER_H

#include "server/facades/langgraph_body.h"

struct langgraph_encoder_options { /* views live as long as exchange */
    struct exchange *exchange;
    struct str thread_id; /* absent: a run without one */
    struct langgraph_view view;
    struct langgraph_cursor seen; /* frames up to this one are not written again */
    bool is_silent;               /* a whole answer is 204: somebody waits for the end alone */
};

/* Make it the exchange's. False: no memory. */
MUST_USE bool langgraph_encoder_make(const struct langgraph_encoder_options *options);

/* A message of a thread. */
struct json_write;
void langgraph_encoder_write_message(struct json_write *json, const char *type, struct str run_id,
                                     struct str content);

#endif
