/* SPDX-License-Identifier: MIT */
/* server/records/feedback_note.h - what somebody said of an answer, as a note of its conversation.
 *
 * A note is JSON; its name is FEEDBACK_NOTE_PREFIX and the run's id. Pure. */
#ifndef SERVER_RECORDS_FEEDBACK_NOTE_H
#define SERVER_RECORDS_FEEDBACK_NOTE_H

#include "core/base/arena.h"
#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/identity.h"

#define FEEDBACK_NOTE_PREFIX "feedback:"

enum feedback_state { FEEDBACK_NEW, FEEDBACK_TAKEN, FEEDBACK_REFUSED, FEEDBACK_STATES };

struct feedback_note {
    struct identity key; /* whose, and of which conversation */
    struct str run_id;
    uint64_t at_ms;               /* when the answer was given */
    int64_t score;                /* -1, 0, 1 */
    struct str question, sql;     /* what was asked and what answered it; sql: empty: none did */
    struct str reason, corrected; /* what was said; corrected: the statement that is right; empty:
                                     nothing */
    enum feedback_state state;
};

const char *feedback_note_state(enum feedback_state state); /* "new", "taken", "refused" */
/* The name of the note, in arena; absent: no memory. */
struct str feedback_note_name(struct str run_id, struct arena *arena);
void feedback_note_write(const struct feedback_note *note, struct buf *out);
/* Read what feedback_note_write wrote; views of arena. ERR_PROTOCOL: it is something else. */
MUST_USE enum err_code feedback_note_read(struct str bytes, struct arena *arena,
                                          struct feedback_note *note, struct err *err);

#endif
