/* SPDX-License-Identifier: MIT */
/* server/config/secret_box.h - secrets as they are kept in a store: sealed by AES-256-GCM under a
 * key of the settings, and bound to what they belong to, so that none serves for another.
 *
 * Keys are a list, separated by commas, each base64 of 32 bytes: the first one seals, all of them
 * open. Pure functions. Any thread. */
#ifndef SERVER_CONFIG_SECRET_BOX_H
#define SERVER_CONFIG_SECRET_BOX_H

#include "core/base/arena.h"
#include "core/base/err.h"

enum { SECRET_BOX_BYTES = 256 }; /* of a secret, at most */

/* Whether keys is such a list, or empty. */
bool secret_box_are_keys(struct str keys);
/* Whether text came out of secret_box_seal. */
bool secret_box_is_sealed(struct str text);
/* Whether text was sealed under the first of keys. */
bool secret_box_is_fresh(struct str keys, struct str text);
/* text, which belongs to owner, sealed under the first of keys, in arena. Absent: there is no key,
 * no randomness or no memory, or text is longer than SECRET_BOX_BYTES. */
struct str secret_box_seal(struct str keys, struct str owner, struct str text, struct arena *arena);
/* Open what owner's secret was sealed as; a text that was never sealed is itself. ERR_DENIED: none
 * of keys sealed it for owner, or it was changed; ERR_NO_MEMORY. */
MUST_USE enum err_code secret_box_open(struct str keys, struct str owner, struct str sealed,
                                       struct arena *arena, struct str *text, struct err *err);

#endif
