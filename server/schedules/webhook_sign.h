/* SPDX-License-Identifier: MIT */
/* server/schedules/webhook_sign.h - secrets of webhooks, and signatures as Standard Webhooks has
 * them: HMAC-SHA256 over "ID.TIMESTAMP.BODY". Any thread. */
#ifndef SERVER_SCHEDULES_WEBHOOK_SIGN_H
#define SERVER_SCHEDULES_WEBHOOK_SIGN_H

#include "core/base/buf.h"

enum { WEBHOOK_SIGN_SECRET = 52 }; /* bytes of a secret that is made here, with its end */

/* Make a secret: "whsec_" and 32 random bytes in base64. False: the kernel gives none. */
MUST_USE bool webhook_sign_make(char secret[WEBHOOK_SIGN_SECRET]);
/* Whether text is "whsec_" and base64 of 24 to 64 bytes. */
bool webhook_sign_is_secret(struct str text);
/* Append "v1,SIGNATURE", behind a blank when out has something already. False: secret is none. */
MUST_USE bool webhook_sign_push(struct str secret, struct str id, int64_t timestamp_s,
                                struct str body, struct buf *out);

#endif
