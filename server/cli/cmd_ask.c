/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_ask.c - one question for people, or one JSON object a line for programs.
 *
 * Happy path: the question's answer streams to standard output, its rows follow as a table, below
 * it what may be wrong about it; its SQL and stats go to standard error. With --format csv standard
 * output has the rows alone, and warnings go to standard error; with json it has the whole answer
 * as one object. With --jsonl each line read is answered by one line, flushed before the next is
 * read. Failure paths: a run that fails: its message, exit 1; an answer that says why there is
 * none: exit 3; a line that is not JSON, or without a question: an error line, then on. A reader
 * that went away ends it. */
#include "server/cli/cmd_ask.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "proto/json_write.h"
#include "server/cli/cli.h"
#include "server/cli/cmd_answer.h"
#include "server/cli/cmd_input.h"
#include "server/cli/cmd_rows.h"
#include "server/cli/cmd_show.h"
#include "server/process/signals.h"

enum {
    OUT_BYTES = 64 * 1024 * 1024,
    ARENA_BYTES = 256 * 1024 * 1024,
    EXIT_FINE = 0,
    EXIT_WRONG = 1,
    EXIT_ABSTAINED = 3,
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
    if (json_value_find(said.members, "/warnings") != NULL)
        write_value(json, "warnings", json_value_find(said.members, "/warnings"));
    json_write_member_str(json, STR("engine"), run_stats(answer->run)->model);
    if (said.sql == NULL)
        json_write_member_str(json, STR("reason"), said.why);
}

/* ---- one question ---- */

/* All of an answer, as one object. */
static void print_json(const struct local_engine_answer *answer, struct arena *arena)
{
    struct json_write json;
    struct buf out;
    buf_init(&out, OUT_BYTES);
    json_write_init(&json, &out);
    json_write_object(&json);
    write_answer(&json, answer, arena);
    json_write_object_end(&json);
    buf_push_char(&out, '\n');
    cmd_show_print(&out);
    buf_fini(&out);
}

static void print_csv(const struct local_engine_answer *answer, const struct cmd_answer_said *said)
{
    struct buf out;
    fprintf(stderr, "%.*s\n", STR_ARG(answer->text));
    cmd_show_warnings(said, STDERR_FILENO);
    buf_init(&out, OUT_BYTES);
    cmd_rows_csv(json_value_find(said->members, "/data"), &out);
    cmd_show_print(&out);
    buf_fini(&out);
}

static int ask_once(struct command *command, struct str message)
{
    struct local_engine_answer answer;
    struct arena arena;
    struct cmd_answer_said said;
    const struct local_engine_question question = make_question(command, message);
    bool is_table = command->format == FORMAT_TABLE;
    if (!cmd_show_run(command->engine, &question, is_table, &answer) || cmd_show_failure(&answer))
        return EXIT_WRONG;
    arena_init(&arena, ARENA_BYTES);
    cmd_answer_read(&answer, &arena, &said);
    if (is_table) {
        cmd_show_rows(&said);
        cmd_show_warnings(&said, STDOUT_FILENO);
    } else if (command->format == FORMAT_CSV)
        print_csv(&answer, &said);
    else
        print_json(&answer, &arena);
    cmd_show_foot(&answer, &said);
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
    if (local_engine_run(command->engine, &question, NULL, &answer, &err) != ERR_OK)
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
            if (cli.word_count > 1)
                fprintf(stderr, "askd ask: the question is one word of the shell: \"%s %s ...\"\n",
                        words[0], words[1]);
            fputs("usage: askd ask [flags] QUESTION | askd ask --jsonl [flags]\n", stderr);
        } else if (read_format(&command)) {
            struct config *config = cli_load_config(&cli);
            if (config == NULL)
                status = CLI_EXIT_CONFIG;
            else
                status = cmd_answer_company(&command.switches[COMPANY].value, config)
                             ? run_command(&command, config, &cli)
                             : CMD_ANSWER_EXIT_MISUSE;
            config_destroy(config);
        }
    }
    mem_free(words);
    return status;
}
