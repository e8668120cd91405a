/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_joins_introspect.c - introspects the database, writes the text of the file, and
 * says what was found.
 *
 * Happy path: introspect with private names shown, since the file is for the pipeline and no model
 * reads it; write. Failure paths: the errors of the introspection; a graph larger than buf
 * takes. */
#include "server/cli/cmd_joins_introspect.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "server/cli/cmd_input.h"

enum { NAMES_BYTES = 256 << 20 };

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void say(const struct catalog_counts *counts, uint64_t ms)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr,
                "%zu tables (and %zu views) with %zu columns, %zu foreign keys, %zu of them "
                "composite, and %zu that nobody declared; %" PRIu64 " ms\n",
                counts->tables, counts->views, counts->columns, counts->references,
                counts->composite, counts->implied, ms);
    else
        fprintf(stderr,
                "{\"tables\":%zu,\"views\":%zu,\"columns\":%zu,\"relationships\":%zu,"
                "\"composite\":%zu,\"inferred\":%zu,\"ms\":%" PRIu64 "}\n",
                counts->tables, counts->views, counts->columns, counts->references,
                counts->composite, counts->implied, ms);
}

enum err_code cmd_joins_introspect(const char *url, struct buf *out, struct err *err)
{
    const struct introspect_options options = {.show_private = true, .count_rows = true};
    struct catalog *catalog = NULL;
    struct arena names;
    uint64_t begin = now_ms();
    enum err_code code = cmd_input_catalog(url, &options, &catalog, err);
    if (code != ERR_OK)
        return code;
    arena_init(&names, NAMES_BYTES);
    catalog_write(catalog, &names, out);
    buf_push_char(out, '\n');
    if (!buf_ok(out) || !arena_ok(&names))
        code = err_set(err, ERR_TOO_LARGE, "the join graph is larger than a file may be");
    struct catalog_counts counts = catalog_count(catalog);
    if (code == ERR_OK)
        say(&counts, now_ms() - begin);
    arena_fini(&names);
    catalog_destroy(catalog);
    return code;
}
