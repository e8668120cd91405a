/* SPDX-License-Identifier: MIT */
/* agents/offline/tasks.h - the offline model's answers to each task of agents/offline/model.h. */
#ifndef AGENTS_OFFLINE_TASKS_H
#define AGENTS_OFFLINE_TASKS_H

#include "agents/offline/answers/question.h"
#include "backends/llm.h"

/* Append the answer to the task of prompt. *together: how much of its beginning is sentences of the
 * program's own, such as why it cannot answer, which go out in one piece: readers of other
 * languages get them by their form. False: no memory. */
MUST_USE bool offline_tasks_answer(const struct offline_source *source,
                                   const struct llm_prompt *prompt, struct buf *out,
                                   size_t *together);
/* Whether the task can only be answered from a database that was read. */
bool offline_tasks_needs_database(const struct llm_prompt *prompt);

#endif
