/* SPDX-License-Identifier: MIT */
/* server/api_admin.h - health, readiness, metrics, version: for operators and their machines. */
#ifndef SERVER_API_ADMIN_H
#define SERVER_API_ADMIN_H

#include "server/route.h"

/* The process lives. */
void api_admin_health(struct exchange *exchange);
/* Every backend by name; 503 when one is missing or when draining. */
void api_admin_ready(struct exchange *exchange);
/* Prometheus text, over all workers. */
void api_admin_metrics(struct exchange *exchange);
/* Name and version. */
void api_admin_version(struct exchange *exchange);

#endif
