/* SPDX-License-Identifier: MIT */
/* agents/semantic/twice.h - finds tables, words and questions that a semantic file has twice. */
#ifndef AGENTS_SEMANTIC_TWICE_H
#define AGENTS_SEMANTIC_TWICE_H

#include "agents/semantic/model.h"

/* Report each of them; semantic must be bound. They stay usable: a question with a word of two
 * meanings is asked back; of two equal questions the first gives the answer. */
void semantic_twice_report(const struct semantic *semantic, struct semantic_report *report);

#endif
