/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_input.h - reads the input of commands: the catalog of a database, and lines to be
 * answered one by one.
 *
 * Blocking; the catalog is read on a loop of its own. */
#ifndef SERVER_CLI_CMD_INPUT_H
#define SERVER_CLI_CMD_INPUT_H

#include "agents/sql/catalog/introspect.h"
#include "server/config/config.h"

/* Set *out to the catalog of the database at url; it is the caller's. ERR_INVALID: not a url; other
 * errors are those of introspect_start. */
MUST_USE enum err_code cmd_input_catalog(const char *url, const struct introspect_options *asked,
                                         struct catalog **out, struct err *err);

/* The configuration of the environment and .env where it names a database, for a command that was
 * given none; the caller's to destroy. NULL: stderr says why, with command ("askd joins") in front
 * and the flags that would do, as "--db URL". */
struct config *cmd_input_config(const char *command, const char *flags);

/* Append the answer to one line (not blank, without its newline) as one JSON value to out. */
typedef void cmd_line_fn(void *owner, struct str line, struct buf *out);

/* Answer every line of standard input on standard output, in order, each flushed at once, until
 * the input ends or nobody reads. A line over 1 MiB, or an answer over answer_bytes, gets an
 * {"error":...} line instead, and is counted in *unanswered, which may be NULL. False: reading or
 * writing broke. */
bool cmd_input_lines(size_t answer_bytes, cmd_line_fn *answer, void *owner, size_t *unanswered);

#endif
