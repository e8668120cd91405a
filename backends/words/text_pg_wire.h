/* SPDX-License-Identifier: MIT */
/* backends/words/text_pg_wire.h - the statements of text_pg and their parameters. Any thread. */
#ifndef BACKENDS_WORDS_TEXT_PG_WIRE_H
#define BACKENDS_WORDS_TEXT_PG_WIRE_H

#include "backends/sql/pg_task.h"
#include "backends/text.h"
#include "core/base/arena.h"

/* Fill task's statements for query; task->count stays 0 when nothing can be found (no word, a
 * filter without values). Strings live in arena. ERR_INVALID, ERR_NO_MEMORY. */
MUST_USE enum err_code text_pg_wire_search(struct pg_task *task, struct arena *arena,
                                           const struct text_query *query, struct err *err);
/* Fill task's statements for change; task->count stays 0 when there is nothing to do. Strings live
 * in arena. ERR_INVALID, ERR_NO_MEMORY. */
MUST_USE enum err_code text_pg_wire_change(struct pg_task *task, struct arena *arena,
                                           const struct text_change *change, struct err *err);

#endif
