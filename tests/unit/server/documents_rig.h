/* SPDX-License-Identifier: MIT */
/* tests/unit/server/documents_rig.h - what documents are added with: stores that are fakes, a file
 * for the ledger, and a script that stands for the child that reads a PDF: it says what it reads.
 *
 * The loop is on the clock of the machine: a fake one would pass a deadline while a child begins.
 */
#ifndef TESTS_UNIT_SERVER_DOCUMENTS_RIG_H
#define TESTS_UNIT_SERVER_DOCUMENTS_RIG_H

#include "tests/lib/loop_rig.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "agents/services/services.h"
#include "tests/lib/fake_embed.h"
#include "tests/lib/fake_text.h"
#include "tests/lib/fake_vec.h"
#include "tests/unit/backends/sqlite_file.h"

struct documents_rig {
    struct loop *loop;
    struct sqlite_file ledger;
    struct fake_embed embed;
    struct fake_vec vec;
    struct fake_text text;
    struct services has;
};

/* The path of the script, which is made. */
static inline const char *documents_rig_program(void)
{
    static const char path[] = "./documents_stand_in.sh", script[] = "#!/bin/sh\nexec /bin/cat\n";
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
    signal(SIGPIPE, SIG_IGN); /* as a program with children does: one may end unread */
    assert_true(fd >= 0 && write(fd, script, sizeof script - 1) == (ssize_t)sizeof script - 1);
    assert_int_equal(close(fd), 0);
    return path;
}

static inline void documents_rig_init(struct documents_rig *rig)
{
    rig->loop = loop_create();
    assert_non_null(rig->loop);
    sqlite_file_name(&rig->ledger);
    fake_embed_init(&rig->embed, rig->loop);
    fake_vec_init(&rig->vec, rig->loop);
    fake_text_init(&rig->text, rig->loop);
    rig->has = (struct services){.loop = rig->loop,
                                 .embed = &rig->embed.embed,
                                 .vec = &rig->vec.vec,
                                 .text = &rig->text.text};
}

/* After the loop was destroyed. */
static inline void documents_rig_fini(struct documents_rig *rig)
{
    fake_vec_fini(&rig->vec);
    fake_text_fini(&rig->text);
    sqlite_file_remove(&rig->ledger);
}

#endif
