/* SPDX-License-Identifier: MIT */
/* server/wiring/document_worker.c - confine, read all, convert, write all.
 *
 * Failure: the sentence of the format's reader, and 1; a limit of the kernel ends the process. It
 * leaves by _exit: what runs at an ordinary exit may want rights that are gone. */
#include "server/wiring/document_worker.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "agents/docs/formats/formats.h"
#include "backends/extract/confine.h"
#include "backends/extract/extract.h"

enum { PIECE_BYTES = 256 * 1024, EXIT_FINE = 0, EXIT_REFUSED = 1 };

static const struct confine_limits limits = {.address_bytes = UINT64_C(2) << 30, .cpu_seconds = 60};

static bool kind_of(const char *format, enum formats_kind *kind)
{
    for (int i = FORMATS_PDF; i <= FORMATS_JSON; i++) {
        if (strcmp(format, formats_name((enum formats_kind)i)) != 0)
            continue;
        *kind = (enum formats_kind)i;
        return true;
    }
    return false;
}

static void write_all(struct str text)
{
    while (text.len > 0) {
        ssize_t count = write(STDOUT_FILENO, text.at, text.len);
        if (count < 0 && errno != EINTR)
            _exit(EXIT_REFUSED);
        text = str_from(text, count > 0 ? (size_t)count : 0);
    }
}

static bool read_all(struct buf *bytes)
{
    for (;;) {
        char *room = buf_reserve(bytes, PIECE_BYTES);
        ssize_t count = room == NULL ? -1 : read(STDIN_FILENO, room, PIECE_BYTES);
        if (count == 0)
            return true;
        if (room == NULL || (count < 0 && errno != EINTR))
            return false;
        if (count > 0)
            buf_commit(bytes, (size_t)count);
    }
}

void document_worker(const char *format)
{
    struct err err = {0};
    struct buf bytes, html;
    enum formats_kind kind;
    (void)signal(SIGPIPE, SIG_IGN);
    confine_process(&limits);
    buf_init(&bytes, FORMATS_MAX_FILE + PIECE_BYTES);
    buf_init(&html, EXTRACT_MAX_TEXT);
    enum err_code code;
    if (!kind_of(format, &kind))
        code = err_set(&err, ERR_INVALID, "there is no format of this name");
    else if (!read_all(&bytes))
        code =
            err_set(&err, ERR_TOO_LARGE, "the file has more than %d MiB", FORMATS_MAX_FILE >> 20);
    else
        code = formats_write_html(kind, buf_str(&bytes), &html, &err);
    write_all(code == ERR_OK ? buf_str(&html) : str_of(err.text));
    _exit(code == ERR_OK ? EXIT_FINE : EXIT_REFUSED);
}
