/* SPDX-License-Identifier: MIT */
/* server/process/descriptors.h - how many connections the process may have descriptors for.
 *
 * A client that waits for an answer takes two: its connection and one to the model. A server that
 * takes more clients than it has descriptors cannot ask the model for them, and the kernel has
 * their connections cut; so those beyond are told 503 while there is still a descriptor to say it
 * with. */
#ifndef SERVER_PROCESS_DESCRIPTORS_H
#define SERVER_PROCESS_DESCRIPTORS_H

#include "core/base/log.h"
#include "server/config/config.h"

/* Raise the soft limit of descriptors (RLIMIT_NOFILE) as far as config's connections need and the
 * hard limit allows; where that is too few, lower config->max_connections to what fits, at least 1,
 * and log it. Before the first loop is made. What the kernel does not tell changes nothing. */
void descriptors_fit(struct config *config, const struct log *log);

#endif
