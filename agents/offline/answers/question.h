/* SPDX-License-Identifier: MIT */
/* agents/offline/answers/question.h - question -> reading and SQL, as one pure function without
 * loop or I/O, so that the offline model and tests call the same code. */
#ifndef AGENTS_OFFLINE_ANSWERS_QUESTION_H
#define AGENTS_OFFLINE_ANSWERS_QUESTION_H

#include "agents/offline/answers/understood.h"

/* Read a question. ERR_OK also when it is not understood; ERR_NO_MEMORY. arena holds the result. */
MUST_USE enum err_code offline_question_read(const struct offline_source *source,
                                             struct str question, struct arena *arena,
                                             struct offline_answer **answer);

/* Read a question of a conversation, as offline_question_read. asked: the questions before, one a
 * line, oldest first. "And only in May?" and "which of them are active?" change the reading of the
 * last question that was understood; after a question with options "2", "the first" or words of one
 * option choose it. */
MUST_USE enum err_code offline_question_read_after(const struct offline_source *source,
                                                   struct str asked, struct str question,
                                                   struct arena *arena,
                                                   struct offline_answer **answer);

/* question, or in English, in arena, when it was proposed in another language (source->words).
 * Absent: no memory. */
struct str offline_question_in_english(const struct offline_source *source, struct str question,
                                       struct arena *arena);

#endif
