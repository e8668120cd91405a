/* SPDX-License-Identifier: MIT */
/* backends/sqlite_pair: the close waits for the last operation's done; the file's state is what it
 * said last; whatever allocation fails, the owner is freed once, when nothing is left. */
#include "backends/sqlite/sqlite_pair.h"

#include "tests/unit/backends/rig.h"
#include "tests/unit/backends/sqlite_file.h"

struct piece {
    struct rig rig;
    struct sqlite_file file;
    struct sqlite_pair pair;
    unsigned freed;
};

static void note_freed(struct closing *closing)
{
    struct piece *f = container_of(closing, struct piece, pair.closing);
    EXPECT_INT("freed before it is told", f->rig.closed_calls, 0);
    f->freed++;
}

static bool piece_open(struct piece *f)
{
    static closing_fn *const steps[] = {note_freed, NULL};
    const struct sqlite_thread_options options = {.path = f->file.path};
    return sqlite_pair_open(&f->pair, f->rig.loop, &options, &options, steps);
}

static void piece_begin(struct piece *f)
{
    *f = (struct piece){0};
    rig_begin(&f->rig);
    sqlite_file_name(&f->file);
}

static void piece_end(struct piece *f)
{
    rig_end(&f->rig);
    sqlite_file_remove(&f->file);
}

TEST(closes_after_the_last_operation)
{
    static const struct err fine = {0};
    struct piece f;
    piece_begin(&f);
    assert_true(piece_open(&f));
    sqlite_pair_begin(&f.pair);
    sqlite_pair_begin(&f.pair);
    sqlite_pair_close(&f.pair, rig_on_closed, &f.rig);
    EXPECT_TRUE("nothing is begun any more", closing_is_begun(&f.pair.closing));
    sqlite_pair_end(&f.pair, &fine);
    for (unsigned turn = 0; turn < RIG_TURNS && f.pair.closing.out > 1; turn++)
        loop_run(f.rig.loop);
    EXPECT_INT("the threads are gone", f.pair.closing.out, 1);
    EXPECT_INT("one operation is left", f.rig.closed_calls, 0);
    sqlite_pair_end(&f.pair, &fine);
    EXPECT_INT("not within the call", f.rig.closed_calls, 0);
    piece_end(&f);
    EXPECT_INT("closed", f.rig.closed_calls, 1);
}

TEST(says_what_the_file_said_last)
{
    static const struct {
        const char *name;
        struct err ended;
        enum err_code state;
    } table[] = {
        {"fine", {ERR_OK, ""}, ERR_OK},
        {"gone", {ERR_UNAVAILABLE, "no such file"}, ERR_UNAVAILABLE},
        {"a bad request says nothing of the file", {ERR_INVALID, "no"}, ERR_UNAVAILABLE},
        {"back", {ERR_OK, ""}, ERR_OK},
        {"cancelled", {ERR_CANCELLED, "left"}, ERR_OK},
    };
    struct piece f;
    piece_begin(&f);
    assert_true(piece_open(&f));
    for (size_t i = 0; i < countof(table); i++) {
        struct err err = {0};
        sqlite_pair_begin(&f.pair);
        sqlite_pair_end(&f.pair, &table[i].ended);
        EXPECT_INT(table[i].name, sqlite_pair_ready(&f.pair, &err), table[i].state);
        EXPECT_TRUE(table[i].name, table[i].state == ERR_OK || err.text[0] != '\0');
    }
    sqlite_pair_close(&f.pair, rig_on_closed, &f.rig);
    piece_end(&f);
}

TEST(every_allocation_may_fail)
{
    bool opened = false;
    for (uint64_t n = 1; !opened; n++) {
        struct piece f;
        piece_begin(&f);
        mem_fail_nth(n);
        opened = piece_open(&f);
        mem_fail_nth(0);
        if (opened)
            sqlite_pair_close(&f.pair, rig_on_closed, &f.rig);
        for (unsigned turn = 0; turn < RIG_TURNS && f.freed == 0; turn++)
            loop_run(f.rig.loop);
        EXPECT_INT("freed once", f.freed, 1);
        EXPECT_INT("told of its close", f.rig.closed_calls, opened);
        EXPECT_TRUE("both threads take memory", !opened || n > 2);
        piece_end(&f);
    }
}

RUN_TESTS(T(closes_after_the_last_operation), T(says_what_the_file_said_last),
          T(every_allocation_may_fail))
