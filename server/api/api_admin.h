/* SPDX-License-Identifier: MIT */
/* server/api/api_admin.h - health, readiness, version: for operators and their machines. */
#ifndef SERVER_API_API_ADMIN_H
#define SERVER_API_API_ADMIN_H

#include "server/http/route.h"

/* The process lives. */
void api_admin_health(struct exchange *exchange);
/* Every backend by name; 503 when one is missing or when draining. */
void api_admin_ready(struct exchange *exchange);
/* Name, version, commit. */
void api_admin_version(struct exchange *exchange);

#endif
