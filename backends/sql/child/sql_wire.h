/* SPDX-License-Identifier: MIT */
/* backends/sql/child/sql_wire.h - a statement and its result as bytes, between askd and a child
 * process of it on the same machine.
 *
 *   frame   = length of the rest, 4 bytes of the machine's order; kind, 1 byte; body
 *   askd -> child   SQL_WIRE_STATEMENT, SQL_WIRE_CANCEL
 *   child -> askd   SQL_WIRE_REPLY
 * The reader trusts no length. Pure; any thread. */
#ifndef BACKENDS_SQL_CHILD_SQL_WIRE_H
#define BACKENDS_SQL_CHILD_SQL_WIRE_H

#include "backends/sql.h"
#include "core/base/buf.h"

enum sql_wire_kind { SQL_WIRE_STATEMENT = 1, SQL_WIRE_CANCEL, SQL_WIRE_REPLY };

enum sql_wire_found { SQL_WIRE_PART, SQL_WIRE_WHOLE, SQL_WIRE_WRONG };

enum { SQL_WIRE_HEAD_BYTES = 5 };

struct sql_wire_reply {
    struct err err; /* ERR_OK: result is there */
    char sqlstate[8];
    struct sql_result result;
};

/* Append a whole frame; buf_ok says whether it fitted. */
void sql_wire_put_statement(struct buf *out, const struct sql_statement *statement);
void sql_wire_put_cancel(struct buf *out);
void sql_wire_put_reply(struct buf *out, const struct sql_query *query);

/* The first frame of bytes. PART: not all of it came yet; WHOLE: kind and body are set, body is a
 * view of bytes; WRONG: longer than most, or of no known kind. */
enum sql_wire_found sql_wire_next(struct str bytes, size_t most, enum sql_wire_kind *kind,
                                  struct str *body);

/* What a body says. Texts are views of body, lists are made in arena. ERR_PROTOCOL: it is no such
 * body; ERR_NO_MEMORY. */
MUST_USE enum err_code sql_wire_read_statement(struct str body, struct arena *arena,
                                               struct sql_statement *statement);
MUST_USE enum err_code sql_wire_read_reply(struct str body, struct arena *arena,
                                           struct sql_wire_reply *reply);

#endif
