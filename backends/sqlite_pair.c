/* SPDX-License-Identifier: MIT */
/* backends/sqlite_pair.c - two threads opened and closed as one; operations are counted.
 *
 * Failure: the second thread does not start: the first is closed before the owner is told. */
#include "backends/sqlite_pair.h"

static void close_thread(struct sqlite_pair *pair, struct sqlite_thread *thread)
{
    closing_enter(&pair->closing);
    sqlite_thread_close(thread, closing_leave_part, &pair->closing);
}

bool sqlite_pair_open(struct sqlite_pair *pair, struct loop *loop,
                      const struct sqlite_thread_options *reads,
                      const struct sqlite_thread_options *writes, closing_fn *const *steps)
{
    closing_init(&pair->closing, loop, steps);
    pair->writes = sqlite_thread_create(loop, writes);
    if (pair->writes != NULL)
        pair->reads = sqlite_thread_create(loop, reads);
    if (pair->reads != NULL)
        return true;
    closing_begin(&pair->closing, NULL, NULL);
    if (pair->writes != NULL)
        close_thread(pair, pair->writes);
    return false;
}

void sqlite_pair_close(struct sqlite_pair *pair, void (*on_closed)(void *owner), void *owner)
{
    closing_begin(&pair->closing, on_closed, owner);
    close_thread(pair, pair->reads);
    close_thread(pair, pair->writes);
}

void sqlite_pair_begin(struct sqlite_pair *pair)
{
    closing_enter(&pair->closing);
}

void sqlite_pair_end(struct sqlite_pair *pair, const struct err *err)
{
    sqlite_pair_note(pair, err);
    closing_leave(&pair->closing);
}

void sqlite_pair_note(struct sqlite_pair *pair, const struct err *err)
{
    if (err->code == ERR_UNAVAILABLE)
        pair->last = *err;
    else if (err->code == ERR_OK)
        pair->last = (struct err){0};
}

enum err_code sqlite_pair_ready(const struct sqlite_pair *pair, struct err *err)
{
    return pair->last.code == ERR_OK ? ERR_OK
                                     : err_set(err, pair->last.code, "%s", pair->last.text);
}
