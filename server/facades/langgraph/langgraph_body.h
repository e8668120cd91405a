/* SPDX-License-Identifier: MIT */
/* server/facades/langgraph/langgraph_body.h - what a client of the LangGraph API asks of a run.
 *
 * Members that ask for what is not built are refused by name (501). Views live as long as the
 * exchange. */
#ifndef SERVER_FACADES_LANGGRAPH_LANGGRAPH_BODY_H
#define SERVER_FACADES_LANGGRAPH_LANGGRAPH_BODY_H

#include "server/facades/facade.h"
#include "server/runs/runs.h"

enum langgraph_mode { /* of a stream, as bits */
                      LANGGRAPH_VALUES = 1,
                      LANGGRAPH_UPDATES = 2,
                      LANGGRAPH_MESSAGES = 4, /* "messages-tuple" */
                      LANGGRAPH_CUSTOM = 8,
                      LANGGRAPH_EVENTS = 16,
                      LANGGRAPH_ALL = 31,
};

struct langgraph_view { /* what of a run is shown */
    unsigned modes;
    bool subgraphs;
};

struct langgraph_cursor { /* Last-Event-ID: "<event>.<frame of it>" */
    uint64_t event;
    unsigned frames;
};

struct langgraph_asked {
    struct langgraph_view view;
    struct runs_request request;
    /* a person's answer to the thread's paused run, as JSON; absent: a new run */
    struct str resume;
    struct str checkpoint_id; /* where to begin; absent: at the thread's end */
    struct str webhook;       /* where its result is sent; empty: nowhere */
    void (*go_on)(struct exchange *exchange, void *asked); /* once that is in the store */
};

/* The thread, the body and its caller; thread_id is absent for a run without one. False: problem.
 */
MUST_USE bool langgraph_body_read(struct exchange *exchange, struct str thread_id,
                                  const struct json_value *root, struct langgraph_asked *asked,
                                  struct problem *problem);
/* The same for a cron, whose body says when, too; that part is the caller's to read. */
MUST_USE bool langgraph_body_read_cron(struct exchange *exchange, struct str thread_id,
                                       const struct json_value *root, struct langgraph_asked *asked,
                                       struct problem *problem);
/* Whether the members of a cron's body, or of its change, are known. */
MUST_USE bool langgraph_body_check_cron(const struct json_value *root, struct problem *problem);
/* The question of an input. */
MUST_USE bool langgraph_body_read_message(struct exchange *exchange, const struct json_value *root,
                                          struct str *message, struct problem *problem);
/* The id of the checkpoint that the body's "checkpoint" is; absent: it names none. False: it is a
 * sub-graph's, or no checkpoint. */
MUST_USE bool langgraph_body_checkpoint(const struct json_value *root, struct str *checkpoint_id,
                                        struct problem *problem);
/* stream_mode and stream_subgraphs of a query; all modes when it names none. */
MUST_USE bool langgraph_body_read_query(struct exchange *exchange, struct langgraph_view *view,
                                        struct problem *problem);
MUST_USE bool langgraph_body_read_cursor(struct exchange *exchange, struct langgraph_cursor *cursor,
                                         struct problem *problem);
/* "?stream_mode=values&..." of a view. */
void langgraph_body_write_query(const struct langgraph_view *view, struct buf *out);

#endif
