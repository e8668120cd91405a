/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_eval_bar.c - reads figures, compares figures.
 *
 * Happy path: the last line of the earlier output that has a summary gives its figures. Failure
 * paths: a file without one, a figure that is none: ERR_INVALID, named. */
#include "server/cli/cmd_eval_bar.h"

#include <stdlib.h>

#include "core/base/arena.h"
#include "core/base/file.h"
#include "proto/json_value.h"

enum { FILE_BYTES = 64 << 20, ARENA_BYTES = 64 << 20 };

static const double SAME = 0.05; /* percents that print the same are no step back */

static double max_of(double a, double b)
{
    return a > b ? a : b;
}

/* A member that is a number; 0 when there is none. */
static double number_at(const struct json_value *root, const char *pointer)
{
    const struct json_value *value = json_value_find(root, pointer);
    if (value == NULL)
        return 0;
    return value->type == JSON_INT      ? (double)value->integer
           : value->type == JSON_DOUBLE ? value->number
                                        : 0;
}

static void take_summary(const struct json_value *root, struct cmd_eval_bar *bar)
{
    double asked = number_at(root, "/summary/must_not_answer/asked");
    double silent = number_at(root, "/summary/must_not_answer/abstained");
    bar->precision = max_of(bar->precision, number_at(root, "/summary/all/precision"));
    bar->coverage = max_of(bar->coverage, number_at(root, "/summary/all/coverage"));
    if (asked > 0)
        bar->silent = max_of(bar->silent, 100 * silent / asked);
}

static enum err_code read_baseline(const char *path, struct cmd_eval_bar *bar, struct err *err)
{
    struct buf text;
    struct arena arena;
    bool found = false;
    buf_init(&text, FILE_BYTES);
    arena_init(&arena, ARENA_BYTES);
    enum err_code code = file_read(path, &text, err);
    for (struct str rest = buf_str(&text); code == ERR_OK && rest.len > 0;) {
        struct str line = str_trim(str_split(&rest, '\n'));
        if (str_find(line, STR("\"summary\"")) == STR_NONE)
            continue;
        const struct json_value *root = json_value_parse(&arena, line, NULL, NULL);
        if (json_value_find(root, "/summary/all/precision") == NULL)
            continue;
        take_summary(root, bar);
        found = true;
    }
    arena_fini(&arena);
    buf_fini(&text);
    if (code == ERR_OK && !found)
        code = err_set(err, ERR_INVALID,
                       "%s: expected what askd eval --json printed, with its summary", path);
    return code;
}

enum err_code cmd_eval_bar_read(const char *min, const char *baseline, struct cmd_eval_bar *bar,
                                struct err *err)
{
    *bar = (struct cmd_eval_bar){.precision = 0};
    if (min != NULL) {
        char *end;
        double percent = strtod(min, &end);
        if (end == min || *end != '\0' || !(percent >= 0 && percent <= 100))
            return err_set(err, ERR_INVALID, "--min-precision: expected a percent from 0 to 100");
        bar->precision = percent;
    }
    return baseline == NULL ? ERR_OK : read_baseline(baseline, bar, err);
}

static bool reaches(const char *what, double is, double least, struct buf *out)
{
    if (is + SAME >= least)
        return true;
    buf_printf(out, "%s: %.1f%%, expected %.1f%% at least\n", what, is, least);
    return false;
}

bool cmd_eval_bar_reached(const struct cmd_eval_bar *bar, const struct cmd_eval_tally *tally,
                          struct buf *out)
{
    const struct cmd_eval_shares shares = cmd_eval_tally_shares(tally);
    bool precise = reaches("precision", shares.precision, bar->precision, out);
    bool covers = reaches("coverage", shares.coverage, bar->coverage, out);
    bool silent = reaches("must not be answered and was not", shares.silent, bar->silent, out);
    return precise && covers && silent;
}
