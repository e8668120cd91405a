/* SPDX-License-Identifier: MIT */
/* agents/docs/formats/pdf.c - pdftotext (poppler-utils) as a child: the file in, plain text out.
 *
 * Happy path: pages end by form feeds, paragraphs by empty lines; each page is a heading, so that a
 * citation names it. The child has whatever rights this process has, which gave its own away.
 * Failure: the program is missing; it refuses the file; pages without text (a scan) are none. */
#include "agents/docs/formats/pdf.h"

#include <errno.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fcntl.h>

#include "agents/docs/formats/format_limits.h"
#include "agents/docs/formats/markup.h"

enum { PIECE_BYTES = 64 * 1024, TEXT_BYTES = 64 << 20, EXIT_NO_PROGRAM = 127 };

struct program {
    pid_t pid;
    int to, from; /* its standard input and output; -1: closed */
};

static void close_end(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

static bool start(struct program *program)
{
    char last[16];
    snprintf(last, sizeof last, "%d", FORMATS_MAX_PAGES);
    char name[] = "pdftotext", quiet[] = "-q", encoding[] = "-enc", utf8[] = "UTF-8", l[] = "-l",
         dash[] = "-";
    char *const arguments[] = {name, quiet, encoding, utf8, l, last, dash, dash, NULL};
    char path[] = "PATH=/usr/local/bin:/usr/bin:/bin";
    char *const environment[] = {path, NULL};
    int in[2], out[2];
    posix_spawn_file_actions_t actions;
    if (pipe2(in, O_CLOEXEC) != 0)
        return false;
    if (pipe2(out, O_CLOEXEC) != 0) {
        close_end(&in[0]);
        close_end(&in[1]);
        return false;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int code = posix_spawnp(&program->pid, name, &actions, NULL, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    close_end(&in[0]);
    close_end(&out[1]);
    program->to = in[1];
    program->from = out[0];
    (void)fcntl(program->to, F_SETFL, O_NONBLOCK);
    if (code == 0)
        return true;
    close_end(&program->to);
    close_end(&program->from);
    errno = code;
    return false;
}

static void feed(struct program *program, struct str *bytes)
{
    ssize_t count = write(program->to, bytes->at, bytes->len);
    if (count > 0)
        *bytes = str_from(*bytes, (size_t)count);
    else if (count < 0 && errno != EAGAIN && errno != EINTR)
        bytes->len = 0; /* it has read enough */
    if (bytes->len == 0)
        close_end(&program->to);
}

/* Feed it and take what it says until it has said all. False: text is full. */
static bool converse(struct program *program, struct str bytes, struct buf *text)
{
    for (;;) {
        struct pollfd ends[] = {{program->from, POLLIN, 0}, {program->to, POLLOUT, 0}};
        if (poll(ends, countof(ends), -1) < 0 && errno != EINTR)
            return false;
        if (ends[1].revents != 0 && program->to >= 0)
            feed(program, &bytes);
        if (ends[0].revents == 0)
            continue;
        char *room = buf_reserve(text, PIECE_BYTES);
        ssize_t count = room == NULL ? -1 : read(program->from, room, PIECE_BYTES);
        if (count == 0)
            return true;
        if (count < 0 && (room == NULL || errno != EINTR))
            return false;
        if (count > 0)
            buf_commit(text, (size_t)count);
    }
}

/* ---- text -> HTML ---- */

static void write_page(struct str page, size_t number, struct buf *out)
{
    struct buf paragraph;
    if (str_trim(page).len == 0)
        return;
    buf_printf(out, "<h2>Page %zu</h2>\n", number);
    buf_init(&paragraph, TEXT_BYTES);
    while (page.len > 0) {
        struct str line = str_trim(str_split(&page, '\n'));
        if (line.len > 0) {
            buf_push(&paragraph, buf_len(&paragraph) > 0 ? STR(" ") : STR(""));
            buf_push(&paragraph, line);
        }
        if (line.len == 0 || page.len == 0) {
            markup_element(out, "p", buf_str(&paragraph));
            buf_clear(&paragraph);
        }
    }
    buf_fini(&paragraph);
}

static enum err_code write_pages(struct str text, struct buf *out, struct err *err)
{
    size_t before = buf_len(out);
    for (size_t number = 1; text.len > 0; number++)
        write_page(str_split(&text, '\f'), number, out);
    if (buf_len(out) == before)
        return err_set(err, ERR_INVALID,
                       "it has no text: a scan must be read by OCR first (ocrmypdf)");
    return ERR_OK;
}

static enum err_code judge_end(int status, struct err *err)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return ERR_OK;
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NO_PROGRAM)
        return err_set(err, ERR_NOT_CONFIGURED,
                       "pdftotext is missing: install poppler-utils to read PDF");
    if (WIFSIGNALED(status))
        return err_set(err, ERR_TOO_LARGE, "reading it takes more time or memory than it may");
    return err_set(err, ERR_INVALID, "it is no PDF, a broken one, or locked by a password");
}

enum err_code pdf_write_html(struct str bytes, struct buf *out, struct err *err)
{
    struct program program = {0, -1, -1};
    struct buf text;
    int status = 0;
    if (!start(&program))
        return errno == ENOENT ? err_set(err, ERR_NOT_CONFIGURED,
                                         "pdftotext is missing: install poppler-utils to read PDF")
                               : err_set(err, ERR_UNAVAILABLE, "pdftotext: %s", strerror(errno));
    buf_init(&text, TEXT_BYTES);
    bool fits = converse(&program, bytes, &text);
    close_end(&program.to);
    close_end(&program.from);
    while (waitpid(program.pid, &status, 0) < 0 && errno == EINTR)
        ;
    enum err_code code =
        fits ? judge_end(status, err)
             : err_set(err, ERR_TOO_LARGE, "it has more than %d MiB of text", TEXT_BYTES >> 20);
    if (code == ERR_OK)
        code = write_pages(buf_str(&text), out, err);
    buf_fini(&text);
    return code;
}
