/* SPDX-License-Identifier: MIT */
/* server/main.c - the program: a subcommand, its flags, its exit status.
 *
 * Exit: 0 fine, 1 it went wrong, 2 usage, 78 configuration. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "server/auth/auth_book.h"
#include "server/cli/check/cmd_check.h"
#include "server/cli/cli.h"
#include "server/cli/cmd_ask.h"
#include "server/cli/docs/cmd_docs.h"
#include "server/cli/cmd_eval.h"
#include "server/cli/cmd_graph.h"
#include "server/cli/cmd_health.h"
#include "server/cli/cmd_joins.h"
#include "server/cli/cmd_options.h"
#include "server/cli/manual/manual.h"
#include "server/cli/semantic/cmd_semantic.h"
#include "server/cli/shell/cmd_shell.h"
#include "server/cli/cmd_sql.h"
#include "server/wiring/database.h"
#include "server/wiring/document_worker.h"
#include "server/process/server.h"

enum { TEXT_BYTES = 4 * 1024 * 1024, EXIT_FINE = 0, EXIT_WRONG = 1 };

typedef int command_fn(int argc, char **argv);

/* ---- serve ---- */

static struct config *read_again(void *owner)
{
    return cli_load_config(owner);
}

static int run_server(struct cli *cli, struct config *config)
{
    struct err err = {0};
    struct buf line;
    const struct server_options options = {
        .config = config, .reload = read_again, .owner = cli, .with_signals = true};
    struct server *server = server_create(&options, &err);
    if (server == NULL) {
        fprintf(stderr, "askd: %s\n", err.text);
        return CLI_EXIT_CONFIG;
    }
    buf_init(&line, TEXT_BYTES);
    server_describe(server, &line);
    cli_write(STDERR_FILENO, buf_str(&line));
    buf_fini(&line);
    enum err_code code = server_run(server, &err);
    server_destroy(server);
    if (code == ERR_OK)
        return EXIT_FINE;
    fprintf(stderr, "askd: %s\n", err.text);
    return code == ERR_INVALID ? CLI_EXIT_CONFIG : EXIT_WRONG;
}

static int serve(int argc, char **argv)
{
    return cli_run_flags(argc, argv, "serve", run_server);
}

/* ---- config ---- */

static int check_config(const struct cli *cli)
{
    struct buf problems, text;
    struct err err = {0};
    bool is_fine;
    buf_init(&problems, TEXT_BYTES);
    buf_init(&text, TEXT_BYTES);
    struct config *config = cli_try_config(cli, &problems, &is_fine);
    if (config != NULL)
        config_write_check(config, &text);
    if (is_fine && database_try(config, &err) != ERR_OK) { /* the engine's own opinion */
        is_fine = false;
        buf_printf(&problems, "ASKD_DATABASE_URL: %s\n", err.text);
    }
    struct auth_book *book =
        is_fine ? auth_book_load(config->api_keys, config->auth_file, &err) : NULL;
    if (is_fine && book == NULL) {
        is_fine = false;
        buf_printf(&problems, "ASKD_AUTH_FILE: %s\n", err.text);
    }
    auth_book_unref(book);
    cli_write(STDOUT_FILENO, buf_str(&text));
    cli_write(STDERR_FILENO, buf_str(&problems));
    buf_fini(&problems);
    buf_fini(&text);
    config_destroy(config);
    return is_fine ? EXIT_FINE : CLI_EXIT_CONFIG;
}

static int config_command(int argc, char **argv)
{
    struct cli_switch connect = {.name = "--connect"};
    struct cli cli;
    struct buf text;
    const char **words = mem_zalloc((size_t)argc + 1, sizeof(char *));
    int status = CLI_EXIT_USAGE;
    if (words == NULL)
        return EXIT_WRONG;
    if (!cli_read(argc, argv, &connect, 1, words, &cli)) {
        mem_free(words);
        return status;
    }
    if (cli.word_count == 1 && strcmp(words[0], "check") == 0) {
        struct config *config = connect.given ? cli_load_config(&cli) : NULL;
        if (connect.given)
            status = config == NULL ? CLI_EXIT_CONFIG : cmd_check_config(config);
        else
            status = check_config(&cli);
    } else if (cli.word_count == 1 && strcmp(words[0], "env-example") == 0) {
        buf_init(&text, TEXT_BYTES);
        config_write_example(&text);
        cli_write(STDOUT_FILENO, buf_str(&text));
        buf_fini(&text);
        status = EXIT_FINE;
    } else {
        fputs("usage: askd config check [--connect] [flags] | askd config env-example\n", stderr);
    }
    mem_free(words);
    return status;
}

/* ---- about ---- */

static int version(int argc, char **argv)
{
    if (argc > 0) {
        fprintf(stderr, "usage: askd version: it takes nothing, got '%s'\n", argv[0]);
        return CLI_EXIT_USAGE;
    }
    puts("askd " ASKD_VERSION);
    return EXIT_FINE;
}

/* ---- pages ---- */

static int print(struct buf *text)
{
    cli_write(STDOUT_FILENO, buf_str(text));
    buf_fini(text);
    return EXIT_FINE;
}

