/* SPDX-License-Identifier: MIT */
/* server/cli/shell/cmd_shell.c - read a line, do what it says, again.
 *
 * A line that begins with a backslash is a command of the table below, a number chooses one of the
 * readings that the last answer offers, anything else is a question that follows the ones before.
 * Ctrl-C drops the line that is typed, or stops the answer that is made; the session goes on.
 * Failure: a question that fails is told of and the next one is read. */
#include "server/cli/shell/cmd_shell.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/mem.h"
#include "server/cli/cli.h"
#include "server/cli/cmd_rows.h"
#include "server/cli/cmd_show.h"
#include "server/cli/shell/shell_line.h"
#include "server/cli/shell/shell_tables.h"
#include "server/process/signals.h"

enum {
    EXIT_FINE = 0,
    EXIT_WRONG = 1,
    OUT_BYTES = 64 * 1024 * 1024,
    ARENA_BYTES = 256 * 1024 * 1024,
    PATH_BYTES = 4096,
};

enum { GRAPH, COMPANY, USER, ROLE, SWITCH_COUNT };

static const struct cli_switch all_switches[SWITCH_COUNT] = {
    [GRAPH] = {.name = "--graph", .takes_value = true},
    [COMPANY] = {.name = "--company", .takes_value = true},
    [USER] = {.name = "--user", .takes_value = true},
    [ROLE] = {.name = "--role", .takes_value = true},
};

struct shell {
    struct cli_switch switches[SWITCH_COUNT];
    struct local_engine *engine;
    struct shell_line *line;
    uint64_t conversation;
    struct arena arena;          /* of the last answer */
    struct cmd_answer_said said; /* the last answer; its members are NULL before there is one */
    bool over;
};

/* ---- questions ---- */

/* The readings of an ambiguous question, to be chosen by number. */
static const struct json_value *find_options(const struct shell *shell)
{
    return json_value_find(shell->said.members, "/clarify/options");
}

/* The answer's text has them, numbered. */
static void offer_options(const struct shell *shell)
{
    const struct json_value *options = find_options(shell);
    if (options != NULL && options->type == JSON_ARRAY && options->count > 0)
        fputs("  a number chooses one\n", stderr);
}

/* What is asked by a line that is the number of an option; else the line itself. */
static struct str choose(const struct shell *shell, struct str line)
{
    const struct json_value *options = find_options(shell);
    uint64_t wanted, number = 0;
    if (options == NULL || options->type != JSON_ARRAY || !str_to_u64(line, &wanted))
        return line;
    JSON_EACH(option, options) {
        if (++number == wanted && option->type == JSON_STRING)
            return option->text;
    }
    return line;
}

static void ask(struct shell *shell, struct str line)
{
    struct local_engine_answer answer;
    struct arena asked;
    const struct cli_switch *s = shell->switches;
    char conversation[32];
    (void)snprintf(conversation, sizeof conversation, "terminal-%lu",
                   (unsigned long)shell->conversation);
    arena_init(&asked, ARENA_BYTES);
    const struct local_engine_question question = {
        .message = arena_str(&asked, choose(shell, line)),
        .caller = {str_of(conversation), str_of(s[COMPANY].value), str_of(s[USER].value),
                   str_of(s[ROLE].value)},
    };
    if (!local_engine_heed_signals(shell->engine))
        fputs("askd: no memory: Ctrl-C ends the session\n", stderr);
    bool is_asked = cmd_show_run(shell->engine, &question, true, &answer);
    bool stopped = local_engine_is_stopped(shell->engine);
    local_engine_ignore_signals(shell->engine);
    arena_fini(&asked);
    arena_fini(&shell->arena);
    arena_init(&shell->arena, ARENA_BYTES);
    shell->said = (struct cmd_answer_said){0};
    if (is_asked && stopped) {
        fputs("stopped\n", stderr);
    } else if (is_asked && !cmd_show_failure(&answer)) {
        cmd_answer_read(&answer, &shell->arena, &shell->said);
        cmd_show_rows(&shell->said);
        cmd_show_warnings(&shell->said, STDOUT_FILENO);
        offer_options(shell);
        cmd_show_foot(&answer, &shell->said);
    }
}

