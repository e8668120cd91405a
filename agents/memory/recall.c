/* SPDX-License-Identifier: MIT */
/* agents/memory/recall.c - finds notes by their names.
 *
 * Failure: without memory the content of a note is not remembered. */
#include "agents/memory/recall.h"

#include "agents/memory/elsewhere.h"
#include "agents/memory/tiers.h"

/* Lines of the user's other conversations, in the order they came. */
static void take_elsewhere(struct history *history, const struct identity *key,
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

void recall_take(struct history *history, const struct identity *key,
                 const struct store_note *notes, size_t count, bool is_new)
{
    for (size_t i = 0; i < count; i++) {
        if (str_equal(notes[i].name, STR(RECALL_SUMMARY)))
            history_set_note(history, key, HISTORY_SUMMARY, notes[i].bytes);
        else if (is_new && str_equal(notes[i].name, STR(RECALL_MENTIONED)))
            history_set_note(history, key, HISTORY_MENTIONED, notes[i].bytes);
        else if (is_new && str_equal(notes[i].name, STR(RECALL_STATEMENT)))
            history_set_note(history, key, HISTORY_STATEMENT, notes[i].bytes);
    }
    take_elsewhere(history, key, notes, count);
}

size_t recall_give(const struct history *history, const struct identity *key,
                   struct store_note notes[RECALL_NOTES])
{
    const struct store_note all[RECALL_NOTES] = {
        {STR(RECALL_MENTIONED), history_note(history, key, HISTORY_MENTIONED)},
        {STR(RECALL_STATEMENT), history_note(history, key, HISTORY_STATEMENT)},
    };
    size_t count = 0;
    for (size_t i = 0; i < RECALL_NOTES; i++)
        if (all[i].bytes.len > 0)
            notes[count++] = all[i];
    return count;
}

void recall_mentions(const struct history *history, const struct identity *key, bool elsewhere,
                     struct mentions *mentions)
{
    *mentions = (struct mentions){0};
    mentions_read(mentions, history_note(history, key, HISTORY_MENTIONED));
    if (elsewhere)
        mentions_read(mentions, history_note(history, key, HISTORY_ELSEWHERE));
}

/* ---- forks ---- */

static bool speaks_of(const struct store_turn *turn, struct str value)
{
    return str_find(turn->question, value) != STR_NONE ||
           str_find(turn->answer, value) != STR_NONE || str_find(turn->details, value) != STR_NONE;
}

static struct str cut_mentions(const struct store_call *loaded, struct str note,
                               struct arena *arena)
{
    struct mentions all = {0}, kept = {0};
    struct buf out;
    mentions_read(&all, note);
    for (size_t i = 0; i < all.count; i++) {
        bool is_kept = false;
        for (size_t n = 0; n < loaded->turn_count; n++)
            is_kept |= speaks_of(&loaded->turns[n], all.at[i].value);
        if (is_kept)
            kept.at[kept.count++] = all.at[i];
    }
    buf_init(&out, 2 * MENTIONS_BYTES);
    mentions_write(&kept, &out);
    struct str cut = buf_ok(&out) ? arena_str(arena, buf_str(&out)) : STR("");
    buf_fini(&out);
    return cut;
}

static struct str cut_summary(const struct store_call *loaded, struct str note, struct arena *arena)
{
    struct tiers tiers;
    struct buf out;
    if (!tiers_read(&tiers, note, arena))
        return STR("");
    tiers_cut(&tiers, loaded->turn_count);
    buf_init(&out, note.len + 64);
    tiers_write(&tiers, &out);
    struct str cut = buf_ok(&out) ? arena_str(arena, buf_str(&out)) : STR("");
    buf_fini(&out);
    return cut;
}

const struct store_note *recall_fork(const struct store_call *loaded, bool is_whole,
                                     struct arena *arena, size_t *count)
{
    struct store_note *kept = arena_array(arena, loaded->note_count + 1, sizeof *kept);
    *count = 0;
    for (size_t i = 0; kept != NULL && i < loaded->note_count; i++) {
        struct store_note note = loaded->notes[i];
        if (str_starts_with(note.name, STR(STORE_SHARED STORE_SHARED)))
            continue; /* another conversation's */
        if (!is_whole && str_equal(note.name, STR(RECALL_MENTIONED)))
            note.bytes = cut_mentions(loaded, note.bytes, arena);
        if (!is_whole && str_equal(note.name, STR(RECALL_STATEMENT)))
            continue;
        if (!is_whole && str_equal(note.name, STR(RECALL_SUMMARY)))
            note.bytes = cut_summary(loaded, note.bytes, arena);
        if (note.bytes.len > 0)
            kept[(*count)++] = note;
    }
    return kept;
}
