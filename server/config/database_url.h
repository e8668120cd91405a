/* SPDX-License-Identifier: MIT */
/* server/config/database_url.h - ASKD_DATABASE_URL as text: which engine it names, whether it is
 * well formed, and how it may be shown.
 *
 * Opens nothing. No message repeats a part of a url that could belong to a password. Any thread. */
#ifndef SERVER_CONFIG_DATABASE_URL_H
#define SERVER_CONFIG_DATABASE_URL_H

#include "backends/sql.h"
#include "core/base/buf.h"

/* Set *dialect to the engine of url: sqlite:PATH, postgresql:// or postgres://, mysql:// or
 * mariadb://; a driver's name as in "mysql+pymysql://" is passed over. *rest: what follows
 * "sqlite:" or "://". False: no engine of ours. */
MUST_USE bool database_url_engine(struct str url, enum sql_dialect *dialect, struct str *rest);
/* Check that url is well formed. ERR_INVALID: err says what is wrong with it. */
MUST_USE enum err_code database_url_check(struct str url, struct err *err);
/* Append url with passwords as ****. */
void database_url_mask(struct buf *out, struct str url);

struct database_url_parts { /* as they are, nothing encoded; absent or empty: left out */
    struct str host, user, password, name;
    uint64_t port;
};
/* Append mysql://user:password@host:port/name. */
void database_url_write_mysql(struct buf *out, const struct database_url_parts *parts);

#endif
