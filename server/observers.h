/* SPDX-License-Identifier: MIT */
/* server/observers.h - who counts and traces what a worker's backends do. */
#ifndef SERVER_OBSERVERS_H
#define SERVER_OBSERVERS_H

#include "server/worker.h"

/* The series for what config and the graphs of registry, borrowed, have. NULL: no memory. */
struct meters *observers_meters(const struct config *config, const struct registry *registry);
/* Observe every backend of the worker's wiring and the guard of its services, and trace if that is
 * wanted; once, before the first call. False: no memory. */
MUST_USE bool observers_open(struct worker *worker);
/* Show how the database's connections, the model's calls and the loop are now; every second or so.
 */
void observers_sample(struct worker *worker);

#endif
