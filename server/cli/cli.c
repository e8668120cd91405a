/* SPDX-License-Identifier: MIT */
/* server/cli/cli.c - one pass over the words.
 *
 * Failure: an unknown flag, a missing value, too many flags: one line on stderr that says so. */
#include "server/cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "server/config/near_name.h"

enum { PROBLEM_BYTES = 256 * 1024, MAX_NAMES = 64 };

void cli_write(int fd, struct str text)
{
    while (text.len > 0) {
        ssize_t done = write(fd, text.at, text.len);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return; /* the reader is gone */
        text = str_from(text, (size_t)done);
    }
}

static struct cli_switch *find_switch(struct cli_switch *switches, size_t count, struct str name)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(name, str_of(switches[i].name)))
            return &switches[i];
    return NULL;
}

static bool add_flag(struct cli *cli, const char *variable, const char *value)
{
    if (cli->flag_count == CLI_MAX_FLAGS) {
        fprintf(stderr, "askd: more than %d flags\n", CLI_MAX_FLAGS);
        return false;
    }
    cli->flags[cli->flag_count++] = (struct config_flag){variable, str_of(value)};
    return true;
}

/* Take "NAME=value" of --set; the bytes of argv are cut at '='. */
static bool add_setting(struct cli *cli, char *setting)
{
    char *equals = strchr(setting, '=');
    if (equals == NULL) {
        fprintf(stderr, "askd: --set needs NAME=VALUE, got '%s'\n", setting);
        return false;
    }
    *equals = '\0';
    return add_flag(cli, setting, equals + 1);
}

static bool is_flag(struct str name)
{
    return config_flag_variable(name) != NULL || str_equal(name, STR("--set")) ||
           str_equal(name, STR("--env-file"));
}

static bool refuse_flag(const struct cli_switch *switches, size_t count, struct str name)
{
    const char *names[MAX_NAMES] = {"--set", "--env-file"};
    size_t known = 2;
    for (size_t i = 0; i < count && known < MAX_NAMES; i++)
        names[known++] = switches[i].name;
    known += config_flag_names(names + known, MAX_NAMES - known);
    const char *near = near_name_of(name, names, known);
    fprintf(stderr, "askd: there is no flag %.*s; ", STR_ARG(name));
    if (near != NULL)
        fprintf(stderr, "did you mean %s?\n", near);
    else
        fputs("--help lists them\n", stderr);
    return false;
}

/* Take one "--name" with its value, if it takes one; value is NULL at the end of the line. */
static bool read_flag(struct cli *cli, struct cli_switch *found, struct str name, char *value)
{
    const char *variable = config_flag_variable(name);
    bool is_set = str_equal(name, STR("--set")), is_file = str_equal(name, STR("--env-file"));
    if (value == NULL) {
        fprintf(stderr, "askd: %.*s needs a value\n", STR_ARG(name));
        return false;
    }
    if (found != NULL) {
        found->given = true;
        found->value = value;
        return true;
    }
    if (is_file && strcmp(value, cli->env_file) != 0 && access(value, R_OK) != 0) {
        fprintf(stderr, "askd: --env-file: %s: %s\n", value, strerror(errno));
        return false;
    }
    if (is_file)
        cli->env_file = value;
    return is_file || (is_set ? add_setting(cli, value) : add_flag(cli, variable, value));
}

bool cli_read(int argc, char **argv, struct cli_switch *switches, size_t switch_count,
              const char **words, struct cli *cli)
{
    *cli = (struct cli){.env_file = ".env", .words = words};
    for (int i = 0; i < argc; i++) {
        char *equals = strchr(argv[i], '=');
        struct str name = str_of(argv[i]);
        if (!str_starts_with(name, STR("--")) || name.len == 2) {
            words[cli->word_count++] = argv[i];
            continue;
        }
        if (equals != NULL)
            name = str_slice(name, 0, (size_t)(equals - argv[i]));
        struct cli_switch *found = find_switch(switches, switch_count, name);
        if (found != NULL && !found->takes_value) {
            found->given = true;
            continue;
        }
        if (found == NULL && !is_flag(name))
            return refuse_flag(switches, switch_count, name);
        char *value = equals != NULL ? equals + 1 : i + 1 < argc ? argv[i + 1] : NULL;
        if (!read_flag(cli, found, name, value))
            return false;
        if (equals == NULL)
            i++;
    }
    return true;
}

struct config *cli_try_config(const struct cli *cli, struct buf *problems, bool *is_fine)
{
    struct config *config = NULL;
    const struct config_source source = {
        .environment = (const char *const *)environ,
        .env_file = cli->env_file,
        .flags = cli->flags,
        .flag_count = cli->flag_count,
    };
    *is_fine = config_load(&source, &config, problems) == ERR_OK;
    if (config != NULL)
        config->program = "/proc/self/exe"; /* also after an update has replaced the file */
    return config;
}

struct config *cli_load_config(const struct cli *cli)
{
    struct buf problems;
    bool is_fine;
    buf_init(&problems, PROBLEM_BYTES);
    struct config *config = cli_try_config(cli, &problems, &is_fine);
    cli_write(STDERR_FILENO, buf_str(&problems));
    buf_fini(&problems);
    if (is_fine)
        return config;
    fputs("askd: the configuration is wrong; askd config check shows all of it\n", stderr);
    config_destroy(config);
    return NULL;
}

int cli_run_flags(int argc, char **argv, const char *name, cli_run_fn *run)
{
    struct cli cli;
    const char **words = mem_zalloc((size_t)argc + 1, sizeof(char *));
    int status = CLI_EXIT_USAGE;
    if (words == NULL)
        return CLI_EXIT_WRONG;
    if (!cli_read(argc, argv, NULL, 0, words, &cli)) {
        mem_free(words);
        return status;
    }
    if (cli.word_count > 0) {
        fprintf(stderr, "askd: %s takes flags only, got '%s'\n", name, words[0]);
    } else {
        struct config *config = cli_load_config(&cli);
        status = config == NULL ? CLI_EXIT_CONFIG : run(&cli, config);
    }
    mem_free(words);
    return status;
}
