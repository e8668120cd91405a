/* SPDX-License-Identifier: MIT */
/* server/facades/langgraph/langgraph_encoder.h - a run as the LangGraph API streams it: modes, ids
 * of frames, values with the thread's messages; or its last values alone. */
#ifndef SERVER_FACADES_LANGGRAPH_LANGGRAPH_ENCODER_H
#define SERVER_FACADES_LANGGRAPH_LANGGRAPH_ENCODER_H

#include "server/facades/langgraph/langgraph_body.h"

struct langgraph_encoder_options { /* views are kept */
    struct arena *arena;
    struct runs *runs;             /* where the run is, if it is in memory; NULL: it is not */
    const struct history *history; /* of the threads; NULL: none */
    struct str thread_id;          /* absent: a run without one */
    struct langgraph_view view;
    struct langgraph_cursor seen; /* frames up to this one are not written again */
    bool is_silent;               /* a whole answer is 204: somebody waits for the end alone */
};

/* NULL: no memory. */
struct encoder *langgraph_encoder_create(const struct langgraph_encoder_options *options);

#endif
