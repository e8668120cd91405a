/* SPDX-License-Identifier: MIT */
/* server/inbox.h - letters from other threads, opened on the loop of their receiver.
 *
 * A letter is embedded in what it brings; sending gives that away. Sending is for any thread while
 * the inbox is open (the sender knows: workers end after they stopped sending to each other, the
 * main inbox ends last); the rest belongs to the receiver's loop. */
#ifndef SERVER_INBOX_H
#define SERVER_INBOX_H

#include "core/base/err.h"
#include "core/loop.h"

struct inbox;
struct letter;
typedef void letter_fn(struct letter *letter, void *receiver);

struct letter {
    letter_fn *open; /* on the receiver's loop; from then on it is the receiver's */
    /* private */
    struct list link;
};

/* receiver goes with every letter. NULL: no memory or no descriptor. Keeps the loop alive. */
struct inbox *inbox_create(struct loop *loop, void *receiver);
/* Any thread. */
void inbox_send(struct inbox *inbox, struct letter *letter, letter_fn *open);
/* Open what is left, then refuse: later letters stay unopened until inbox_destroy opens them too.
 * The handle closes on a later turn. */
void inbox_close(struct inbox *inbox);
/* After the loop ran dry and no thread sends any more. NULL is fine. */
void inbox_destroy(struct inbox *inbox);

#endif
