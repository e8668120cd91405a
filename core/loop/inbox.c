/* SPDX-License-Identifier: MIT */
/* core/loop/inbox.c - a list under a lock and a uv_async to wake the loop.
 *
 * Happy path: send links the message and wakes the loop, which takes the whole list and opens it
 * outside the lock.
 * Failure: none after creation; the lock is held for a few instructions only. */
#include "core/loop/inbox.h"

#include <uv.h>

#include "core/base/mem.h"

struct inbox {
    uv_async_t async;
    uv_mutex_t lock;
    struct list messages;
    void *receiver;
    bool closed; /* under the lock */
};

static void open_all(struct inbox *inbox)
{
    struct list taken, *link;
    list_init(&taken);
    uv_mutex_lock(&inbox->lock);
    list_append(&taken, &inbox->messages);
    uv_mutex_unlock(&inbox->lock);
    while ((link = list_take_first(&taken)) != NULL) {
        struct inbox_message *message = list_item(link, struct inbox_message, link);
        message->open(message, inbox->receiver);
    }
}

static void on_wake(uv_async_t *async)
{
    open_all(async->data);
}

struct inbox *inbox_create(struct loop *loop, void *receiver)
{
    struct inbox *inbox = mem_zalloc(1, sizeof *inbox);
    if (inbox == NULL)
        return NULL;
    inbox->receiver = receiver;
    list_init(&inbox->messages);
    if (uv_mutex_init(&inbox->lock) != 0) {
        mem_free(inbox);
        return NULL;
    }
    if (uv_async_init(loop_uv(loop), &inbox->async, on_wake) != 0) {
        uv_mutex_destroy(&inbox->lock);
        mem_free(inbox);
        return NULL;
    }
    inbox->async.data = inbox;
    return inbox;
}

void inbox_send(struct inbox *inbox, struct inbox_message *message, inbox_message_fn *open)
{
    message->open = open;
    uv_mutex_lock(&inbox->lock);
    list_push(&inbox->messages, &message->link);
    if (!inbox->closed)
        uv_async_send(&inbox->async);
    uv_mutex_unlock(&inbox->lock);
}

void inbox_close(struct inbox *inbox)
{
    uv_mutex_lock(&inbox->lock);
    bool was_closed = inbox->closed;
    inbox->closed = true;
    uv_mutex_unlock(&inbox->lock);
    if (was_closed)
        return;
    open_all(inbox);
    uv_close((uv_handle_t *)&inbox->async, NULL);
}

void inbox_destroy(struct inbox *inbox)
{
    if (inbox == NULL)
        return;
    CHECK(inbox->closed);
    open_all(inbox);
    uv_mutex_destroy(&inbox->lock);
    mem_free(inbox);
}
