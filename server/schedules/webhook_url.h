/* SPDX-License-Identifier: MIT */
/* server/schedules/webhook_url.h - which addresses results may be sent to: those below one of
 * ASKD_WEBHOOKS. Any thread. */
#ifndef SERVER_SCHEDULES_WEBHOOK_URL_H
#define SERVER_SCHEDULES_WEBHOOK_URL_H

#include "server/config/config.h"

enum { WEBHOOK_URL_BYTES = 2048 };

/* ERR_INVALID: it is no address; ERR_DENIED: none is allowed, or not this one. */
MUST_USE enum err_code webhook_url_check(const struct config *config, struct str url,
                                         struct err *err);

#endif
