/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_eval_tally.c - a row for each group in the order they came, and one for all.
 *
 * Precision is the share of right answers among right and wrong ones, coverage their share among
 * all questions. Where a question must not be answered, a run that failed counts as an answer.
 * Failure: more groups than fit, or no memory for another time. */
#include "server/cli/cmd_eval_tally.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "proto/json_write.h"

enum { FIRST_ROOM = 64 };

const char *cmd_eval_tally_name(enum cmd_eval_verdict verdict)
{
    static const char *const names[] = {[EVAL_RIGHT] = "right",
                                        [EVAL_WRONG] = "wrong",
                                        [EVAL_ABSTAINED] = "abstained",
                                        [EVAL_FAILED] = "failed"};
    return names[verdict];
}

static struct cmd_eval_group *find_group(struct cmd_eval_tally *tally, struct str name, bool silent)
{
    name = str_utf8_prefix(name, EVAL_GROUP_BYTES - 1);
    for (size_t i = 0; i < tally->group_count; i++)
        if (tally->groups[i].silent == silent && str_equal(str_of(tally->groups[i].name), name))
            return &tally->groups[i];
    if (tally->group_count == EVAL_GROUPS)
        return NULL;
    struct cmd_eval_group *group = &tally->groups[tally->group_count++];
    memcpy(group->name, name.at, name.len);
    group->silent = silent;
    return group;
}

static bool keep_time(struct cmd_eval_tally *tally, uint64_t took_us)
{
    if (tally->took_count == tally->took_room) {
        size_t room = tally->took_room == 0 ? FIRST_ROOM : 2 * tally->took_room;
        uint64_t *more = mem_resize(tally->took_us, room * sizeof *more);
        if (more == NULL)
            return false;
        tally->took_us = more;
        tally->took_room = room;
    }
    tally->took_us[tally->took_count++] = took_us;
    return true;
}

bool cmd_eval_tally_add(struct cmd_eval_tally *tally, struct str group, bool silent,
                        enum cmd_eval_verdict verdict, uint64_t took_us)
{
    struct cmd_eval_group *to = find_group(tally, group, silent);
    if (to == NULL || !keep_time(tally, took_us))
        return false;
    to->counts[verdict]++;
    return true;
}

static size_t asked(const struct cmd_eval_group *group)
{
    size_t sum = 0;
    for (size_t i = 0; i < EVAL_VERDICTS; i++)
        sum += group->counts[i];
    return sum;
}

static double percent(size_t part, size_t whole)
{
    return whole == 0 ? 0 : 100.0 * (double)part / (double)whole;
}

static double precision(const struct cmd_eval_group *group)
{
    return percent(group->counts[EVAL_RIGHT],
                   group->counts[EVAL_RIGHT] + group->counts[EVAL_WRONG]);
}

static struct cmd_eval_group sum_of(const struct cmd_eval_tally *tally, bool silent)
{
    struct cmd_eval_group all = {.name = "all", .silent = silent};
    for (size_t i = 0; i < tally->group_count; i++)
        for (size_t v = 0; v < EVAL_VERDICTS && tally->groups[i].silent == silent; v++)
            all.counts[v] += tally->groups[i].counts[v];
    return all;
}

struct cmd_eval_shares cmd_eval_tally_shares(const struct cmd_eval_tally *tally)
{
    const struct cmd_eval_group all = sum_of(tally, false), silent = sum_of(tally, true);
    const size_t told = all.counts[EVAL_RIGHT] + all.counts[EVAL_WRONG];
    return (struct cmd_eval_shares){
        .precision = told == 0 ? 100 : precision(&all),
        .coverage = asked(&all) == 0 ? 100 : percent(all.counts[EVAL_RIGHT], asked(&all)),
        .silent =
            asked(&silent) == 0 ? 100 : percent(silent.counts[EVAL_ABSTAINED], asked(&silent)),
    };
}

static int compare_times(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Milliseconds that this many of a hundred questions took at most. */
static double percentile(struct cmd_eval_tally *tally, size_t of_hundred)
{
    if (tally->took_count == 0)
        return 0;
    qsort(tally->took_us, tally->took_count, sizeof *tally->took_us, compare_times);
    size_t at = (tally->took_count * of_hundred + 99) / 100;
    return (double)tally->took_us[at > 0 ? at - 1 : 0] / 1e3;
}

static void print_group(const struct cmd_eval_group *group, struct buf *out)
{
    const size_t *n = group->counts;
    if (group->silent)
        buf_printf(out, "%-24s %5zu  %9zu  %8zu\n", group->name, asked(group), n[EVAL_ABSTAINED],
                   asked(group) - n[EVAL_ABSTAINED]);
    else
        buf_printf(out, "%-24s %5zu  %5zu  %5zu  %9zu  %6zu  %8.1f%%  %7.1f%%\n", group->name,
                   asked(group), n[EVAL_RIGHT], n[EVAL_WRONG], n[EVAL_ABSTAINED], n[EVAL_FAILED],
                   precision(group), percent(n[EVAL_RIGHT], asked(group)));
}

static void print_groups(const struct cmd_eval_tally *tally, bool silent, const char *head,
                         struct buf *out)
{
    const struct cmd_eval_group all = sum_of(tally, silent);
    if (asked(&all) == 0)
        return;
    buf_push(out, str_of(head));
    for (size_t i = 0; i < tally->group_count; i++)
        if (tally->groups[i].silent == silent)
            print_group(&tally->groups[i], out);
    print_group(&all, out);
}

void cmd_eval_tally_print(struct cmd_eval_tally *tally, struct buf *out)
{
    print_groups(tally, false,
                 "difficulty               asked  right  wrong  abstained  failed  precision  "
                 "coverage\n",
                 out);
    print_groups(tally, true, "must not be answered     asked  abstained  answered\n", out);
    buf_printf(out, "time to an answer        p50 %.1f ms, p99 %.1f ms\n", percentile(tally, 50),
               percentile(tally, 99));
}

static void write_group(const struct cmd_eval_group *group, struct json_write *json)
{
    json_write_object(json);
    json_write_member_str(json, group->silent ? STR("expect") : STR("difficulty"),
                          str_of(group->name));
    json_write_member_u64(json, STR("asked"), asked(group));
    for (size_t v = 0; v < EVAL_VERDICTS; v++)
        json_write_member_u64(json, str_of(cmd_eval_tally_name((enum cmd_eval_verdict)v)),
                              group->counts[v]);
    if (!group->silent) {
        json_write_member_double(json, STR("precision"), precision(group));
        json_write_member_double(json, STR("coverage"),
                                 percent(group->counts[EVAL_RIGHT], asked(group)));
    }
    json_write_object_end(json);
}

void cmd_eval_tally_write(struct cmd_eval_tally *tally, struct json_write *json)
{
    json_write_object(json);
    json_write_key(json, STR("groups"));
    json_write_array(json);
    for (size_t i = 0; i < tally->group_count; i++)
        write_group(&tally->groups[i], json);
    json_write_array_end(json);
    for (int silent = 0; silent < 2; silent++) {
        const struct cmd_eval_group all = sum_of(tally, silent == 1);
        json_write_key(json, silent == 1 ? STR("must_not_answer") : STR("all"));
        write_group(&all, json);
    }
    json_write_member_double(json, STR("p50_ms"), percentile(tally, 50));
    json_write_member_double(json, STR("p99_ms"), percentile(tally, 99));
    json_write_object_end(json);
}

void cmd_eval_tally_fini(struct cmd_eval_tally *tally)
{
    mem_free(tally->took_us);
    *tally = (struct cmd_eval_tally){0};
}
