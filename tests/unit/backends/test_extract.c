/* SPDX-License-Identifier: MIT */
/* A child that reads a file: its text, its refusal, its death, its silence, too much of it; and
 * cancelled at every turn. A script stands for askd. */
#include "tests/lib/loop_rig.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/extract/extract.h"

static const char script[] = "#!/bin/sh\n"
                             "case $2 in\n"
                             "echo) exec /bin/cat ;;\n"
                             "refuse) echo 'it is none'; exit 1 ;;\n"
                             "die) kill -9 $$ ;;\n"
                             "stall) /bin/sleep 100 ;;\n"
                             "flood) exec /usr/bin/yes ;;\n"
                             "esac\n";
static const char program[] = "./extract_stand_in.sh";

static void make_program(void)
{
    int fd = open(program, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
    assert_true(fd >= 0 && write(fd, script, sizeof script - 1) == (ssize_t)sizeof script - 1);
    assert_int_equal(close(fd), 0);
}

/* On the clock of the machine: a fake one would pass a deadline while the child begins. */
static void begin(struct loop_rig *rig)
{
    *rig = (struct loop_rig){.loop = loop_create()};
    assert_non_null(rig->loop);
    list_init(&rig->group);
}

static void start(struct loop_rig *rig, struct extract *extract,
                  const struct extract_options *asked)
{
    *extract = (struct extract){.child = NULL};
    extract_start(extract, rig->loop, asked, loop_rig_waiter(rig));
}

static const struct {
    const char *name, *program, *format;
    uint64_t timeout_ms;
    enum err_code code;
    const char *text;
} cases[] = {
    {"text", program, "echo", 0, ERR_OK, "bytes of a file"},
    {"a refusal", program, "refuse", 0, ERR_INVALID, "it is none"},
    {"ended by a signal", program, "die", 0, ERR_TOO_LARGE, "more time or memory"},
    {"silent", program, "stall", 50, ERR_TIMEOUT, "too long"},
    {"a flood", program, "flood", 0, ERR_TOO_LARGE, "more text"},
    {"no such program", "./not_there", "echo", 0, ERR_UNAVAILABLE, "cannot be started"},
};

TEST(how_a_child_ends)
{
    struct extract extract;
    signal(SIGPIPE, SIG_IGN); /* as a program with children does: one may end unread */
    make_program();
    TEST_EACH(c, cases) {
        struct loop_rig rig;
        const struct extract_options asked = {c->program, c->format, STR("bytes of a file"),
                                              c->timeout_ms};
        begin(&rig);
        start(&rig, &extract, &asked);
        loop_rig_dry(&rig);
        EXPECT_INT(c->name, extract.op.err.code, c->code);
        struct str said = c->code == ERR_OK ? buf_str(&extract.text) : str_of(extract.op.err.text);
        EXPECT_TRUE(c->name, str_find(said, str_of(c->text)) >= 0);
        loop_rig_fini(&rig);
    }
}

TEST(cancelled_at_every_turn)
{
    struct extract extract;
    const struct extract_options asked = {program, "echo", STR("x"), 0};
    make_program();
    for (unsigned turns = 0; turns < 12; turns++) {
        struct loop_rig rig;
        begin(&rig);
        start(&rig, &extract, &asked);
        (void)!loop_run_dry(rig.loop, turns);
        op_cancel(&extract.op);
        op_cancel(&extract.op);
        loop_rig_dry(&rig);
        EXPECT_INT("once", rig.done_count, 1);
        EXPECT_TRUE("whole or cancelled",
                    extract.op.err.code == ERR_CANCELLED || extract.op.err.code == ERR_OK);
        loop_rig_fini(&rig);
    }
}

RUN_TESTS(T(how_a_child_ends), T(cancelled_at_every_turn))
