/* SPDX-License-Identifier: MIT */
/* server/schedules/schedule_secrets.h - the secrets of a schedule's webhook, sealed in the store
 * (server/config/secret_box.h) and bound to the schedule. Any thread. */
#ifndef SERVER_SCHEDULES_SCHEDULE_SECRETS_H
#define SERVER_SCHEDULES_SCHEDULE_SECRETS_H

#include "server/config/config.h"
#include "server/schedules/schedule.h"

/* Seal the secrets of the schedule called id, or seal them anew that another key than the first one
 * of ASKD_SECRETS_KEY sealed; texts in arena. What cannot be opened, and what was stored before
 * there were keys while there is none, stays. False: no memory, or no randomness; then it
 * stays, too. */
MUST_USE bool schedule_secrets_seal(const struct config *config, struct str id,
                                    struct schedule *schedule, struct arena *arena);
/* A secret of the schedule called id as it signs. ERR_DENIED: it cannot be opened; ERR_NO_MEMORY.
 */
MUST_USE enum err_code schedule_secrets_open(const struct config *config, struct str id,
                                             struct str secret, struct arena *arena,
                                             struct str *text, struct err *err);

#endif
