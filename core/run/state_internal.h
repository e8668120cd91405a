/* SPDX-License-Identifier: MIT */
/* core/run/state_internal.h - how values lie in a state; for state.c, update.c and snapshot.c of
 * core/run. */
#ifndef CORE_RUN_STATE_INTERNAL_H
#define CORE_RUN_STATE_INTERNAL_H

#include "core/run/state.h"

enum { STATE_MAX_SLOTS = 64 };

struct state_items {
    struct str *at;
    size_t count, cap;
    uint64_t era; /* how often the list began anew: within one era it only grows */
};

union state_value {
    struct str text;
    int64_t integer;
    double real;
    bool boolean;
    struct state_items items;
};

struct state {
    const struct schema *schema;
    struct arena *arena;
    uint64_t present, changed, unsaved; /* bits of slots */
    union state_value values[];
};

/* Room for more items in the list of slot. False: the arena is spent. */
MUST_USE bool state_reserve_items(struct state *state, unsigned slot, size_t more);
/* Abort, naming slot, unless schema has it with one of two types. */
void state_check_slot(const struct schema *schema, unsigned slot, enum slot_type type,
                      enum slot_type or_type);
/* Abort, naming slot and why. */
NORETURN void state_refuse(const struct schema *schema, unsigned slot, const char *why);

static inline uint64_t state_bit(unsigned slot)
{
    return UINT64_C(1) << slot;
}

/* Note that slot has another value now. */
static inline void state_mark_changed(struct state *state, unsigned slot)
{
    state->changed |= state_bit(slot);
    state->unsaved |= state_bit(slot);
}

#endif
