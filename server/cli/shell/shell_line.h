/* SPDX-License-Identifier: MIT */
/* server/cli/shell/shell_line.h - lines that a person types: edited and remembered on a terminal
 * (libedit), as they come elsewhere.
 *
 * Blocking; one thread. */
#ifndef SERVER_CLI_SHELL_SHELL_LINE_H
#define SERVER_CLI_SHELL_SHELL_LINE_H

#include "core/base/err.h"
#include "core/base/str.h"

struct shell_line;

enum shell_line_end {
    SHELL_LINE_READ,
    SHELL_LINE_INTERRUPTED, /* Ctrl-C: what was typed is dropped */
    SHELL_LINE_OVER,        /* the end of input, or reading broke */
};

/* prompt has at most 63 bytes. Lines of earlier sessions are read from the file at history (NULL:
 * none is kept), which only its owner may read. NULL: no memory. */
struct shell_line *shell_line_open(const char *prompt, const char *history);
void shell_line_close(struct shell_line *line); /* NULL is fine */
/* Whether a person types at a terminal. */
bool shell_line_is_typed(const struct shell_line *line);
/* Read one line, without its newline and the blanks around it; *text is valid until the next call.
 * A line that is not blank is remembered. */
enum shell_line_end shell_line_read(struct shell_line *line, struct str *text);

#endif
