/* SPDX-License-Identifier: MIT */
/* agents/offline/compose/possible.h - whether a row can meet all that a reading asks of it. Any
 * thread. */
#ifndef AGENTS_OFFLINE_COMPOSE_POSSIBLE_H
#define AGENTS_OFFLINE_COMPOSE_POSSIBLE_H

#include "agents/offline/reading/reading.h"

/* False: one scope wants a column to be in two ranges, or to have two texts, that have
 * nothing in common. Whoever asks so
 * means two rows, which the reading does not say. */
bool offline_possible(const struct offline_reading *reading);

#endif
