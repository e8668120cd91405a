/* SPDX-License-Identifier: MIT */
/* core/base/identity.h - the user who asks, and in which conversation.
 *
 * An identity is four views; whoever holds it says how long they live. An absent name and an empty
 * one are the same but for identity_passes. What an empty name means differs from question to
 * question, so each question is a function of its own: identity_equal and identity_is_same_user
 * take "" for a name like any other, which belongs to those who have none; identity_is_of,
 * identity_fits and identity_passes say which empty names stand for anybody. Any thread; no
 * allocation but in the arena. */
#ifndef CORE_BASE_IDENTITY_H
#define CORE_BASE_IDENTITY_H

#include "core/base/arena.h"

struct identity {
    struct str conversation_id, company_id, user_id;
    struct str role; /* what the user may read, by the policies; who it is does not depend on it */
};

/* Whether a and b are the same conversation of the same user. */
bool identity_equal(const struct identity *a, const struct identity *b);
/* Whether a and b are the same user of the same company, in whatever conversation. */
bool identity_is_same_user(const struct identity *a, const struct identity *b);
/* Whether what belongs to owner is caller's: the user is the same one, and so is the conversation,
 * where caller names one. */
bool identity_is_of(const struct identity *owner, const struct identity *caller);
/* Whether owner is what wanted names; an empty name of wanted stands for anything. For stores,
 * whose caller may ask for everybody's records. */
bool identity_fits(const struct identity *owner, const struct identity *wanted);
/* Whether owner passes a filter that a client wrote: an absent name stands for anything, but an
 * empty one was written by the client and fits only owners who have no such name. */
bool identity_passes(const struct identity *owner, const struct identity *filter);

/* identity_in: the same user in another conversation; identity_user: in none, its conversation_id
 * is "". Both hold views of identity. */
struct identity identity_in(const struct identity *identity, struct str conversation_id);
struct identity identity_user(const struct identity *identity);
/* A text for the conversation of the user that no other conversation of any user has, in room.
 * Names that leave no room, which those of at most IDENTITY_BYTES each never do, are cut. */
enum { IDENTITY_BYTES = 128, IDENTITY_NAME_BYTES = 512 };
struct str identity_name(const struct identity *identity, char room[IDENTITY_NAME_BYTES]);
/* Copies of the names; the absent string for one that is absent, or when arena is spent. */
struct identity identity_copy(struct arena *arena, const struct identity *identity);
/* Copies of the names in room, which has identity_bytes(identity) bytes. */
size_t identity_bytes(const struct identity *identity);
struct identity identity_copy_to(char *room, const struct identity *identity);

#endif
