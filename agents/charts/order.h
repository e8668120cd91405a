/* SPDX-License-Identifier: MIT */
/* agents/charts/order.h - texts that have an order of their own: times, and steps such as months,
 * weekdays, sizes and ranges. Any thread. */
#ifndef AGENTS_CHARTS_ORDER_H
#define AGENTS_CHARTS_ORDER_H

#include "core/base/str.h"

/* Where text lies in time, as seconds from an epoch that is the same for all texts: 2025, 2025-06,
 * 2025-06-30, with a clock and a zone, 2025-Q2, Q2 2025, 2025-W26, FY2025, Jun 2025. False: text is
 * no time. */
bool charts_order_time(struct str text, double *at);

/* Whether all texts are steps of one set: months, weekdays, sizes, levels, clocks, ranges ("18-25",
 * "60+"). rank (may be NULL) then gets the place of each text; an absent text fits every set and
 * has the last place. */
bool charts_order_steps(const struct str *texts, size_t count, double *rank);

#endif
