/* SPDX-License-Identifier: MIT */
/* agents/semantic/twice.h - what a file says two times: one table, one word, one question. */
#ifndef AGENTS_SEMANTIC_TWICE_H
#define AGENTS_SEMANTIC_TWICE_H

#include "agents/semantic/model.h"

/* Report each; semantic is bound. What is said twice stays usable: a word with two meanings is
 * asked back, of two equal questions the first is answered by. */
void semantic_twice_report(const struct semantic *semantic, struct semantic_report *report);

#endif
