/* SPDX-License-Identifier: MIT */
/* server/api/conversations/conversation_labels.h - what a user calls conversations, and which are
 * pinned: a note of the user's, [{"id":...,"title":...,"pinned":true}], the one that was changed
 * last first.
 *
 * Bounded: CONVERSATION_LABELS_MOST; the oldest are forgotten. Lists live in their arena. */
#ifndef SERVER_API_CONVERSATIONS_CONVERSATION_LABELS_H
#define SERVER_API_CONVERSATIONS_CONVERSATION_LABELS_H

#include "core/base/arena.h"
#include "core/base/buf.h"
#include "core/store/store.h"

#define CONVERSATION_LABELS_NOTE "labels"
enum { CONVERSATION_LABELS_MOST = 200, CONVERSATION_LABELS_TITLE = 200 };

struct conversation_label {
    struct str id, title; /* title: "": as its first question begins */
    bool pinned;
};

struct conversation_labels {
    struct conversation_label *at;
    size_t count;
};

/* The labels among the notes of a loaded conversation; none where a note cannot be read. */
struct conversation_labels conversation_labels_of(const struct store_call *loaded,
                                                  struct arena *arena);
/* NULL: it has none. */
const struct conversation_label *conversation_labels_find(const struct conversation_labels *labels,
                                                          struct str id);
/* The note with label in the place of that of its id; a label that says nothing is left out. */
void conversation_labels_write(const struct conversation_labels *labels,
                               const struct conversation_label *label, struct buf *out);

#endif
