/* SPDX-License-Identifier: MIT */
/* agents/nodes/notes.h - remarks on what a result alone does not say: cut off, all NULL, there
 * twice.
 *
 * Deterministic remarks for the prompt of the answer and the warnings to the caller; what is to be
 * said of a statement before it runs is said by findings.h. Pure. */
#ifndef AGENTS_NODES_NOTES_H
#define AGENTS_NODES_NOTES_H

#include "agents/services/services.h"

struct json_write;
struct rows_counted;

/* Write a text for each remark on result as values of the open array. parse: of the statement as
 * the model wrote it; NULL: the statement is not known, and only rows are remarked on. counted says
 * how many of the rows the caller gets. */
void notes_write(const struct knowledge *knows, const struct sql_parse *parse,
                 const struct sql_result *result, const struct rows_counted *counted,
                 struct arena *arena, struct json_write *writer);

#endif
