/* SPDX-License-Identifier: MIT */
/* server/process/routes.h - the table of every endpoint of the program, and of those that its
 * protocols have and the program has not. */
#ifndef SERVER_PROCESS_ROUTES_H
#define SERVER_PROCESS_ROUTES_H

#include "server/http/route.h"

extern const struct route_table routes_table;

#endif
