/* SPDX-License-Identifier: MIT */
/* server/cli/check/cmd_check.c - the settings that are set, each part as it was tried, a verdict.
 *
 * Failure: a configuration that is wrong is told as `config check` tells it, and nothing is tried;
 * a part that does not answer is a line, and the last line counts them. */
#include "server/cli/check/cmd_check.h"

#include <stdio.h>
#include <unistd.h>

#include "server/cli/check/trials.h"
#include "server/cli/cli.h"

enum { TEXT_BYTES = 1024 * 1024, EXIT_FINE = 0 };

static const char *const marks[] = {
    [TRIAL_FINE] = "ok", [TRIAL_DOUBTFUL] = "note", [TRIAL_WRONG] = "WRONG"};
static const char *const colours[] = {
    [TRIAL_FINE] = "\033[32m", [TRIAL_DOUBTFUL] = "\033[33m", [TRIAL_WRONG] = "\033[31m"};

static bool is_coloured(void)
{
    return isatty(STDOUT_FILENO) != 0;
}

static void write_settings(const struct config *config)
{
    struct buf text;
    buf_init(&text, TEXT_BYTES);
    config_write_set(config, &text);
    cli_write(STDOUT_FILENO, buf_len(&text) > 0
                                 ? buf_str(&text)
                                 : STR("nothing is set: all settings are defaults\n"));
    buf_fini(&text);
}

static void write_trial(const struct trial *trial, size_t *counts)
{
    bool coloured = is_coloured();
    for (size_t i = 0; i < trial->line_count; i++) {
        enum trial_verdict verdict = trial->lines[i].verdict;
        counts[verdict]++;
        printf("%-11s %s%-5s%s %.*s\n", i == 0 ? trial->part : "", coloured ? colours[verdict] : "",
               marks[verdict], coloured ? "\033[0m" : "", STR_ARG(trial->lines[i].text));
    }
    fflush(stdout);
}

static int write_verdict(const size_t *counts)
{
    if (counts[TRIAL_WRONG] > 0)
        printf("\n%zu %s wrong, marked WRONG above\n", counts[TRIAL_WRONG],
               counts[TRIAL_WRONG] == 1 ? "thing is" : "things are");
    else if (counts[TRIAL_DOUBTFUL] > 0)
        printf("\nfine, with %zu %s\n", counts[TRIAL_DOUBTFUL],
               counts[TRIAL_DOUBTFUL] == 1 ? "note" : "notes");
    else
        puts("\nfine: all that is configured answers");
    return counts[TRIAL_WRONG] > 0 ? CLI_EXIT_WRONG : EXIT_FINE;
}

int cmd_check_config(struct config *config)
{
    struct err err = {0};
    struct trial trial;
    size_t counts[TRIAL_WRONG + 1] = {0};
    int status;
    write_settings(config);
    putchar('\n');
    fflush(stdout);
    struct trials *trials = trials_open(config, &err);
    if (trials == NULL) {
        fprintf(stderr, "askd: %s\n", err.text);
        status = CLI_EXIT_CONFIG;
    } else {
        while (trials_next(trials, &trial))
            write_trial(&trial, counts);
        status = write_verdict(counts);
    }
    trials_close(trials);
    config_destroy(config);
    return status;
}

static int check(struct cli *cli, struct config *config)
{
    (void)cli;
    return cmd_check_config(config);
}

int cmd_check(int argc, char **argv)
{
    return cli_run_flags(argc, argv, "check", check);
}
