/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_ask.c - one question for people, or one JSON object a line for programs.
 *
 * Happy path: the question's answer streams to standard output, its rows follow as a table, its SQL
 * and stats go to standard error. With --format csv or json standard output has the rows alone, or
 * the whole answer as one object. With --jsonl each line read is answered by one line, flushed
 * before the next is read.
 * Failure paths: a run that fails: its message, exit 1; an answer that says why there is none: exit
 * 3; a line that is not JSON, or without a
 * question: an error line, then on. A reader that went away ends it. */
#include "server/cli/cmd_ask.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "proto/json_write.h"
#include "server/cli/cli.h"
#include "server/cli/cmd_answer.h"
#include "server/cli/cmd_input.h"
#include "server/cli/cmd_rows.h"
#include "server/process/signals.h"

enum {
    OUT_BYTES = 64 * 1024 * 1024,
    ARENA_BYTES = 256 * 1024 * 1024,
    EXIT_FINE = 0,
    EXIT_WRONG = 1,
    EXIT_ABSTAINED = 3,
    EXIT_MISUSE = 64 /* what was asked for would not be what is done */
};

enum { JSONL, GRAPH, COMPANY, USER, ROLE, CONVERSATION, FORMAT, SWITCH_COUNT };

static const struct cli_switch all_switches[SWITCH_COUNT] = {
    [JSONL] = {.name = "--jsonl"},
    [GRAPH] = {.name = "--graph", .takes_value = true},
    [COMPANY] = {.name = "--company", .takes_value = true},
    [USER] = {.name = "--user", .takes_value = true},
    [ROLE] = {.name = "--role", .takes_value = true},
    [CONVERSATION] = {.name = "--conversation", .takes_value = true},
    [FORMAT] = {.name = "--format", .takes_value = true},
};

enum format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON };

static const char *const formats[] = {"table", "csv", "json"};

struct command {
    enum format format;
    struct cli_switch switches[SWITCH_COUNT];
    struct local_engine *engine;
};

static struct local_engine_question make_question(const struct command *command, struct str message)
{
    const struct cli_switch *s = command->switches;
    return (struct local_engine_question){
        .message = message,
        .caller = {str_of(s[CONVERSATION].value), str_of(s[COMPANY].value), str_of(s[USER].value),
                   str_of(s[ROLE].value)},
    };
}

/* ---- as JSON ---- */

static void write_value(struct json_write *json, const char *key, const struct json_value *value)
{
    json_write_key(json, str_of(key));
    if (value == NULL)
        json_write_null(json);
    else
        json_value_write(value, json);
}

static void write_error(struct json_write *json, const struct json_value *id, struct str code,
                        struct str reason)
{
    write_value(json, "id", id);
    write_value(json, "sql", NULL);
    json_write_member_str(json, STR("reason"), reason);
    json_write_member_str(json, STR("error"), code);
}

/* The members of an answer but its id. */
static void write_answer(struct json_write *json, const struct local_engine_answer *answer,
                         struct arena *arena)
{
    struct cmd_answer_said said;
    cmd_answer_read(answer, arena, &said);
    write_value(json, "sql", said.sql);
    write_value(json, "columns", json_value_find(said.members, "/data/columns"));
    write_value(json, "rows", json_value_find(said.members, "/data/rows"));
    if (json_value_find(said.members, "/data/total_rows") != NULL)
        write_value(json, "total_rows", json_value_find(said.members, "/data/total_rows"));
    json_write_member_str(json, STR("answer"), answer->text.len == 0 ? STR("") : answer->text);
    json_write_member_str(json, STR("engine"), run_stats(answer->run)->model);
    if (said.sql == NULL)
        json_write_member_str(json, STR("reason"), said.why);
}

/* ---- one question ---- */

static void print_text(void *owner, struct str text)
{
    (void)owner;
    cli_write(STDOUT_FILENO, text);
}

