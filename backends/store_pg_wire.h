/* SPDX-License-Identifier: MIT */
/* backends/store_pg_wire.h - asks of core/store as calls of the functions in backends/store_pg, and
 * their rows back. Any thread. */
#ifndef BACKENDS_STORE_PG_WIRE_H
#define BACKENDS_STORE_PG_WIRE_H

#include "backends/pg_task.h"
#include "core/store.h"

/* Make the call's function the one statement of task. What it points at is in arena, or the
 * ask's. token: marks a save. False: no memory. */
MUST_USE bool store_pg_ask(struct pg_task *task, struct arena *arena, const struct store_call *call,
                           struct str token);
/* Fill the call's answers from a result. The code that the function gave, or ERR_PROTOCOL,
 * ERR_TOO_LARGE. */
MUST_USE enum err_code store_pg_answer(struct store_call *call, const struct pg_result *result,
                                       struct err *err);

#endif
