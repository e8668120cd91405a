/* SPDX-License-Identifier: MIT */
/* server/schedules/schedule_secrets.c - both secrets, one after the other. Failure: as secret_box
 * says. */
#include "server/schedules/schedule_secrets.h"

#include "server/config/secret_box.h"

enum err_code schedule_secrets_open(const struct config *config, struct str id, struct str secret,
                                    struct arena *arena, struct str *text, struct err *err)
{
    return secret_box_open(str_of(config->secrets_key), id, secret, arena, text, err);
}

static bool seal(const struct config *config, struct str id, struct str *secret,
                 struct arena *arena)
{
    struct str keys = str_of(config->secrets_key), text;
    struct err ignored;
    if (secret->len == 0 || keys.len == 0 || secret_box_is_fresh(keys, *secret) ||
        secret_box_open(keys, id, *secret, arena, &text, &ignored) != ERR_OK)
        return arena_ok(arena);
    struct str sealed = secret_box_seal(keys, id, text, arena);
    if (str_is_absent(sealed))
        return false;
    *secret = sealed;
    return true;
}

bool schedule_secrets_seal(const struct config *config, struct str id, struct schedule *schedule,
                           struct arena *arena)
{
    return seal(config, id, &schedule->secret, arena) &&
           seal(config, id, &schedule->old_secret, arena);
}
