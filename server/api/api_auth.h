/* SPDX-License-Identifier: MIT */
/* server/api/api_auth.h - who gives tokens for this server (RFC 9728). */
#ifndef SERVER_API_API_AUTH_H
#define SERVER_API_API_AUTH_H

#include "server/http/route.h"

/* The metadata of the resource that the path names behind its well-known part; 404 where
 * ASKD_AUTH_FILE says no "resource". */
void api_auth_resource(struct exchange *exchange);

#endif
