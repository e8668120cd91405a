/* SPDX-License-Identifier: MIT */
/* tests/unit/backends/pool_rig.h - a conn_pool over a kind of our own, which answers when told to
 * or by itself a turn later.
 *
 *   pool_rig_begin(&f, (struct conn_pool_options){.size = 2});
 *   f.by_itself = true;             opens and checks succeed a turn later...
 *   f.fail_opens = 1;               ...but for the next one */
#ifndef TESTS_UNIT_BACKENDS_POOL_RIG_H
#define TESTS_UNIT_BACKENDS_POOL_RIG_H

#include <stdio.h>

#include "backends/pool/conn_pool.h"
#include "tests/lib/loop_rig.h"

struct pool_rig;

enum { POOL_RIG_CONNS = 64 };

struct rig_conn {
    struct pool_conn pooled;
    struct pool_rig *rig;
    struct loop_task opened_task, checked_task, closed_task;
    unsigned number;
};

struct pool_rig {
    struct loop_rig loop;
    struct conn_pool *pool;
    struct rig_conn *conns[POOL_RIG_CONNS]; /* in order of opening; NULL: closed */
    unsigned opens, checks, closes, gone, closed_calls;
    unsigned fail_opens, fail_checks; /* the next so many go wrong */
    bool by_itself;                   /* answers come without being told */
    bool gone_from_inside;
};

static inline void pool_rig_lose(struct rig_conn *conn, enum err_code code, const char *why)
{
    struct err err;
    err_set(&err, code, "%s", why);
    conn_pool_lost(&conn->pooled, &err);
}

static inline void pool_rig_answer_open(struct loop_task *task)
{
    struct rig_conn *conn = container_of(task, struct rig_conn, opened_task);
    if (conn->rig->fail_opens == 0) {
        conn_pool_opened(&conn->pooled);
        return;
    }
    conn->rig->fail_opens--;
    pool_rig_lose(conn, ERR_UNAVAILABLE, "refused");
}

static inline void pool_rig_answer_check(struct loop_task *task)
{
    struct rig_conn *conn = container_of(task, struct rig_conn, checked_task);
    if (conn->rig->fail_checks == 0) {
        conn_pool_checked(&conn->pooled);
        return;
    }
    conn->rig->fail_checks--;
    pool_rig_lose(conn, ERR_UNAVAILABLE, "no pulse");
}

static inline struct pool_conn *pool_rig_open(void *owner)
{
    struct pool_rig *f = owner;
    struct rig_conn *conn = mem_zalloc(1, sizeof *conn);
    if (conn == NULL)
        return NULL;
    assert_true(f->opens < POOL_RIG_CONNS);
    conn->rig = f;
    conn->number = f->opens++;
    f->conns[conn->number] = conn;
    if (f->by_itself)
        loop_post(f->loop.loop, &conn->opened_task, pool_rig_answer_open);
    return &conn->pooled;
}

static inline void pool_rig_check(struct pool_conn *pooled)
{
    struct rig_conn *conn = container_of(pooled, struct rig_conn, pooled);
    conn->rig->checks++;
    if (conn->rig->by_itself)
        loop_post(conn->rig->loop.loop, &conn->checked_task, pool_rig_answer_check);
}

static inline void pool_rig_free(struct loop_task *task)
{
    struct rig_conn *conn = container_of(task, struct rig_conn, closed_task);
    struct conn_pool *pool = conn->pooled.pool;
    conn->rig->gone++;
    mem_free(conn);
    conn_pool_gone(pool);
}

static inline void pool_rig_close(struct pool_conn *pooled)
{
    struct rig_conn *conn = container_of(pooled, struct rig_conn, pooled);
    struct pool_rig *f = conn->rig;
    f->closes++;
    f->conns[conn->number] = NULL;
    loop_unpost(&conn->opened_task);
    loop_unpost(&conn->checked_task);
    if (f->gone_from_inside)
        pool_rig_free(&conn->closed_task);
    else
        loop_post(f->loop.loop, &conn->closed_task, pool_rig_free);
}

static const struct conn_kind pool_rig_kind = {
    .name = "fake", .open = pool_rig_open, .check = pool_rig_check, .close = pool_rig_close};

static inline void pool_rig_begin(struct pool_rig *f, struct conn_pool_options options)
{
    *f = (struct pool_rig){0};
    loop_rig_init(&f->loop);
    f->pool = conn_pool_create(f->loop.loop, &pool_rig_kind, f, &options);
    assert_non_null(f->pool);
}

static inline void pool_rig_on_closed(void *owner)
{
    struct pool_rig *f = owner;
    f->closed_calls++;
}

/* Leases must have been ended by then. */
static inline void pool_rig_end(struct pool_rig *f)
{
    if (f->closed_calls == 0) {
        conn_pool_close(f->pool, pool_rig_on_closed, f);
        EXPECT_INT("closed inside close", f->closed_calls, 0);
    }
    loop_rig_fini(&f->loop);
    EXPECT_INT("closed", f->closed_calls, 1);
    EXPECT_INT("connections closed once each", f->closes, f->opens);
    EXPECT_INT("all gone", f->gone, f->opens);
}

static inline void pool_rig_lease(struct pool_rig *f, struct conn_lease *lease, uint64_t wait_ms)
{
    unsigned before = f->loop.done_count;
    conn_lease_start(lease, f->pool, wait_ms, loop_rig_waiter(&f->loop));
    EXPECT_INT("done inside start", f->loop.done_count, before);
}

/* "opening idle leased waiting" */
static inline void pool_rig_expect(const char *name, struct pool_rig *f, const char *want)
{
    struct conn_pool_counts counts = conn_pool_count(f->pool);
    char got[80];
    snprintf(got, sizeof got, "%zu %zu %zu %zu", counts.opening, counts.idle, counts.leased,
             counts.waiting);
    EXPECT_STR(name, str_of(got), str_of(want));
}

#endif
