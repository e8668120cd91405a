/* SPDX-License-Identifier: MIT */
/* tests/unit/core/state_rig.h - a state with a slot of every type and two writers. */
#ifndef TESTS_UNIT_CORE_STATE_RIG_H
#define TESTS_UNIT_CORE_STATE_RIG_H

#include "tests/lib/test.h"

#include "core/run/state.h"
#include "core/run/update.h"

enum { TEXT, JSON, NUMBER, SUM, REAL, FLAG, LOG, PICK, SLOT_COUNT };
#define BOTH (SLOT_WRITER(0) | SLOT_WRITER(1) | SLOT_WRITER_INPUT)
static const struct slot slots[] = {
    [TEXT] = {"text", SLOT_TEXT, REDUCE_REPLACE, BOTH},
    [JSON] = {"json", SLOT_JSON, REDUCE_REPLACE, SLOT_WRITER(0)},
    [NUMBER] = {"number", SLOT_INT, REDUCE_REPLACE, BOTH},
    [SUM] = {"sum", SLOT_INT, REDUCE_ADD, BOTH},
    [REAL] = {"real", SLOT_REAL, REDUCE_ADD, BOTH},
    [FLAG] = {"flag", SLOT_BOOL, REDUCE_REPLACE, BOTH},
    [LOG] = {"log", SLOT_LIST, REDUCE_APPEND, BOTH},
    [PICK] = {"pick", SLOT_LIST, REDUCE_REPLACE, BOTH},
};
static const struct schema schema = {slots, SLOT_COUNT};

struct rig {
    struct arena arena;
    struct state *state;
    struct update *a, *b;
};

static inline void rig_init(struct rig *rig, size_t budget)
{
    arena_init(&rig->arena, budget);
    rig->state = state_create(&schema, &rig->arena);
    assert_non_null(rig->state);
    rig->a = update_create(rig->state, 0, &rig->arena);
    rig->b = update_create(rig->state, 1, &rig->arena);
    assert_non_null(rig->b);
}

#endif
