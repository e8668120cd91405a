/* SPDX-License-Identifier: MIT */
/* agents/charts/labels.h - cells as a chart's texts: one line, of bounded length. Any thread. */
#ifndef AGENTS_CHARTS_LABELS_H
#define AGENTS_CHARTS_LABELS_H

#include "agents/charts/shape.h"

/* How many bytes of its times say something: 10 where all are at midnight, 16 where none has
 * seconds; 0: all of them. */
size_t charts_labels_clock(const struct charts_shape_column *column);
/* The text of a cell, in arena; clock_bytes as above. "(none)" for NULL. */
struct str charts_labels_text(const struct charts_cell *cell, size_t clock_bytes,
                              struct arena *arena);
/* Characters, not bytes. */
size_t charts_labels_chars(struct str text);

#endif
