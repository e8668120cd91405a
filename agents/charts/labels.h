/* SPDX-License-Identifier: MIT */
/* agents/charts/labels.h - writes cells as the texts of a chart: one line, of bounded length. Any
 * thread. */
#ifndef AGENTS_CHARTS_LABELS_H
#define AGENTS_CHARTS_LABELS_H

#include "agents/charts/shape.h"

/* How many bytes of the times in column say something: 10 where all times are at midnight, 16 where
 * none has seconds; 0: all bytes. */
size_t charts_labels_clock(const struct charts_shape_column *column);
/* The text of a cell, in arena; clock_bytes is what charts_labels_clock gave for its column.
 * "(none)" for NULL. */
struct str charts_labels_text(const struct charts_cell *cell, size_t clock_bytes,
                              struct arena *arena);
/* The length of text in characters, not in bytes. */
size_t charts_labels_chars(struct str text);

#endif
