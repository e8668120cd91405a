/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_input.c - introspects a database and closes it again; cuts standard input into
 * lines.
 *
 * Happy path: open, introspect, take the catalog, close, let the loop run dry; read, answer each
 * complete line, keep the rest.
 * Failure: the error of the introspection, with everything closed all the same; a line that is too
 * long is dropped, and only remembered to have been so. */
#include "server/cli/cmd_input.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "server/cli/cli.h"
#include "server/wiring/database.h"

enum { LINE_BYTES = 1 << 20, READ_BYTES = 64 << 10 };

struct lines {
    cmd_line_fn *answer;
    void *owner;
    struct buf input, out;
    bool skipping;     /* the rest of a line that was too long */
    size_t unanswered; /* lines that were too long, or whose answer was */
};

struct config *cmd_input_config(const char *command, const char *flags)
{
    const struct cli cli = {.env_file = ".env"};
    struct config *config = cli_load_config(&cli);
    if (config == NULL || config->database_url[0] != '\0')
        return config;
    fprintf(stderr, "%s: no database is configured (ASKD_DATABASE_URL, here or in .env); give %s\n",
            command, flags);
    config_destroy(config);
    return NULL;
}

static void on_introspected(struct op *op)
{
    loop_stop(op_owner(op));
}

enum err_code cmd_input_catalog(const char *url, const struct introspect_options *asked,
                                struct catalog **out, struct err *err)
{
    struct introspect introspect = {.catalog = NULL};
    const struct database_options options = {.threads = 1};
    struct loop *loop = loop_create();
    if (loop == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory or no descriptors for a loop");
    struct sql *sql = database_open(loop, str_of(url), &options, err);
    if (sql == NULL) {
        loop_destroy(loop);
        return err->code;
    }
    introspect_start(&introspect, sql, asked,
                     (struct op_waiter){.done = on_introspected, .owner = loop});
    loop_run(loop);
    *out = introspect.catalog;
    *err = introspect.op.err;
    op_release(&introspect.op);
    sql_close(sql, NULL, NULL);
    loop_run(loop);
    loop_destroy(loop);
    return err->code;
}

/* Answer one line. False: the reader of standard output is gone. */
static bool answer_line(struct lines *lines, struct str line)
{
    struct buf *out = &lines->out;
    buf_clear(out);
    if (str_is_empty(str_trim(line)))
        return true;
    lines->unanswered += line.len > LINE_BYTES;
    if (line.len > LINE_BYTES)
        buf_push(out, STR("{\"id\":null,\"sql\":null,\"reason\":\"the line is longer than 1 MiB\","
                          "\"error\":\"the line is longer than 1 MiB\",\"code\":\"too_large\"}"));
    else
        lines->answer(lines->owner, line, out);
    buf_push_char(out, '\n');
    struct str text = buf_str(out);
    lines->unanswered += !buf_ok(out);
    if (!buf_ok(out))
        text = STR("{\"error\":\"the answer is too long\",\"code\":\"too_large\"}\n");
    return fwrite(text.at, 1, text.len, stdout) == text.len && fflush(stdout) == 0;
}

/* Answer the complete lines that were read. */
static bool answer_complete(struct lines *lines)
{
    for (;;) {
        struct str text = buf_str(&lines->input);
        ptrdiff_t end = str_find_char(text, '\n');
        if (end == STR_NONE && text.len <= LINE_BYTES)
            return true;
        size_t len = end == STR_NONE ? text.len : (size_t)end;
        if (!lines->skipping && !answer_line(lines, str_slice(text, 0, len)))
            return false;
        lines->skipping = end == STR_NONE;
        buf_consume(&lines->input, end == STR_NONE ? len : len + 1);
    }
}

bool cmd_input_lines(size_t answer_bytes, cmd_line_fn *answer, void *owner, size_t *unanswered)
{
    struct lines lines = {.answer = answer, .owner = owner};
    bool wanted = true, broken = false;
    buf_init(&lines.input, LINE_BYTES + 2 * READ_BYTES);
    buf_init(&lines.out, answer_bytes);
    for (ssize_t got = 1; wanted && got != 0 && !broken;) {
        char *room = buf_reserve(&lines.input, READ_BYTES);
        got = room == NULL ? -1 : read(STDIN_FILENO, room, READ_BYTES);
        broken = got < 0 && errno != EINTR;
        buf_commit(&lines.input, got > 0 ? (size_t)got : 0);
        wanted = got <= 0 || answer_complete(&lines);
    }
    if (wanted && !broken && !lines.skipping)
        wanted = answer_line(&lines, buf_str(&lines.input));
    buf_fini(&lines.input);
    buf_fini(&lines.out);
    if (unanswered != NULL)
        *unanswered = lines.unanswered;
    return wanted && !broken;
}
