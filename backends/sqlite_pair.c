/* SPDX-License-Identifier: MIT */
/* backends/sqlite_pair.c - two threads opened and closed as one; operations are counted.
 *
 * Failure: the second thread does not start: the first is closed before the owner is told. */
#include "backends/sqlite_pair.h"

bool sqlite_pair_open(struct sqlite_pair *pair, struct loop *loop,
                      const struct sqlite_thread_options *reads,
                      const struct sqlite_thread_options *writes, void (*dropped)(void *owner),
                      void *owner)
{
    pair->loop = loop;
    pair->writes = sqlite_thread_create(loop, writes);
    if (pair->writes == NULL) {
        dropped(owner);
        return false;
    }
    pair->reads = sqlite_thread_create(loop, reads);
    if (pair->reads == NULL) {
        sqlite_thread_close(pair->writes, dropped, owner);
        return false;
    }
    pair->threads = 2;
    return true;
}

static void tell_closed(struct loop_task *task)
{
    struct sqlite_pair *pair = container_of(task, struct sqlite_pair, closed_task);
    pair->on_closed(pair->owner);
}

/* Told a turn after the last operation was finished: its done has been called. */
static void check_closed(struct sqlite_pair *pair)
{
    if (pair->closing && pair->pending == 0 && pair->threads == 0)
        loop_post(pair->loop, &pair->closed_task, tell_closed);
}

static void on_thread_closed(void *owner)
{
    struct sqlite_pair *pair = owner;
    pair->threads--;
    check_closed(pair);
}

void sqlite_pair_close(struct sqlite_pair *pair, void (*on_closed)(void *owner), void *owner)
{
    CHECK(!pair->closing);
    pair->closing = true;
    pair->on_closed = on_closed;
    pair->owner = owner;
    sqlite_thread_close(pair->reads, on_thread_closed, pair);
    sqlite_thread_close(pair->writes, on_thread_closed, pair);
}

void sqlite_pair_begin(struct sqlite_pair *pair)
{
    pair->pending++;
}

void sqlite_pair_end(struct sqlite_pair *pair, const struct err *err)
{
    sqlite_pair_note(pair, err);
    pair->pending--;
    check_closed(pair);
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
