/* SPDX-License-Identifier: MIT */
/* core/store/store_asks.h - what a store is asked about conversations, one struct per call of
 * core/store/store.h; "->" says what the answer holds. Plain data, kept by the caller until done.
 */
#ifndef CORE_STORE_STORE_ASKS_H
#define CORE_STORE_STORE_ASKS_H

#include "core/store/store_records.h"

/* The last turns, and all notes. -> version (0: there is no such conversation), turns oldest first,
 * notes, total (turns there are). A note whose name begins with STORE_SHARED is also loaded with
 * the caller's other conversations, there with one STORE_SHARED more in front of its name; of such
 * notes only the STORE_SHARED_MOST whose conversations changed last. */
struct store_load {
    struct identity key;
    uint64_t before_turn, turn_limit; /* turns with a smaller number; 0: the newest */
    uint64_t at_version;              /* only turns that came with it or earlier; 0: all */
    uint64_t since_version;           /* not 0: no turns if that is still the version */
};
/* -> checkpoints: the newest full one at or before at_version (0: the last) and all after it up to
 * there, oldest first; version. ERR_NOT_FOUND: no such conversation, version or full one. */
struct store_restore {
    struct identity key;
    uint64_t at_version;
};
/* Add a checkpoint, and the turns and notes (by name: replaced; empty bytes: removed) that come
 * with it, all or nothing. -> version. The conversation begins with expected_version 0.
 * ERR_CONFLICT: its version is another by now (-> version). */
struct store_save {
    struct identity key;
    uint64_t expected_version;
    struct store_checkpoint checkpoint;
    const struct store_turn *turns;
    size_t turn_count;
    const struct store_note *notes;
    size_t note_count;
};
/* Put one note; with an empty conversation_id it is the user's, and load brings it with each of the
 * user's conversations. ERR_NOT_FOUND: there is no such conversation. */
struct store_keep {
    struct identity key;
    struct store_note note;
};
/* -> checkpoints without bytes, newest first, versions below before_version (0: all). */
struct store_checkpoints {
    struct identity key;
    uint64_t before_version, limit;
};
/* -> summaries, last changed first; changed before before_ms (0: all). key: only the caller. */
struct store_list {
    struct identity key;
    uint64_t before_ms, limit;
};
/* -> turns of the caller whose question or answer holds text (ASCII letters of either case), newest
 * first. */
struct store_search {
    struct identity key;
    struct str text;
    uint64_t limit;
};
/* -> notes of conversations, whosever they are, whose names begin with prefix (1 byte at least);
 * those of the conversations that changed last first. For operators: it is asked by no caller. */
struct store_notes {
    struct str prefix;
    uint64_t limit;
};
/* Everything of a conversation goes, its runs and their events too. ERR_NOT_FOUND. With an empty
 * conversation_id: all that is the user's, as much of it as one short call removes: -> total; 0:
 * now all is gone. */
struct store_erase {
    struct identity key;
};
/* Remove at most limit conversations unchanged for age_ms whose runs are also unchanged for age_ms,
 * with all that is theirs; then at most limit runs unchanged for age_ms. -> total removed; 0: done.
 * ERR_BUSY: another instance pruned within the last lock_ms. */
struct store_prune {
    uint64_t age_ms, limit, lock_ms;
    struct str instance;
};

#endif
