/* SPDX-License-Identifier: MIT */
/* server/schedules/api_schedules.h - /internal/schedules: a user's schedules, made, read, changed,
 * run at once and removed. Route functions; docs/schedules.md has the bodies. */
#ifndef SERVER_SCHEDULES_API_SCHEDULES_H
#define SERVER_SCHEDULES_API_SCHEDULES_H

struct exchange;

void api_schedules_create(struct exchange *exchange);
void api_schedules_list(struct exchange *exchange);
void api_schedules_show(struct exchange *exchange);
void api_schedules_change(struct exchange *exchange);
void api_schedules_erase(struct exchange *exchange);
void api_schedules_run(struct exchange *exchange);

#endif
