/* SPDX-License-Identifier: MIT */
/* server/api/conversations/conversation_labels.h - what a user calls conversations, and which are
 * pinned: notes of the user's, "title/ID" and "pin/ID", with the time they were put and the text.
 *
 * Each is put and removed by itself, never changed, so that what two requests do at the same time,
 * here or at two servers, cannot undo each other. Bounded: CONVERSATION_LABELS_MOST of each kind;
 * the oldest are forgotten. Before, all labels of a user were one note, "labels"; it is read where
 * it is, and carried over at the next change. Lists live in their arena. */
#ifndef SERVER_API_CONVERSATIONS_CONVERSATION_LABELS_H
#define SERVER_API_CONVERSATIONS_CONVERSATION_LABELS_H

#include "core/base/arena.h"
#include "core/store/store.h"

#define CONVERSATION_LABELS_BEFORE "labels" /* the name of the one note */
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
/* Those of the one note that they were before; none: there is no such note. */
struct conversation_labels conversation_labels_before(const struct store_call *loaded,
                                                      struct arena *arena);
/* NULL: it has none. */
const struct conversation_label *conversation_labels_find(const struct conversation_labels *labels,
                                                          struct str id);
/* The note that names the conversation, or pins it; one without bytes removes it. Absent texts: no
 * memory. */
struct store_note conversation_labels_title(struct str id, struct str title, uint64_t now_ms,
                                            struct arena *arena);
struct store_note conversation_labels_pin(struct str id, bool pinned, uint64_t now_ms,
                                          struct arena *arena);
/* Whether note is a label and there are as many newer ones of its kind as there may be. */
bool conversation_labels_is_too_many(const struct store_call *loaded,
                                     const struct store_note *note);

#endif
