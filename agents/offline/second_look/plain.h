/* SPDX-License-Identifier: MIT */
/* agents/offline/second_look/plain.h - compares the words of a question with a statement, without a
 * reading of the question: years, "top 3", "average", "total", "lowest", and what "how many" is of.
 * For questions that the offline engine does not understand; of what they do not plainly say there
 * is no remark. Years and numbers are those of every language, "how many" of several, other words
 * are English. Pure. */
#ifndef AGENTS_OFFLINE_SECOND_LOOK_PLAIN_H
#define AGENTS_OFFLINE_SECOND_LOOK_PLAIN_H

#include "agents/offline/second_look/compare.h"

/* Call say for each thing that the question plainly asks for and the statement contradicts or
 * leaves out. arena: for the question's words. */
void offline_plain_compare(const struct catalog *catalog, struct str question,
                           const struct sql_parse *parse, struct arena *arena,
                           offline_compare_fn *say, void *owner);

#endif
