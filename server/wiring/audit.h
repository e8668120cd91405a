/* SPDX-License-Identifier: MIT */
/* server/wiring/audit.h - the records of the audit stream: each statement that was sent for
 * somebody, and each that the guard refused, once. Without a stream nothing is done. One loop, one
 * thread. */
#ifndef SERVER_WIRING_AUDIT_H
#define SERVER_WIRING_AUDIT_H

#include "agents/services/services.h"
#include "server/config/config.h"
#include "server/observe/audit_file.h"
#include "server/observe/meters.h"

struct audit {               /* borrowed */
    struct audit_file *file; /* NULL: no stream is kept */
    const struct config *config;
    const struct meters *meters;
    struct metrics *metrics;
};

/* A statement that has ended, well or badly; those that nobody asked for are not told. */
void audit_statement(const struct audit *audit, const struct sql_query *query, uint64_t took_ns);
/* A statement that the guard refused under its verdict. */
void audit_refusal(const struct audit *audit, const struct session *session,
                   const struct sql_verdict *verdict, struct str sql);

#endif
