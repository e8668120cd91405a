/* SPDX-License-Identifier: MIT */
/* agents/nodes/notes.h - what a result alone does not say: cut off, all NULL, counted twice.
 *
 * Deterministic remarks for the answer's prompt and the caller's warnings. Pure. */
#ifndef AGENTS_NODES_NOTES_H
#define AGENTS_NODES_NOTES_H

#include "agents/services.h"

struct json_write;

/* Write a text per remark as values of the open array: on result, of the statement sql as the model
 * wrote it. What cannot be parsed gets remarks on its rows only. */
void notes_write(const struct knowledge *knows, struct str sql, const struct sql_result *result,
                 struct arena *arena, struct json_write *writer);

#endif
