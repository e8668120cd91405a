/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_options.h - reads the options of commands that load no configuration: sql, joins,
 * semantic.
 *
 * A table says which options a command understands and where their values go. "--name value" and
 * "--name=value" are the same, as in the other commands (server/cli/cli.h). Blocking. */
#ifndef SERVER_CLI_CMD_OPTIONS_H
#define SERVER_CLI_CMD_OPTIONS_H

#include "core/base/defs.h"

struct cmd_option {
    const char *name;    /* "--graph"; NULL: stands for words that are no option */
    bool *given;         /* a switch: it takes no value; or NULL */
    const char **values; /* else: room for the values, borrowed from argv */
    size_t *count;       /* how many values there are; NULL: one, the last one given counts */
    size_t most;         /* how many there may be, where they are counted */
};

/* Read argv[0..argc). False: one line on stderr, which begins with command ("askd joins"), says
 * which word is wrong and why. */
MUST_USE bool cmd_options_read(int argc, char **argv, const struct cmd_option *options,
                               size_t option_count, const char *command);
/* Say on stderr that command ("askd joins") has no such word after it, and which of its verbs was
 * perhaps meant. */
void cmd_options_no_verb(const char *command, const char *word, const char *const *verbs,
                         size_t count);

#endif
