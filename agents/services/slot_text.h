/* SPDX-License-Identifier: MIT */
/* agents/services/slot_text.h - the value of a slot as JSON and as plain text. */
#ifndef AGENTS_SERVICES_SLOT_TEXT_H
#define AGENTS_SERVICES_SLOT_TEXT_H

#include "core/base/arena.h"
#include "core/run/state.h"
#include "proto/json_write.h"

/* Write the slot's value, which is there; JSON as it is, items of a list as texts. */
void slot_text_write(const struct state *state, unsigned slot, struct json_write *writer);
/* The slot's value: a text as it is, everything else as JSON; empty: it is absent. In arena where
 * it is not the state's own; absent: no memory. */
struct str slot_text(const struct state *state, unsigned slot, struct arena *arena);

#endif
