/* SPDX-License-Identifier: MIT */
/* backends/store_words.h - an ask of core/store as words in the order of its members, for stores
 * whose verbs are functions on a server.
 *
 * Numbers and truths are digits. The rows and limits of an ask are as store_rows has them. A save
 * is its key, expected version, token, the checkpoint's run, step, fullness and bytes, the title of
 * a conversation that begins with it, how many turns and notes, then their parts (five a turn, two
 * a note). Any thread. */
#ifndef BACKENDS_STORE_WORDS_H
#define BACKENDS_STORE_WORDS_H

#include "core/store.h"

enum { STORE_WORDS_SAVE_HEAD = 12, STORE_WORDS_PER_TURN = 5, STORE_WORDS_PER_NOTE = 2 };
enum { STORE_WORDS_FORGET = 2 }; /* how a run is asked to cancel: 0 not, 1 so, or this */

struct store_words {
    struct arena *arena; /* of the array and the numbers; texts are the ask's own */
    struct str *at;
    size_t count, room;
};

/* Add one word (absent: empty). No memory: the arena is exhausted. */
void store_words_push(struct store_words *words, struct str word);
/* Add the words of the call's ask. token: marks a save, should it be sent twice. False: no
 * memory. */
MUST_USE bool store_words_ask(struct store_words *words, const struct store_call *call,
                              struct str token);

#endif
