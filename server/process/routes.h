/* SPDX-License-Identifier: MIT */
/* server/process/routes.h - every endpoint of the program, and what its protocols have that it has
 * not. */
#ifndef SERVER_PROCESS_ROUTES_H
#define SERVER_PROCESS_ROUTES_H

#include "server/http/route.h"

extern const struct route_table routes_table;

#endif
