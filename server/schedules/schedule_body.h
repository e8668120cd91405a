/* SPDX-License-Identifier: MIT */
/* server/schedules/schedule_body.h - the body of a request about a schedule -> a schedule, made
 * anew or changed. Views live as long as the exchange. */
#ifndef SERVER_SCHEDULES_SCHEDULE_BODY_H
#define SERVER_SCHEDULES_SCHEDULE_BODY_H

#include "server/http/exchange.h"
#include "server/schedules/schedule.h"

/* Read the body of a new schedule; its caller is who may ask for it. False: problem. */
MUST_USE bool schedule_body_read(struct exchange *exchange, struct schedule *schedule,
                                 struct problem *problem);
/* Put the members that root, the body of a change, has in their place in schedule. False: problem.
 */
MUST_USE bool schedule_body_change(struct exchange *exchange, const struct json_value *root,
                                   struct schedule *schedule, struct problem *problem);
/* Set the time zone of schedule; empty: UTC. False: problem, about pointer. */
MUST_USE bool schedule_body_set_zone(struct str zone, const char *pointer,
                                     struct schedule *schedule, struct problem *problem);
/* Set the webhook of schedule; an empty url: none. A secret is made when there is none and the
 * setting has none. False: problem, about pointer. */
MUST_USE bool schedule_body_set_webhook(struct exchange *exchange, struct str url,
                                        const char *pointer, struct schedule *schedule,
                                        struct problem *problem);

#endif
