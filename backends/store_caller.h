/* SPDX-License-Identifier: MIT */
/* backends/store_caller.h - for whom a store is asked, so that who asks much does not hold up the
 * others. */
#ifndef BACKENDS_STORE_CALLER_H
#define BACKENDS_STORE_CALLER_H

#include "core/fair.h"
#include "core/store.h"

/* Views into the ask. Who is not named there (events and leases of runs, which are asked for a
 * fence) goes as one more company, which has the weight of several. */
struct fair_caller store_caller_of(const struct store_call *call);

#endif
