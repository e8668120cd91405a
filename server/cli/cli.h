/* SPDX-License-Identifier: MIT */
/* server/cli/cli.h - command lines: flags of the configuration, switches of a command, other words.
 *
 * "--name value" and "--name=value" are the same. For main and the commands; blocking. */
#ifndef SERVER_CLI_CLI_H
#define SERVER_CLI_CLI_H

#include "server/config/config.h"

enum { CLI_MAX_FLAGS = 64, CLI_EXIT_WRONG = 1, CLI_EXIT_USAGE = 2, CLI_EXIT_CONFIG = 78 };

struct cli_switch {   /* a switch that a command understands itself */
    const char *name; /* "--jsonl" */
    bool takes_value;
    bool given;        /* result */
    const char *value; /* result; borrowed from argv */
};

struct cli {
    struct config_flag flags[CLI_MAX_FLAGS];
    size_t flag_count;
    const char *env_file;
    const char **words; /* words that are neither flags nor switches; borrowed from argv */
    size_t word_count;
};

/* Read argv[0..argc). False: stderr says why, exit with CLI_EXIT_USAGE. words needs room for argc
 * pointers. */
MUST_USE bool cli_read(int argc, char **argv, struct cli_switch *switches, size_t switch_count,
                       const char **words, struct cli *cli);
/* Load the configuration, with every problem told on stderr. NULL: exit with CLI_EXIT_CONFIG. */
struct config *cli_load_config(const struct cli *cli);
/* A command, given its flags and config, which it adopts. Returns the exit code. */
typedef int cli_run_fn(struct cli *cli, struct config *config);
/* Run the command called name, which takes flags only. Returns its exit code, or that of a command
 * line or configuration that is wrong. */
int cli_run_flags(int argc, char **argv, const char *name, cli_run_fn *run);
/* Load the configuration, with every problem kept in problems, for `config check`. Set *is_fine to
 * whether there was no error. */
struct config *cli_try_config(const struct cli *cli, struct buf *problems, bool *is_fine);
/* Write all of text to a descriptor, blocking. */
void cli_write(int fd, struct str text);

#endif
