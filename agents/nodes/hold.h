/* SPDX-License-Identifier: MIT */
/* agents/nodes/hold.h - holds a model's answer against the rows that it was made from: every number
 * of it occurs in them, follows from them, or was asked about. */
#ifndef AGENTS_NODES_HOLD_H
#define AGENTS_NODES_HOLD_H

#include "agents/services/services.h"
#include "core/run/slot.h"

struct hold_config {
    struct slot_ref question_slot, sql_slot; /* what they name may be said again */
    struct slot_ref shown_slot;              /* what the prompt showed of the rows (run_sql.h) */
    struct slot_ref columns_slot;
    struct slot_ref warnings_slot;
};

/* Whether the answer holds; also when nothing ran, or the rows cannot be read. False: *wrong tells
 * the model which numbers do not, in the arena of the node. */
bool hold_check(struct node *node, const struct hold_config *config, struct str answer,
                struct str *wrong);
/* An answer made from the rows alone, in the arena of the node; absent: no memory. */
struct str hold_plain(struct node *node, const struct hold_config *config);

#endif
