/* SPDX-License-Identifier: MIT */
/* backends/store_caller.h - for whom a store is asked, so that who asks much does not hold up the
 * others. */
#ifndef BACKENDS_STORE_CALLER_H
#define BACKENDS_STORE_CALLER_H

#include "core/gate.h"
#include "core/store.h"

/* Say in ticket who wants the place: views into the ask. Who is not named there (events and leases
 * of runs, which are asked for a fence) goes as one more company, which has the weight of several.
 */
void store_caller_tell(const struct store_call *call, struct gate_ticket *ticket);

#endif
