/* SPDX-License-Identifier: MIT */
/* server/config/setting.h - one setting after another, as the pages of the terminal tell of them.
 *
 * Static data; any thread. */
#ifndef SERVER_CONFIG_SETTING_H
#define SERVER_CONFIG_SETTING_H

#include "core/base/defs.h"

struct setting {
    const char *name, *flag, *initial, *help; /* flag: "--port"; NULL: it has none */
    bool is_count;                            /* a value is a whole number */
};

/* Set *out to the setting at this place of .env.example. False: there are no more. */
MUST_USE bool setting_at(size_t at, struct setting *out);

#endif
