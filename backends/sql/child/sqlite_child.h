/* SPDX-License-Identifier: MIT */
/* backends/sql/child/sqlite_child.h - a child process of askd that runs statements on SQLite, as a
 * connection of conn_pool.
 *
 * The child is the same program, started as `askd sqlite-worker PATH`, with one socket to its
 * parent and nothing else of it: no other descriptors, no environment. A child can be killed at any
 * time, which a thread cannot; that is what it is for. One loop, one thread. */
#ifndef BACKENDS_SQL_CHILD_SQLITE_CHILD_H
#define BACKENDS_SQL_CHILD_SQLITE_CHILD_H

#include "backends/pool/conn_pool.h"
#include "backends/sql/child/sql_wire.h"

struct sqlite_child;
struct sqlite_child_user;

/* What a user is told between sqlite_child_begin and the end of its lease. bytes: the buffer of the
 * reply, whose body is a view of it; the user takes it by moving the struct and leaves an empty
 * one. After on_lost nothing more comes. */
struct sqlite_child_user {
    void (*on_reply)(struct sqlite_child_user *user, struct buf *bytes, struct str body);
    void (*on_lost)(struct sqlite_child_user *user, const struct err *err);
};

struct sqlite_child_site { /* the owner of the pool; borrowed until it is closed */
    struct loop *loop;
    const char *program, *path;
    uint64_t memory_bytes; /* of its address space; 0: any */
};

extern const struct conn_kind sqlite_child_kind;

static inline struct sqlite_child *sqlite_child_of(struct pool_conn *conn)
{
    return (struct sqlite_child *)(void *)conn;
}

/* Send the statement of a leased child; its reply has at most most bytes. The frame is sent as it
 * is and adopted: frame is left empty. False: no memory, nothing was sent. */
MUST_USE bool sqlite_child_begin(struct sqlite_child *child, struct sqlite_child_user *user,
                                 struct buf *frame, size_t most);
/* Ask it to interrupt the statement; the reply comes all the same. */
void sqlite_child_interrupt(struct sqlite_child *child);
/* The user is no longer interested. Whether the child waits for a statement: else it must not be
 * given back as usable. */
bool sqlite_child_end(struct sqlite_child *child);

#endif
