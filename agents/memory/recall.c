/* SPDX-License-Identifier: MIT */
/* agents/memory/recall.c - notes are found by their names.
 *
 * Failure: no memory: what the note said is not remembered. */
#include "agents/memory/recall.h"

#include "agents/memory/elsewhere.h"

/* Lines of the user's other conversations, in the order they came. */
static void take_elsewhere(struct history *history, const struct history_key *key,
                           const struct store_note *notes, size_t count)
{
    struct buf lines;
    buf_init(&lines, 2 * ELSEWHERE_BYTES);
    for (size_t i = 0; i < count; i++)
        if (str_equal(notes[i].name, STR(STORE_SHARED RECALL_MENTIONED)))
            buf_push(&lines, notes[i].bytes);
    history_set_note(history, key, HISTORY_ELSEWHERE, buf_ok(&lines) ? buf_str(&lines) : STR(""));
    buf_fini(&lines);
}

void recall_take(struct history *history, const struct history_key *key,
                 const struct store_note *notes, size_t count, bool is_new)
{
    for (size_t i = 0; i < count; i++) {
        if (str_equal(notes[i].name, STR(RECALL_SUMMARY)))
            history_set_note(history, key, HISTORY_SUMMARY, notes[i].bytes);
        else if (is_new && str_equal(notes[i].name, STR(RECALL_MENTIONED)))
            history_set_note(history, key, HISTORY_MENTIONED, notes[i].bytes);
    }
    take_elsewhere(history, key, notes, count);
}

size_t recall_give(const struct history *history, const struct history_key *key,
                   struct store_note notes[RECALL_NOTES])
{
    struct str mentioned = history_note(history, key, HISTORY_MENTIONED);
    notes[0] = (struct store_note){STR(RECALL_MENTIONED), mentioned};
    return mentioned.len > 0;
}

void recall_mentions(const struct history *history, const struct history_key *key,
                     struct mentions *mentions)
{
    *mentions = (struct mentions){0};
    mentions_read(mentions, history_note(history, key, HISTORY_MENTIONED));
    mentions_read(mentions, history_note(history, key, HISTORY_ELSEWHERE));
}