/* ---- commands ---- */

static void print(struct buf *text)
{
    cmd_show_print(text);
    buf_fini(text);
}

static void describe(struct shell *shell, struct str rest)
{
    const struct knowledge *knows =
        local_engine_knowledge(shell->engine, str_of(shell->switches[ROLE].value));
    bool bold = cmd_show_is_colored(STDOUT_FILENO);
    struct err err = {0};
    struct buf out;
    if (knows->catalog == NULL) {
        fprintf(stderr, "askd: there is no database to look at%s%s\n",
                knows->catalog_err.text[0] == '\0' ? "" : ": ", knows->catalog_err.text);
        return;
    }
    buf_init(&out, OUT_BYTES);
    if (rest.len == 0)
        shell_tables_list(knows, bold, &out);
    else if (shell_tables_describe(knows, rest, bold, &out, &err) != ERR_OK)
        fprintf(stderr, "askd: %s\n", err.text);
    print(&out);
}

static void show_sql(struct shell *shell, struct str rest)
{
    (void)rest;
    if (shell->said.sql == NULL)
        fputs("askd: the last answer had no statement\n", stderr);
    else
        printf("%.*s\n", STR_ARG(shell->said.sql->text));
    fflush(stdout);
}

/* Write text to a file whose name is path. */
static bool write_file(const char *path, struct str text)
{
    FILE *file = fopen(path, "we");
    if (file == NULL)
        return false;
    bool whole = fwrite(text.at, 1, text.len, file) == text.len;
    return fclose(file) == 0 && whole;
}

static void save_rows(struct shell *shell, struct str rest)
{
    const struct json_value *data = json_value_find(shell->said.members, "/data");
    struct buf out;
    const char *path = arena_cstr(&shell->arena, rest);
    if (rest.len == 0 || path == NULL) {
        fputs("askd: \\csv FILE: name the file\n", stderr);
        return;
    }
    if (!cmd_rows_any(data)) {
        fputs("askd: the last answer has no rows\n", stderr);
        return;
    }
    buf_init(&out, OUT_BYTES);
    cmd_rows_csv(data, &out);
    if (!buf_ok(&out))
        fputs("askd: the rows are too large\n", stderr);
    else if (!write_file(path, buf_str(&out)))
        fprintf(stderr, "askd: %s: %s\n", path, strerror(errno));
    else
        printf("%zu rows are in %s\n", json_value_find(data, "/rows")->count, path);
    fflush(stdout);
    buf_fini(&out);
}

static void begin_anew(struct shell *shell, struct str rest)
{
    (void)rest;
    shell->conversation++;
    shell->said = (struct cmd_answer_said){0};
}

static void leave(struct shell *shell, struct str rest)
{
    (void)rest;
    shell->over = true;
}

static void help(struct shell *shell, struct str rest);

static const struct {
    const char *name, *usage, *does;
    void (*run)(struct shell *shell, struct str rest);
} commands[] = {
    {"\\d", "\\d [TABLE]", "the tables, or the columns of one", describe},
    {"\\sql", "\\sql", "the statement of the last answer", show_sql},
    {"\\csv", "\\csv FILE", "write the rows of the last answer to a file", save_rows},
    {"\\new", "\\new", "begin a new conversation", begin_anew},
    {"\\?", "\\?", "this list", help},
    {"\\q", "\\q", "leave; so does Ctrl-D", leave},
};

static void help(struct shell *shell, struct str rest)
{
    (void)shell;
    (void)rest;
    puts("Ask in plain words; what follows may lean on what was said. Ctrl-C stops an answer.\n");
    for (size_t i = 0; i < countof(commands); i++)
        printf("  %-12s %s\n", commands[i].usage, commands[i].does);
    fflush(stdout);
}

