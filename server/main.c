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
#include "server/cli/semantic/cmd_semantic.h"
#include "server/cli/shell/cmd_shell.h"
#include "server/cli/cmd_sql.h"
#include "server/wiring/database.h"
#include "server/wiring/document_worker.h"
#include "server/process/server.h"

enum { TEXT_BYTES = 4 * 1024 * 1024, EXIT_FINE = 0, EXIT_WRONG = 1 };

typedef int command_fn(int argc, char **argv);

struct command {
    const char *name, *usage;
    command_fn *run;
    bool takes_name; /* its argv begins with its name, and it writes its --help itself */
    const char
        *details; /* the rest of its --help, before the flags it takes; NULL: it takes none */
};

#define ASKING_OPTIONS                                                                             \
    "  --company ID     whose rows are read, by ASKD_TENANT_COLUMN\n"                              \
    "  --user ID        who asks\n"                                                                \
    "  --graph NAME     the graph that answers (orchestrator); askd graph check lists them\n"

static const char ask_details[] =
    "  --format FORMAT  table: the answer, its rows as a table (default); csv: the rows alone;\n"
    "                   json: all of it as one object; the SQL goes to standard error\n"
    "  --jsonl          one answer a line for one question a line\n" ASKING_OPTIONS
    "  --role NAME      the role of the user\n"
    "  --conversation ID  go on with a conversation\n"
    "\nExit code: 0 answered; 1 it failed; 2 usage; 3 it abstained; 64 --company without "
    "ASKD_TENANT_COLUMN; 78 configuration.\n";

static const char eval_details[] =
    "A line of QUESTIONS.jsonl: {\"id\",\"question\",\"sql\"}; docs/offline.md has the others.\n\n"
    "  --json           a line for each question, for programs\n"
    "  --schema NAME    what \"schema\" of a line must be for it to be asked\n"
    "  --from LINE      go on at this line\n"
    "  --min-precision PERCENT\n"
    "  --baseline FILE  what an earlier eval --json printed: to be reached again\n" ASKING_OPTIONS
    "\nExit code: 0 all were asked; 1 it failed or was stopped; 2 usage; 3 the precision, or a\n"
    "figure of the baseline, was not reached; 78 configuration.\n";

static command_fn serve, config_command, version, help;

static const struct command commands[] = {
    {"serve", "serve [flags]                   answer on HTTP until stopped", serve,
     .details = "SIGTERM drains it, SIGHUP reads the configuration again (docs/operations.md).\n"},
    {"shell",
     "shell [flags]                   ask one question after another; askd alone in a terminal",
     cmd_shell,
     .details = "  --company ID     whose rows are read, by ASKD_TENANT_COLUMN\n"
                "  --user ID        who asks\n"
                "  --role NAME      the role of the user\n"
                "  --graph NAME     the graph that answers (orchestrator)\n"
                "\n\\? lists what else may be typed. Lines are kept in "
                "$XDG_STATE_HOME/askd/history.\n"
                "\nExit code: 0 it was left; 1 it could not begin; 2 usage; 78 configuration.\n"},
    {"ask",
     "ask [flags] QUESTION            answer one question on the terminal\n"
     "  ask --jsonl [flags]             read {\"id\",\"question\"} lines, write answers",
     cmd_ask, .details = ask_details},
    {"eval",
     "eval QUESTIONS.jsonl [flags]    ask questions with known answers, count the right ones",
     cmd_eval, .details = eval_details},
    {"check", "check [flags]                   whether database, model and stores answer",
     cmd_check,
     .details = "It reads the database as a start does, asks the model for one word and opens the "
                "stores.\n"
                "\nExit code: 0 all that is configured answers; 1 something does not; 2 usage; 78 "
                "configuration.\n"},
    {"health", "health [flags]                  whether a running askd is ready; for HEALTHCHECK",
     cmd_health,
     .details = "It asks /readyz where the configuration says that askd listens.\n"
                "\nExit code: 0 ready; 1 not, or no answer in 5 s; 78 configuration.\n"},
    {"graph", "graph check|show|run ...        look at graphs, also at those in files; run one",
     cmd_graph, true},
    {"config", "config check | env-example      every value and where it is from; .env.example",
     config_command,
     .details = "  --connect        only what is set, and whether it answers, as askd check\n"
                "\nExit code: 0 the configuration is fine; 2 usage; 78 it is wrong.\n"},
    {"sql", "sql check ...                   judge statements by the rules", cmd_sql, true},
    {"docs", "docs add|list|remove|search    documents that answers are looked up in", cmd_docs,
     true},
    {"joins", "joins path|plan ...             how tables join", cmd_joins, true},
    {"semantic", "semantic init|learn|check|review labels, metrics and words beyond the schema",
     cmd_semantic, true},
    {"version", "version                         name and version", version},
    {"help", "help                            this text", help},
};

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
    static const char *const verbs[] = {"check", "env-example"};
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
    } else if (cli.word_count > 0 && strcmp(words[0], verbs[0]) != 0 &&
               strcmp(words[0], verbs[1]) != 0) {
        cmd_options_no_verb("askd config", words[0], verbs, countof(verbs));
    } else {
        fputs("usage: askd config check [--connect] [flags] | askd config env-example\n", stderr);
    }
    mem_free(words);
    return status;
}

