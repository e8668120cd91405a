/* SPDX-License-Identifier: MIT */
/* agents/gather/gather.h - the node that gathers what a model needs to write a statement for a
 * question: similar questions with their SQL, what is known of the business, the tables that the
 * question is about, how their values are spelled, and the earlier messages. */
#ifndef AGENTS_GATHER_GATHER_H
#define AGENTS_GATHER_GATHER_H

#include "agents/services/services.h"
#include "core/run/slot.h"

struct gather_config {
    struct slot_ref question_slot; /* in */
    /* Each of these may be none. */
    struct slot_ref messages_slot; /* out: the conversation, as remember_load puts it */
    struct slot_ref pairs_slot;    /* out: JSON array of {"question","sql"} */
    struct slot_ref metadata_slot; /* out: JSON array of {"table","column"?,"term"?,"says"} */
    struct slot_ref schema_slot;   /* out: Markdown: tables with columns */
    struct slot_ref values_slot;   /* out: text: how the tables' values are spelled */
    struct slot_ref examples_slot; /* out: verified questions like this one; absent: none */
    struct slot_ref warning_slot;  /* out: why it was looked up by words alone; absent otherwise */
};

extern const struct graph_node_type gather_node; /* config: struct gather_config */

#endif