static void obey(struct shell *shell, struct str line)
{
    struct str rest = line;
    struct str name = str_split(&rest, ' ');
    for (size_t i = 0; i < countof(commands); i++) {
        if (str_equal(name, str_of(commands[i].name))) {
            commands[i].run(shell, str_trim(rest));
            return;
        }
    }
    fprintf(stderr, "askd: there is no %.*s; \\? lists the commands\n", STR_ARG(name));
}

/* ---- the session ---- */

/* Where lines are kept between sessions, as the XDG base directories have it. False: nowhere. */
static bool find_history(char path[PATH_BYTES])
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    bool has_state = state != NULL && state[0] == '/';
    if (!has_state && (home == NULL || home[0] != '/'))
        return false;
    int length = has_state ? snprintf(path, PATH_BYTES, "%s/askd/history", state)
                           : snprintf(path, PATH_BYTES, "%s/.local/state/askd/history", home);
    if (length < 0 || length >= PATH_BYTES)
        return false;
    struct err ignored;
    return file_make_folders(path, 0700, &ignored) == ERR_OK;
}

static void greet(const struct shell *shell)
{
    const struct knowledge *knows =
        local_engine_knowledge(shell->engine, str_of(shell->switches[ROLE].value));
    if (knows->catalog != NULL)
        printf("askd %s, %zu tables. Ask in plain words; \\? lists what else there is.\n",
               ASKD_VERSION, knows->catalog->table_count);
    else
        printf("askd %s, without a database%s%s. \\? lists what there is.\n", ASKD_VERSION,
               knows->catalog_err.text[0] == '\0' ? "" : ": ", knows->catalog_err.text);
    fflush(stdout);
}

static void talk(struct shell *shell)
{
    struct str line;
    if (shell_line_is_typed(shell->line))
        greet(shell);
    while (!shell->over) {
        enum shell_line_end end = shell_line_read(shell->line, &line);
        if (end == SHELL_LINE_OVER)
            return;
        if (end == SHELL_LINE_INTERRUPTED || line.len == 0)
            continue;
        if (line.at[0] == '\\')
            obey(shell, line);
        else
            ask(shell, line);
    }
}

static int run(struct shell *shell, const struct config *config)
{
    struct err err = {0};
    char path[PATH_BYTES];
    shell->line = shell_line_open("askd> ", find_history(path) ? path : NULL);
    if (shell->line == NULL) {
        fputs("askd: no memory\n", stderr);
        return EXIT_WRONG;
    }
    arena_init(&shell->arena, ARENA_BYTES);
    shell->engine = cmd_answer_open(config, shell->switches[GRAPH].value, &err);
    if (shell->engine == NULL)
        fprintf(stderr, "askd: %s\n", err.text);
    else
        talk(shell);
    int status = shell->engine != NULL     ? EXIT_FINE
                 : err.code == ERR_INVALID ? CLI_EXIT_CONFIG
                                           : EXIT_WRONG;
    local_engine_close(shell->engine);
    arena_fini(&shell->arena);
    shell_line_close(shell->line);
    return status;
}

int cmd_shell(int argc, char **argv)
{
    struct shell shell = {.conversation = 1};
    struct cli cli;
    int status = CLI_EXIT_USAGE;
    const char **words = mem_zalloc((size_t)argc + 1, sizeof(char *));
    if (words == NULL)
        return EXIT_WRONG;
    signals_ignore_failed_writes();
    memcpy(shell.switches, all_switches, sizeof all_switches);
    if (cli_read(argc, argv, shell.switches, SWITCH_COUNT, words, &cli)) {
        if (cli.word_count > 0) {
            fprintf(stderr, "askd: shell takes flags only, got '%s'; askd ask asks one question\n",
                    words[0]);
        } else {
            struct config *config = cli_load_config(&cli);
            if (config == NULL)
                status = CLI_EXIT_CONFIG;
            else
                status = cmd_answer_company(&shell.switches[COMPANY].value, config)
                             ? run(&shell, config)
                             : CMD_ANSWER_EXIT_MISUSE;
            config_destroy(config);
        }
    }
    mem_free(words);
    return status;
}
