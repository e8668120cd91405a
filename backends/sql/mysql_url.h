/* SPDX-License-Identifier: MIT */
/* backends/sql/mysql_url.h - where a MySQL or MariaDB database is and how to log in, read from a
 * url.
 *
 *   mysql://user:password@host:port/database?ssl-mode=required&ssl-ca=FILE
 *   mysql://user:password@/database?socket=FILE
 *
 * mariadb:// means the same. Every part may be percent-encoded; IPv6 addresses stand in brackets.
 * Unknown parameters are refused. Bytes only: nothing is looked up. Any thread. */
#ifndef BACKENDS_SQL_MYSQL_URL_H
#define BACKENDS_SQL_MYSQL_URL_H

#include "core/base/arena.h"
#include "core/base/err.h"

/* How TLS is used, as the names say; what the client library can do of it stands in
 * backends/sql/mysql_conn.h. */
enum mysql_url_tls {
    MYSQL_URL_TLS_DISABLED,
    MYSQL_URL_TLS_PREFERRED, /* the default */
    MYSQL_URL_TLS_REQUIRED,
    MYSQL_URL_TLS_VERIFY_CA,
    MYSQL_URL_TLS_VERIFY_IDENTITY,
};

struct mysql_url {                           /* terminated strings */
    const char *user, *password;             /* password: "" when there is none */
    const char *host, *socket;               /* exactly one of them is not NULL */
    const char *database;                    /* not empty */
    const char *ssl_ca, *ssl_cert, *ssl_key; /* files, or NULL */
    enum mysql_url_tls tls;
    unsigned port; /* 3306 by default */
    /* private */
    struct arena arena;
};

/* Read text into *url, which mysql_url_fini frees also after an error. ERR_INVALID: err names the
 * part that is wrong, never the password; ERR_NO_MEMORY. */
MUST_USE enum err_code mysql_url_parse(struct mysql_url *url, struct str text, struct err *err);
/* Free the strings. Zeroed storage is fine. */
void mysql_url_fini(struct mysql_url *url);

#endif
