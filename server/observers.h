/* SPDX-License-Identifier: MIT */
/* server/observers.h - who counts what a worker's backends do. */
#ifndef SERVER_OBSERVERS_H
#define SERVER_OBSERVERS_H

#include "server/worker.h"

/* Observe every backend of the worker's wiring; once, before the first call. */
void observers_attach(struct worker *worker);
/* Show how the database's connections are now. */
void observers_count_connections(struct worker *worker);

#endif