static int overview(void)
{
    struct buf text;
    buf_init(&text, TEXT_BYTES);
    manual_write_overview(&text);
    return print(&text);
}

static int help_command(enum manual_command command, int fd)
{
    struct buf text;
    buf_init(&text, TEXT_BYTES);
    manual_write_help(command, &text);
    cli_write(fd, buf_str(&text));
    buf_fini(&text);
    return fd == STDOUT_FILENO ? EXIT_FINE : CLI_EXIT_USAGE;
}

static int no_command(const char *word)
{
    const char *names[MANUAL_COUNT];
    for (size_t i = 0; i < MANUAL_COUNT; i++)
        names[i] = manual_table[i].name;
    cmd_options_no_verb("askd", word, names, countof(names));
    return CLI_EXIT_USAGE;
}

static int help(int argc, char **argv)
{
    enum manual_command command = argc == 0 ? MANUAL_COUNT : manual_find(argv[0]);
    if (argc == 0)
        return overview();
    return command == MANUAL_COUNT ? no_command(argv[0]) : help_command(command, STDOUT_FILENO);
}

static int man_page(int argc, char **argv)
{
    struct buf text;
    (void)argv;
    if (argc > 0)
        return help_command(MANUAL_MAN, STDERR_FILENO);
    buf_init(&text, TEXT_BYTES);
    manual_write_page(&text);
    return print(&text);
}

static int completion(int argc, char **argv)
{
    struct buf text;
    buf_init(&text, TEXT_BYTES);
    if (argc == 2 && manual_write_completion(argv[1], &text))
        return print(&text);
    buf_fini(&text);
    return help_command(MANUAL_COMPLETION, STDERR_FILENO);
}

/* ---- the program ---- */

static const struct command {
    command_fn *run;
    bool takes_name; /* its argv begins with its name, as verbs stand behind that */
} commands[MANUAL_COUNT] = {
    [MANUAL_SHELL] = {cmd_shell},
    [MANUAL_SERVE] = {serve},
    [MANUAL_ASK] = {cmd_ask},
    [MANUAL_EVAL] = {cmd_eval},
    [MANUAL_CHECK] = {cmd_check},
    [MANUAL_HEALTH] = {cmd_health},
    [MANUAL_CONFIG] = {config_command},
    [MANUAL_GRAPH] = {cmd_graph, true},
    [MANUAL_SQL] = {cmd_sql, true},
    [MANUAL_DOCS] = {cmd_docs, true},
    [MANUAL_JOINS] = {cmd_joins, true},
    [MANUAL_SEMANTIC] = {cmd_semantic, true},
    [MANUAL_COMPLETION] = {completion, true},
    [MANUAL_MAN] = {man_page},
    [MANUAL_VERSION] = {version},
    [MANUAL_HELP] = {help},
};

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 2; i < argc; i++)
        if (is_help(argv[i]))
            return true;
    return false;
}

/* Whether one of the command's verbs comes next, or flags do, which those that take settings read
 * wherever they stand. False: stderr says what is expected. */
static bool has_verb(enum manual_command command, const char *word)
{
    const struct manual_entry *entry = &manual_table[command];
    const char *names[MANUAL_FORMS];
    char name[32];
    size_t count = manual_form_count(command);
    for (size_t i = 0; i < count; i++) {
        names[i] = entry->forms[i].verb;
        if (word != NULL && strcmp(names[i], word) == 0)
            return true;
    }
    if (word != NULL && word[0] == '-' && entry->takes_settings)
        return true;
    (void)snprintf(name, sizeof name, "askd %s", entry->name);
    if (word == NULL)
        help_command(command, STDERR_FILENO);
    else
        cmd_options_no_verb(name, word, names, count);
    return false;
}

static int run_command(enum manual_command command, int argc, char **argv)
{
    const struct command *found = &commands[command];
    if (asks_for_help(argc, argv))
        return help_command(command, STDOUT_FILENO);
    if (manual_has_verbs(command) && !has_verb(command, argc > 2 ? argv[2] : NULL))
        return CLI_EXIT_USAGE;
    return found->takes_name ? found->run(argc - 1, argv + 1) : found->run(argc - 2, argv + 2);
}

int main(int argc, char **argv)
{
    bool is_typed = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    if (argc < 2 && !is_typed) {
        fputs("usage: askd COMMAND; askd --help lists them\n", stderr);
        return CLI_EXIT_USAGE;
    }
    if (argc < 2)
        return cmd_shell(0, NULL);
    if (is_help(argv[1]))
        return overview();
    if (strcmp(argv[1], "--version") == 0)
        return version(0, NULL);
    if (argv[1][0] == '-')
        return cmd_shell(argc - 1, argv + 1);
    if (strcmp(argv[1], DATABASE_WORKER) == 0 && argc == 3) /* for ourselves: not in the help */
        return database_worker(argv[2]);
    if (strcmp(argv[1], DOCUMENT_WORKER) == 0 && argc == 3)
        document_worker(argv[2]);
    enum manual_command command = manual_find(argv[1]);
    return command == MANUAL_COUNT ? no_command(argv[1]) : run_command(command, argc, argv);
}
