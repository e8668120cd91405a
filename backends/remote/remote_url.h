/* SPDX-License-Identifier: MIT */
/* backends/remote/remote_url.h - which addresses tools may reach: a list by scheme, host, port and
 * the beginning of a path.
 *
 * Strict where programs disagree about what an address means: no user, no fragment, no backslash,
 * no dot segments, however they are written. Pure; any thread. */
#ifndef BACKENDS_REMOTE_REMOTE_URL_H
#define BACKENDS_REMOTE_REMOTE_URL_H

#include "core/base/err.h"
#include "core/base/str.h"

struct remote_url {
    struct str scheme, host; /* as written; compared without case */
    unsigned port;           /* the scheme's own when none is written */
    struct str path;         /* "/" when there is none; without the query */
};

/* Take text apart; views of it. ERR_INVALID: it is no absolute http or https address, or says
 * something twice. */
MUST_USE enum err_code remote_url_parse(struct str text, struct remote_url *url, struct err *err);
/* Whether url lies at or below allowed: "https://api.example.com/v1/" allows what is below /v1/,
 * "https://api.example.com/v1" also /v1 itself. */
bool remote_url_is_below(const struct remote_url *url, const struct remote_url *allowed);
/* Whether text, a value that becomes one segment of a path, can only be that. */
bool remote_url_is_segment(struct str text);

#endif
