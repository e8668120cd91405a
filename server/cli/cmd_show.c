/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_show.c - one line that is written over while a run works, then the answer.
 *
 * Failure: rows that are larger than OUT_BYTES are not shown, which is said. */
#include "server/cli/cmd_show.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/cli/cli.h"
#include "server/cli/cmd_rows.h"

struct cmd_show {
    struct local_engine_listener listener;
    bool with_text, has_step, has_text;
};

enum { OUT_BYTES = 64 * 1024 * 1024 };

#define WIPE_LINE "\r\x1B[K"

static const struct {
    const char *node, *words;
} steps[] = {
    {"load_checkpoint", "Reading the conversation"},
    {"classify", "Reading the question"},
    {"table_selector", "Looking for the tables"},
    {"filter_relationships", "Looking for the joins"},
    {"path_finder", "Looking for the joins"},
    {"join_planner", "Looking at some rows"},
    {"sql_generator", "Writing the statement"},
    {"secure_rewriter", "Checking the statement"},
    {"pre_validation", "Checking the statement"},
    {"validator", "Checking the statement"},
    {"validation_agent", "Checking the statement"},
    {"correction_agent", "Correcting the statement"},
    {"executor", "Asking the database"},
    {"execution_tool", "Asking the database"},
    {"retrieve", "Searching the documents"},
    {"retrieval", "Looking for similar questions"},
    {"agent", "Thinking"},
    {"tools", "Using its tools"},
    {"result", "Writing the answer"},
    {"answer", "Writing the answer"},
    {"responder", "Writing the answer"},
    {"insight_agent", "Writing the answer"},
    {"general_agent", "Writing the answer"},
    {"finalize", "Finishing"},
    {"save_checkpoint", "Keeping the conversation"},
};

/* What a node does, in words for who waits; absent: it is not worth telling. */
static struct str find_words(struct str node)
{
    while (str_find_char(node, '/') != STR_NONE)
        node = str_from(node, (size_t)str_find_char(node, '/') + 1);
    for (size_t i = 0; i < countof(steps); i++)
        if (str_equal(node, str_of(steps[i].node)))
            return str_of(steps[i].words);
    return (struct str){NULL, 0};
}

static bool is_smart(int fd)
{
    const char *terminal = getenv("TERM");
    return isatty(fd) && terminal != NULL && strcmp(terminal, "dumb") != 0;
}

bool cmd_show_is_colored(int fd)
{
    const char *no_color = getenv("NO_COLOR");
    return is_smart(fd) && (no_color == NULL || no_color[0] == '\0');
}

static void wipe_step(struct cmd_show *show)
{
    if (show->has_step)
        cli_write(STDERR_FILENO, STR(WIPE_LINE));
    show->has_step = false;
}

static void on_text(void *owner, struct str text)
{
    struct cmd_show *show = owner;
    if (!show->with_text || text.len == 0)
        return;
    wipe_step(show);
    show->has_text = true;
    cli_write(STDOUT_FILENO, text);
}

static void on_step(void *owner, struct str node)
{
    struct cmd_show *show = owner;
    struct str words = find_words(node);
    if (show->has_text || str_is_absent(words))
        return;
    cli_write(STDERR_FILENO, STR(WIPE_LINE));
    cli_write(STDERR_FILENO, words);
    cli_write(STDERR_FILENO, STR(" ..."));
    show->has_step = true;
}

bool cmd_show_run(struct local_engine *engine, const struct local_engine_question *question,
                  bool with_text, struct local_engine_answer *answer)
{
    struct err err = {0};
    struct cmd_show show = {.with_text = with_text};
    show.listener = (struct local_engine_listener){
        .on_text = on_text, .on_step = is_smart(STDERR_FILENO) ? on_step : NULL, .owner = &show};
    enum err_code code = local_engine_run(engine, question, &show.listener, answer, &err);
    wipe_step(&show);
    if (show.has_text)
        cli_write(STDOUT_FILENO, STR("\n"));
    if (code != ERR_OK)
        fprintf(stderr, "askd: %s\n", err.text);
    return code == ERR_OK;
}

bool cmd_show_failure(const struct local_engine_answer *answer)
{
    if (str_is_absent(answer->code))
        return false;
    fprintf(stderr, "askd: %.*s: %.*s\n", STR_ARG(answer->code), STR_ARG(answer->message));
    return true;
}

void cmd_show_print(const struct buf *text)
{
    if (buf_ok(text))
        cli_write(STDOUT_FILENO, buf_str(text));
    else
        fprintf(stderr, "askd: the rows are larger than %d MiB\n", OUT_BYTES / (1024 * 1024));
}

void cmd_show_rows(const struct cmd_answer_said *said)
{
    const struct json_value *data = json_value_find(said->members, "/data");
    struct buf out;
    if (!cmd_rows_any(data))
        return;
    buf_init(&out, OUT_BYTES);
    buf_push_char(&out, '\n');
    cmd_rows_table(data, cmd_show_is_colored(STDOUT_FILENO), &out);
    cmd_show_print(&out);
    buf_fini(&out);
}

void cmd_show_warnings(const struct cmd_answer_said *said, int fd)
{
    const struct json_value *warnings = json_value_find(said->members, "/warnings");
    struct buf out;
    if (warnings == NULL || warnings->type != JSON_ARRAY || warnings->count == 0)
        return;
    buf_init(&out, OUT_BYTES);
    buf_push_char(&out, '\n');
    JSON_EACH(warning, warnings) {
        if (warning->type != JSON_STRING)
            continue;
        buf_push(&out, STR("  warning: "));
        cmd_rows_plain(warning->text, &out);
        buf_push_char(&out, '\n');
    }
    if (buf_ok(&out))
        cli_write(fd, buf_str(&out));
    buf_fini(&out);
}

void cmd_show_foot(const struct local_engine_answer *answer, const struct cmd_answer_said *said)
{
    const struct run_stats *stats = run_stats(answer->run);
    bool colored = cmd_show_is_colored(STDERR_FILENO);
    const char *dim = colored ? "\x1B[2m" : "", *plain = colored ? "\x1B[0m" : "";
    if (said->sql != NULL)
        fprintf(stderr, "\n  %ssql    %.*s%s\n", dim, STR_ARG(said->sql->text), plain);
    fprintf(stderr, "  %sroute  %.*s   model %.*s   %" PRIu64 " ms%s\n", dim,
            STR_ARG(run_route(answer->run)), STR_ARG(stats->model), stats->duration_ms, plain);
}