/* Whether what goes to this descriptor may be coloured: https://no-color.org. */
static bool is_colored(int fd)
{
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(fd) && (no_color == NULL || no_color[0] == '\0') && terminal != NULL &&
           strcmp(terminal, "dumb") != 0;
}

/* The rows of an answer, or all of it, after its text. */
static void print_result(const struct command *command, const struct local_engine_answer *answer,
                         const struct cmd_answer_said *said, struct arena *arena)
{
    const struct json_value *data = json_value_find(said->members, "/data");
    struct json_write json;
    struct buf out;
    buf_init(&out, OUT_BYTES);
    if (command->format == FORMAT_JSON) {
        json_write_init(&json, &out);
        json_write_object(&json);
        write_answer(&json, answer, arena);
        json_write_object_end(&json);
        buf_push_char(&out, '\n');
    } else if (command->format == FORMAT_CSV) {
        cmd_rows_csv(data, &out);
    } else if (cmd_rows_any(data)) {
        buf_push_char(&out, '\n');
        cmd_rows_table(data, is_colored(STDOUT_FILENO), &out);
    }
    if (buf_ok(&out))
        cli_write(STDOUT_FILENO, buf_str(&out));
    else
        fprintf(stderr, "askd: the rows are larger than %d MiB\n", OUT_BYTES / (1024 * 1024));
    buf_fini(&out);
}

/* The statement and what it took, on standard error. */
static void print_foot(const struct local_engine_answer *answer, const struct cmd_answer_said *said)
{
    const struct run_stats *stats = run_stats(answer->run);
    bool colored = is_colored(STDERR_FILENO);
    const char *dim = colored ? "\x1B[2m" : "", *plain = colored ? "\x1B[0m" : "";
    if (said->sql != NULL)
        fprintf(stderr, "\n  %ssql    %.*s%s\n", dim, STR_ARG(said->sql->text), plain);
    fprintf(stderr, "  %sroute  %.*s   model %.*s   %" PRIu64 " ms%s\n", dim,
            STR_ARG(run_route(answer->run)), STR_ARG(stats->model), stats->duration_ms, plain);
}

static int ask_once(struct command *command, struct str message)
{
    struct local_engine_answer answer;
    struct arena arena;
    struct err err = {0};
    struct cmd_answer_said said;
    const struct local_engine_question question = make_question(command, message);
    bool is_table = command->format == FORMAT_TABLE;
    if (local_engine_run(command->engine, &question, is_table ? print_text : NULL, NULL, &answer,
                         &err) != ERR_OK) {
        fprintf(stderr, "askd: %s\n", err.text);
        return EXIT_WRONG;
    }
    if (is_table && answer.text.len > 0)
        cli_write(STDOUT_FILENO, STR("\n"));
    if (!str_is_absent(answer.code)) {
        fprintf(stderr, "askd: %.*s: %.*s\n", STR_ARG(answer.code), STR_ARG(answer.message));
        return EXIT_WRONG;
    }
    if (command->format == FORMAT_CSV)
        fprintf(stderr, "%.*s\n", STR_ARG(answer.text));
    arena_init(&arena, ARENA_BYTES);
    cmd_answer_read(&answer, &arena, &said);
    print_result(command, &answer, &said, &arena);
    print_foot(&answer, &said);
    const struct json_value *abstained = json_value_find(said.members, "/abstained");
    bool has_abstained = abstained != NULL && abstained->type == JSON_STRING;
    arena_fini(&arena);
    return has_abstained ? EXIT_ABSTAINED : EXIT_FINE;
}

/* ---- a question a line ---- */

