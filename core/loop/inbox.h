/* SPDX-License-Identifier: MIT */
/* core/loop/inbox.h - messages from other threads, opened on the loop of their receiver.
 *
 * A message is embedded in the struct that it brings; sending gives that struct away. Sending is
 * for any thread while the inbox is open (the sender knows: workers end after they stopped sending
 * to each other, the main inbox ends last); the rest belongs to the receiver's loop. */
#ifndef CORE_LOOP_INBOX_H
#define CORE_LOOP_INBOX_H

#include "core/base/err.h"
#include "core/loop/loop.h"

struct inbox;
struct inbox_message;
typedef void inbox_message_fn(struct inbox_message *message, void *receiver);

struct inbox_message {
    inbox_message_fn *open; /* called on the receiver's loop; the message is the receiver's then */
    /* private */
    struct list link;
};

/* receiver is passed to every message's open. NULL: no memory or no descriptor. Keeps the loop
 * alive. */
struct inbox *inbox_create(struct loop *loop, void *receiver);
/* Send message, which open will open. Any thread. */
void inbox_send(struct inbox *inbox, struct inbox_message *message, inbox_message_fn *open);
/* Open what is left, then refuse: later messages stay unopened until inbox_destroy opens them too.
 * The handle closes on a later turn. */
void inbox_close(struct inbox *inbox);
/* After the loop ran dry and no thread sends any more. NULL is fine. */
void inbox_destroy(struct inbox *inbox);

#endif
