/* SPDX-License-Identifier: MIT */
/* server/feedback/api_feedback.h - POST /internal/runs/{run}/feedback: what somebody says of the
 * answer of a run of their own.
 *
 * Kept with the run's conversation and erased with it; nobody uses it before a person has taken it
 * (askd semantic review). */
#ifndef SERVER_FEEDBACK_API_FEEDBACK_H
#define SERVER_FEEDBACK_API_FEEDBACK_H

#include "server/http/exchange.h"

void api_feedback_post(struct exchange *exchange);

#endif