static void answer_line(struct command *command, struct str line, struct json_write *json,
                        struct arena *arena)
{
    struct local_engine_answer answer;
    struct err err = {0};
    struct str message;
    const struct json_limits limits = {.refuse_nul = true};
    const struct json_value *root = json_value_parse(arena, line, &limits, &err);
    const struct json_value *id = json_value_find(root, "/id");
    if (root == NULL) {
        write_error(json, NULL, STR("invalid_request"), str_of(err.text));
        return;
    }
    if (json_value_str(root, "/question", &message, &err) != ERR_OK) {
        write_error(json, id, STR("invalid_request"), str_of(err.text));
        return;
    }
    const struct local_engine_question question = make_question(command, message);
    if (local_engine_run(command->engine, &question, NULL, NULL, &answer, &err) != ERR_OK)
        write_error(json, id, STR("invalid_request"), str_of(err.text));
    else if (!str_is_absent(answer.code))
        write_error(json, id, answer.code, answer.message);
    else {
        write_value(json, "id", id);
        write_answer(json, &answer, arena);
    }
}

static void ask_line(void *owner, struct str line, struct buf *out)
{
    struct json_write json;
    struct arena arena;
    arena_init(&arena, ARENA_BYTES);
    json_write_init(&json, out);
    json_write_object(&json);
    answer_line(owner, str_trim(line), &json, &arena);
    json_write_object_end(&json);
    arena_fini(&arena);
}

/* ---- the command ---- */

static int run_command(struct command *command, const struct config *config, struct cli *cli)
{
    struct err err = {0};
    bool jsonl = command->switches[JSONL].given;
    command->engine = cmd_answer_open(config, command->switches[GRAPH].value, &err);
    if (command->engine == NULL) {
        fprintf(stderr, "askd: %s\n", err.text);
        return err.code == ERR_INVALID ? CLI_EXIT_CONFIG : EXIT_WRONG;
    }
    int status = EXIT_FINE;
    if (!jsonl)
        status = ask_once(command, str_of(cli->words[0]));
    else if (!cmd_input_lines(OUT_BYTES, ask_line, command, NULL))
        status = EXIT_WRONG;
    local_engine_close(command->engine);
    return status;
}

/* A company that no rows are filtered by would be answered from everybody's. */
static bool is_for_company(const struct command *command, const struct config *config)
{
    const char *company = command->switches[COMPANY].value;
    if (company == NULL || company[0] == '\0' || config->tenant_column[0] != '\0')
        return true;
    fputs("askd: --company: ASKD_TENANT_COLUMN is not set, so no rows would be filtered; set it "
          "(--set ASKD_TENANT_COLUMN=NAME), or leave --company out\n",
          stderr);
    return false;
}

/* False: stderr says what --format may be. */
static bool read_format(struct command *command)
{
    const char *asked = command->switches[FORMAT].value;
    for (size_t i = 0; i < countof(formats); i++) {
        if (asked == NULL || strcmp(asked, formats[i]) == 0) {
            command->format = (enum format)i;
            return true;
        }
    }
    fprintf(stderr, "askd: --format: expected table, csv or json, got '%s'\n", asked);
    return false;
}

int cmd_ask(int argc, char **argv)
{
    struct command command = {0};
    struct cli cli;
    int status = CLI_EXIT_USAGE;
    const char **words = mem_zalloc((size_t)argc + 1, sizeof(char *));
    if (words == NULL)
        return EXIT_WRONG;
    signals_ignore_failed_writes();
    memcpy(command.switches, all_switches, sizeof all_switches);
    if (cli_read(argc, argv, command.switches, SWITCH_COUNT, words, &cli)) {
        if (cli.word_count != (command.switches[JSONL].given ? 0 : 1)) {
            fputs("usage: askd ask [flags] QUESTION | askd ask --jsonl [flags]\n", stderr);
        } else if (read_format(&command)) {
            struct config *config = cli_load_config(&cli);
            if (config == NULL)
                status = CLI_EXIT_CONFIG;
            else
                status = is_for_company(&command, config) ? run_command(&command, config, &cli)
                                                          : EXIT_MISUSE;
            config_destroy(config);
        }
    }
    mem_free(words);
    return status;
}
