/* SPDX-License-Identifier: MIT */
/* agents/offline/documents/analyst.h - the offline model's answers to the analyst's tasks: figures
 * out of tables, calculated by the graph; else the documents' own sentences. Never a figure that no
 * passage has. Pure; any thread. */
#ifndef AGENTS_OFFLINE_DOCUMENTS_ANALYST_H
#define AGENTS_OFFLINE_DOCUMENTS_ANALYST_H

#include "backends/llm.h"
#include "core/base/arena.h"
#include "core/base/buf.h"

/* Whether the task of prompt is one of the analyst's. */
bool offline_analyst_knows(const struct llm_prompt *prompt);
/* Append the answer to a task that offline_analyst_knows. False: it is that the documents do not
 * say. Scratch memory is arena's. */
bool offline_analyst_answer(struct arena *arena, const struct llm_prompt *prompt, struct buf *out);

#endif
