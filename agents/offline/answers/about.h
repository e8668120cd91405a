/* SPDX-License-Identifier: MIT */
/* agents/offline/answers/about.h - questions about the database itself: what can be asked, which
 * tables there are, what is in one; and refusals that say what can be asked instead. */
#ifndef AGENTS_OFFLINE_ANSWERS_ABOUT_H
#define AGENTS_OFFLINE_ANSWERS_ABOUT_H

#include "agents/offline/answers/question.h"

/* Append the answer when the question is about the database itself. False: it is not. */
bool offline_about_write(const struct offline_source *source, struct str question, struct buf *out);
/* Append what can be asked, with questions that this database answers. Returns out's length before
 * these. */
size_t offline_about_help(const struct offline_source *source, struct buf *out);
/* Append, in the question's language, that only English is understood. False: it is in English. */
bool offline_about_language(struct str question, struct buf *out);
/* Append why a question was not understood, and the nearest things that can be asked, in one
 * sentence; or in the question's language that only English is. */
void offline_about_refusal(const struct offline_source *source, struct str question,
                           const struct offline_answer *answer, struct buf *out);

#endif
