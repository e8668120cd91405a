/* SPDX-License-Identifier: MIT */
/* core/run/state.h - a graph's typed slots: schema, values, reducers, what changed.
 *
 * Values are immutable once put: text lives in the run's arena, lists grow by appending. A node's
 * puts are staged in a struct update (core/run/update) and merged when the superstep ends, in table
 * order; until then everybody reads the state as it was on entry. One thread. */
#ifndef CORE_RUN_STATE_H
#define CORE_RUN_STATE_H

#include "core/base/arena.h"
#include "core/base/err.h"

enum slot_type {
    SLOT_TEXT, /* UTF-8 text */
    SLOT_JSON, /* text that is one JSON value, made by agents; the engine does not look inside */
    SLOT_INT,
    SLOT_REAL,
    SLOT_BOOL,
    SLOT_LIST, /* of text items; appended by REDUCE_APPEND, e.g. messages as JSON objects */
};

enum slot_reducer {
    REDUCE_REPLACE, /* the last put wins, by table order within one superstep */
    REDUCE_APPEND,  /* SLOT_LIST: items are added at the end */
    REDUCE_ADD,     /* SLOT_INT, SLOT_REAL: summed */
};

/* Bit of a node in slot.writers, by its index in the node table; the caller's input has its own. */
#define SLOT_WRITER(node) (UINT64_C(1) << (node))
#define SLOT_WRITER_INPUT (UINT64_C(1) << 63)

struct slot {
    const char *name; /* as on the wire: "user_query" */
    enum slot_type type;
    enum slot_reducer reducer;
    uint64_t writers; /* SLOT_WRITER bits; budgets' counters are also written by their edges */
    bool secret;      /* never in events or logs */
    bool passing;     /* each run makes it anew from what is stored: not stored once the run has
                         ended */
};

struct schema {
    const struct slot *slots;
    size_t slot_count; /* at most 64 */
};

struct state;

/* All slots absent. Lives in arena. NULL: budget spent. */
struct state *state_create(const struct schema *schema, struct arena *arena);
const struct schema *state_schema(const struct state *state);

/* Whether slot holds a value. Empty text is one; a slot that was never put, or was cleared, is
 * absent. */
bool state_has(const struct state *state, unsigned slot);
/* Values; absent gives the absent string, 0, false. A wrong type is a CHECK. Borrowed for the
 * run's life. state_str reads SLOT_TEXT and SLOT_JSON. */
struct str state_str(const struct state *state, unsigned slot);
int64_t state_int(const struct state *state, unsigned slot);
double state_real(const struct state *state, unsigned slot);
bool state_bool(const struct state *state, unsigned slot);
size_t state_list_count(const struct state *state, unsigned slot);
struct str state_list_item(const struct state *state, unsigned slot, size_t i);
/* Bits of the slots changed since the last call: for "state" events, and for checkpoints. */
uint64_t state_take_changed(struct state *state);
uint64_t state_take_unsaved(struct state *state);

/* Write a slot outside a superstep: the engine's own (budget counters, catch slots). */
MUST_USE enum err_code state_set_int(struct state *state, unsigned slot, int64_t value);
MUST_USE enum err_code state_set_str(struct state *state, unsigned slot, struct str value);

#endif
