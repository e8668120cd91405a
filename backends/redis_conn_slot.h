/* SPDX-License-Identifier: MIT */
/* backends/redis_conn_slot.h - a place in the order of answers, with the bytes to send; and the
 * queue of them.
 *
 * Outlives its command: an answer nobody wants any more must still be counted. One thread. */
#ifndef BACKENDS_REDIS_CONN_SLOT_H
#define BACKENDS_REDIS_CONN_SLOT_H

#include "backends/redis_conn.h"
#include "core/base/buf.h"
#include "core/base/list.h"

struct redis_conn_slot {
    struct list link;
    struct redis_command *command;     /* NULL: part of a login, or given up */
    const struct redis_script *script; /* sent by its hash so far; NULL: nothing to fall back on */
    struct buf bytes;                  /* kept until answered for a script, else until sent */
    size_t tail_at, arg_count;         /* where a script's own words begin, and how many */
    size_t cost_bytes;                 /* what it counts for in the queue */
    uint64_t heard;                    /* how much had been heard when it was sent */
    bool is_sent;
};

/* The request as the wire has it. NULL: no memory. */
struct redis_conn_slot *redis_conn_slot_create(const struct redis_request *request);
/* NULL is fine. */
void redis_conn_slot_destroy(struct redis_conn_slot *slot);
/* Make it send the script's text instead of its hash. False: no memory. */
MUST_USE bool redis_conn_slot_spell_out(struct redis_conn_slot *slot);

struct redis_conn_queue {
    struct list waiting, sent;               /* slots, in order; link moves from one to the other */
    size_t waiting_count, sent_count, bytes; /* bytes: of both */
};

void redis_conn_queue_init(struct redis_conn_queue *queue);
/* Adopt a slot, which waits then. */
void redis_conn_queue_put(struct redis_conn_queue *queue, struct redis_conn_slot *slot);
/* It waited and is sent: its bytes go, but for a script's. */
void redis_conn_queue_mark_sent(struct redis_conn_queue *queue, struct redis_conn_slot *slot);
/* Out of the queue; the slot is the caller's. */
void redis_conn_queue_take(struct redis_conn_queue *queue, struct redis_conn_slot *slot);
/* The one way a command ends: with err (ERR_OK in it, too). Its slot goes, or stays without it when
 * an answer is still to come. */
void redis_conn_queue_finish(struct redis_conn_queue *queue, struct redis_command *command,
                             const struct err *err);
/* End all commands that were sent, or that wait, and destroy their slots. */
void redis_conn_queue_fail_sent(struct redis_conn_queue *queue, const struct err *err);
void redis_conn_queue_fail_waiting(struct redis_conn_queue *queue, const struct err *err);

#endif
