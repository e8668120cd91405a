/* SPDX-License-Identifier: MIT */
/* server/cli/cli.h - command lines: flags of the configuration, switches of a command, what is
 * left.
 *
 * "--name value" and "--name=value" are the same. For main and the commands; blocking. */
#ifndef SERVER_CLI_CLI_H
#define SERVER_CLI_CLI_H

#include "server/config/config.h"

enum { CLI_MAX_FLAGS = 64, CLI_EXIT_WRONG = 1, CLI_EXIT_USAGE = 2, CLI_EXIT_CONFIG = 78 };

struct cli_switch {   /* one a command understands itself */
    const char *name; /* "--jsonl" */
    bool takes_value;
    bool given;        /* result */
    const char *value; /* result; borrowed from argv */
};

struct cli {
    struct config_flag flags[CLI_MAX_FLAGS];
    size_t flag_count;
    const char *env_file;
    const char **words; /* what is neither; points into argv's copy */
    size_t word_count;
};

/* Read argv[0..argc). False: said on stderr why, exit with CLI_EXIT_USAGE. words needs room for
 * argc pointers. */
MUST_USE bool cli_read(int argc, char **argv, struct cli_switch *switches, size_t switch_count,
                       const char **words, struct cli *cli);
/* Load it, saying every problem on stderr. NULL: exit with CLI_EXIT_CONFIG. */
struct config *cli_load_config(const struct cli *cli);
/* What a command does with its flags and with config, adopted; its exit code. */
typedef int cli_run_fn(struct cli *cli, struct config *config);
/* Run the command called name, which takes flags only; its exit code, or why it did not run. */
int cli_run_flags(int argc, char **argv, const char *name, cli_run_fn *run);
/* The same as cli_load_config, keeping what is wrong for `config check`. */
struct config *cli_try_config(const struct cli *cli, struct buf *problems, bool *is_fine);
/* Write all of text to a descriptor, blocking. */
void cli_write(int fd, struct str text);

#endif
