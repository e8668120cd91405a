/* SPDX-License-Identifier: MIT */
/* server/conversations_internal.h - what conversations.c (opening) and conversations_saving.c
 * share. */
#ifndef SERVER_CONVERSATIONS_INTERNAL_H
#define SERVER_CONVERSATIONS_INTERNAL_H

#include "core/timer.h"
#include "server/conversations.h"

struct conversations {
    struct conversations_options options;
    struct list savings, settlings;
    struct list late; /* of the savings: failed, or behind one of their conversation that did */
    size_t late_count, late_bytes;
    struct timer retry_timer;
    unsigned failures; /* one after the other */
    bool is_abandoned;
    size_t opening_count;
    struct loop_task idle_task;
};

/* Finish the settlings whose conversation is settled by now. */
void conversations_tell_settled(struct conversations *conversations);
/* Whether something of the conversation is being saved, for the first time or late. */
bool conversations_saving_has(const struct conversations *conversations, struct str conversation_id,
                              bool is_late);

#endif
