/* SPDX-License-Identifier: MIT */
/* server/api/api_resume.h - a run that paused for a person goes on, with the answer, as a new run.
 */
#ifndef SERVER_API_API_RESUME_H
#define SERVER_API_API_RESUME_H

#include "core/store/store.h"
#include "server/http/exchange.h"

struct api_resume_options { /* views are copied */
    struct identity key;    /* the caller, as far as it is named; others' runs are not there */
    struct str run_id;      /* absent: the one of key's conversation that paused last */
    struct str answer;      /* one JSON value */
    struct str client_tools; /* as of a runs_request; absent: those of the run */
    bool is_whole;          /* answer when it is over, not with a stream */
};

/* Stream it through the exchange's encoder, from the conversation's worker. It is answered 404: no
 * such run of the caller's; 409: it is not paused (any more), or its conversation is busy; 410:
 * where it paused is lost; 503: the store fails, or there is no place. */
void api_resume_start(struct exchange *exchange, const struct api_resume_options *options);

#endif
