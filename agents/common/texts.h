/* SPDX-License-Identifier: MIT */
/* agents/common/texts.h - a JSON array of texts that grows: warnings of a run. Any thread. */
#ifndef AGENTS_COMMON_TEXTS_H
#define AGENTS_COMMON_TEXTS_H

#include "core/base/arena.h"
#include "proto/json_write.h"

/* Begin an array with the elements of array (empty, or no array: none); the caller writes more, and
 * ends it. Scratch memory is arena's. */
void texts_begin(struct json_write *writer, struct arena *arena, struct str array);
/* array with text behind its elements, in arena. Absent: no memory. */
struct str texts_with(struct arena *arena, struct str array, struct str text);

#endif
