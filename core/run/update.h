/* SPDX-License-Identifier: MIT */
/* core/run/update.h - one writer's staged puts into a state.
 *
 * Nothing is seen before update_merge, which applies all or nothing. Lives in the run's arena. */
#ifndef CORE_RUN_UPDATE_H
#define CORE_RUN_UPDATE_H

#include "core/base/arena.h"
#include "core/base/err.h"

struct state;
struct update;

enum { UPDATE_INPUT_WRITER = 63 }; /* the caller, who puts a run's input */

/* Staged puts of writer (a node index, or UPDATE_INPUT_WRITER). */
struct update *update_create(const struct state *state, unsigned writer, struct arena *arena);
/* Stage a value, copied. A slot the schema lacks, a wrong type or a writer that is not declared is
 * a CHECK: these are mistakes in a graph's tables, which tests find. ERR_NO_MEMORY surfaces at
 * merge. */
void update_put_str(struct update *update, unsigned slot, struct str value);
void update_put_int(struct update *update, unsigned slot, int64_t value);
void update_put_real(struct update *update, unsigned slot, double value);
void update_put_bool(struct update *update, unsigned slot, bool value);
void update_push_item(struct update *update, unsigned slot, struct str item);
/* Stage that slot becomes absent. */
void update_clear(struct update *update, unsigned slot);
/* Apply in the order staged; the update is then empty. ERR_NO_MEMORY: something did not fit and
 * nothing was applied. */
MUST_USE enum err_code update_merge(struct update *update, struct state *state);

#endif