/* ---- about ---- */

static int version(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    puts("askd " ASKD_VERSION);
    return EXIT_FINE;
}

static int help(int argc, char **argv)
{
    struct buf text;
    (void)argc;
    (void)argv;
    buf_init(&text, TEXT_BYTES);
    buf_push(&text, STR("askd answers questions about data: it runs agent graphs and streams what "
                        "they do.\n\nusage: askd COMMAND\n\n"));
    for (size_t i = 0; i < countof(commands); i++)
        buf_printf(&text, "  %s\n", commands[i].usage);
    buf_push(&text,
             STR("\nflags (each sets a variable; the environment and .env set them, too):\n\n"));
    config_write_flags(&text);
    buf_push(&text, STR("\nTry: askd serve --model offline --db sqlite:data/sample/sample.db\n"));
    cli_write(STDOUT_FILENO, buf_str(&text));
    buf_fini(&text);
    return EXIT_FINE;
}

/* The --help of one command. */
static int help_command(const struct command *command)
{
    struct buf text;
    buf_init(&text, TEXT_BYTES);
    buf_printf(&text, "usage: askd COMMAND\n\n  %s\n", command->usage);
    if (command->details != NULL) {
        buf_printf(&text, "\n%s", command->details);
        buf_push(&text, STR("\nflags (each sets a variable; the environment and .env set them, "
                            "too):\n\n"));
        config_write_flags(&text);
    }
    cli_write(STDOUT_FILENO, buf_str(&text));
    buf_fini(&text);
    return EXIT_FINE;
}

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

int main(int argc, char **argv)
{
    if (argc < 2 && !(isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))) {
        fputs("usage: askd COMMAND; askd --help lists them\n", stderr);
        return CLI_EXIT_USAGE;
    }
    if (argc < 2)
        return cmd_shell(0, NULL);
    if (is_help(argv[1]))
        return help(0, NULL);
    if (strcmp(argv[1], "--version") == 0)
        return version(0, NULL);
    if (argv[1][0] == '-')
        return cmd_shell(argc - 1, argv + 1);
    if (strcmp(argv[1], DATABASE_WORKER) == 0 && argc == 3) /* for ourselves: not in the help */
        return database_worker(argv[2]);
    if (strcmp(argv[1], DOCUMENT_WORKER) == 0 && argc == 3)
        document_worker(argv[2]);
    for (size_t i = 0; i < countof(commands); i++) {
        const struct command *command = &commands[i];
        if (strcmp(argv[1], command->name) != 0)
            continue;
        if (command->takes_name)
            return command->run(argc - 1, argv + 1);
        if (asks_for_help(argc, argv) && command->run != help)
            return help_command(command);
        return command->run(argc - 2, argv + 2);
    }
    const char *names[countof(commands)];
    for (size_t i = 0; i < countof(commands); i++)
        names[i] = commands[i].name;
    cmd_options_no_verb("askd", argv[1], names, countof(names));
    return CLI_EXIT_USAGE;
}
