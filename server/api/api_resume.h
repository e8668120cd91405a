/* SPDX-License-Identifier: MIT */
/* server/api/api_resume.h - a run that paused for a person goes on, with the answer, as a new run.
 */
#ifndef SERVER_API_API_RESUME_H
#define SERVER_API_API_RESUME_H

#include "core/store/store.h"
#include "server/api/api_run.h"

struct stored_run;

struct api_resume_options { /* views are copied */
    /* Its caller, as far as it is named (others' runs are not there), its client's tools (absent:
     * those of the run) and their choice, its detail and its readers count. */
    const struct runs_request *run;
    struct str run_id;       /* absent: the one of the caller's conversation that paused last */
    struct str answer;       /* one JSON value */
    api_run_answer_fn *tell; /* NULL: stream it */
    /* The paused run, before anything is told of the new one. Returns the answer to it, kept by the
     * exchange; absent: it is refused, and the exchange answered. NULL: answer as it is. */
    struct str (*on_found)(struct exchange *exchange, const struct stored_run *past,
                           struct str answer);
};

/* A tell: answer whole, when it is over. */
api_run_answer_fn api_resume_whole;

/* Tell of it through the exchange's encoder, from the conversation's worker. It is answered 404: no
 * such run of the caller's; 409: it is not paused (any more), or its conversation is busy; 410:
 * where it paused is lost; 503: the store fails, or there is no place. */
void api_resume_start(struct exchange *exchange, const struct api_resume_options *options);

#endif
