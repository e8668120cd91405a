/* SPDX-License-Identifier: MIT */
/* server/routes.h - every endpoint of the program, and what its protocols have that it has not. */
#ifndef SERVER_ROUTES_H
#define SERVER_ROUTES_H

#include "server/route.h"

extern const struct route_table routes_table;

#endif
