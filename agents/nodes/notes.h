/* SPDX-License-Identifier: MIT */
/* agents/nodes/notes.h - what a result alone does not say: cut off, all NULL, counted twice.
 *
 * Deterministic remarks for the answer's prompt and the caller's warnings. Pure. */
#ifndef AGENTS_NODES_NOTES_H
#define AGENTS_NODES_NOTES_H

#include "agents/services/services.h"

struct json_write;

/* Write a text per remark as values of the open array: on result, of the statement as the model
 * wrote it. parse NULL: the statement is not known, and only rows are remarked on. */
void notes_write(const struct knowledge *knows, const struct sql_parse *parse,
                 const struct sql_result *result, struct arena *arena, struct json_write *writer);

#endif
