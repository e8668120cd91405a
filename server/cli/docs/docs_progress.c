/* SPDX-License-Identifier: MIT */
/* server/cli/docs/docs_progress.c - words for people, lines for programs. Nothing can fail: when
 * the reader is gone, the documents are added all the same. */
#include "server/cli/docs/docs_progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/loop/loop.h"
#include "proto/json_write.h"
#include "server/cli/cli.h"

enum { WIDTH = 30, SHOWN_NAME = 40, LINE_BYTES = 64 * 1024 };

static const char *const outcomes[DOCS_OUTCOME_COUNT] = {
    [DOCS_ADDED] = "added",     [DOCS_UPDATED] = "updated", [DOCS_UNCHANGED] = "unchanged",
    [DOCS_REMOVED] = "removed", [DOCS_SKIPPED] = "skipped", [DOCS_FAILED] = "failed",
};

void docs_progress_begin(struct docs_progress *progress, size_t of, bool json)
{
    *progress = (struct docs_progress){
        .of = of,
        .began_ns = loop_precise_ns(),
        .bar = !json && isatty(STDERR_FILENO) != 0,
    };
}

static size_t all_done(const struct docs_progress *progress)
{
    size_t done = 0;
    for (unsigned i = 0; i < DOCS_OUTCOME_COUNT; i++)
        done += progress->done[i];
    return done;
}

static uint64_t took_ms(const struct docs_progress *progress)
{
    return (loop_precise_ns() - progress->began_ns) / 1000000;
}

static void write_line(struct buf *line)
{
    buf_push_char(line, '\n');
    if (buf_ok(line))
        cli_write(STDOUT_FILENO, buf_str(line));
    buf_fini(line);
}

static void write_document(const struct docs_progress *progress, struct str name,
                           enum docs_outcome outcome, size_t passages, const struct err *err)
{
    struct json_write json;
    struct buf line;
    buf_init(&line, LINE_BYTES);
    json_write_init(&json, &line);
    json_write_object(&json);
    json_write_member_str(&json, STR("event"), STR("document"));
    json_write_member_str(&json, STR("document"), name);
    json_write_member_str(&json, STR("status"), str_of(outcomes[outcome]));
    json_write_member_u64(&json, STR("passages"), passages);
    json_write_member_u64(&json, STR("done"), all_done(progress));
    json_write_member_u64(&json, STR("of"), progress->of);
    if (err != NULL)
        json_write_member_str(&json, STR("error"), str_of(err->text));
    json_write_object_end(&json);
    write_line(&line);
}

void docs_progress_document(struct docs_progress *progress, struct str name,
                            enum docs_outcome outcome, size_t passages, const struct err *err)
{
    progress->done[outcome]++;
    progress->passages += passages;
    if (!progress->bar) {
        write_document(progress, name, outcome, passages, err);
        return;
    }
    if (err != NULL)
        fprintf(stderr, "\r\033[K%.*s: %s\n", STR_ARG(name), err->text);
    docs_progress_draw(progress, name, passages, passages);
}

void docs_progress_draw(const struct docs_progress *progress, struct str name, size_t stored,
                        size_t passages)
{
    char bar[WIDTH + 1];
    if (!progress->bar)
        return;
    double part = passages == 0 ? 0 : (double)stored / (double)passages;
    double done = (double)all_done(progress);
    double share =
        progress->of == 0 ? 1 : (done + (stored < passages ? part : 0)) / (double)progress->of;
    size_t filled = (size_t)(share * WIDTH);
    for (size_t i = 0; i < WIDTH; i++)
        bar[i] = i < filled ? '#' : '.';
    bar[WIDTH] = '\0';
    fprintf(stderr, "\r\033[K[%s] %zu/%zu  %zu passages  %.*s", bar, all_done(progress),
            progress->of, progress->passages, STR_ARG(str_utf8_prefix(name, SHOWN_NAME)));
    fflush(stderr);
}

void docs_progress_end(const struct docs_progress *progress)
{
    struct json_write json;
    struct buf line;
    if (progress->bar) {
        fprintf(stderr, "\r\033[K%zu passages in %" PRIu64 " ms:", progress->passages,
                took_ms(progress));
        for (unsigned i = 0; i < DOCS_OUTCOME_COUNT; i++)
            if (progress->done[i] > 0)
                fprintf(stderr, " %zu %s", progress->done[i], outcomes[i]);
        fputs(progress->of == 0 ? " nothing to add\n" : "\n", stderr);
        return;
    }
    buf_init(&line, LINE_BYTES);
    json_write_init(&json, &line);
    json_write_object(&json);
    json_write_member_str(&json, STR("event"), STR("complete"));
    for (unsigned i = 0; i < DOCS_OUTCOME_COUNT; i++)
        json_write_member_u64(&json, str_of(outcomes[i]), progress->done[i]);
    json_write_member_u64(&json, STR("passages"), progress->passages);
    json_write_member_u64(&json, STR("tokens"), progress->tokens);
    json_write_member_u64(&json, STR("ms"), took_ms(progress));
    json_write_object_end(&json);
    write_line(&line);
}
