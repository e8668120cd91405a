/* SPDX-License-Identifier: MIT */
/* agents/offline/answers/question.h - question -> reading and SQL, as one pure function without
 * loop or I/O, so that the offline model and tests call the same code. */
#ifndef AGENTS_OFFLINE_ANSWERS_QUESTION_H
#define AGENTS_OFFLINE_ANSWERS_QUESTION_H

#include "agents/offline/compose/compose.h"

struct offline_source {
    const struct lexicon *lexicon;
    const struct join_graph *joins; /* NULL: questions on one table only */
    struct join_finder *finder;     /* over joins */
    enum sql_dialect dialect;
    int32_t today; /* day number, english_dates_day */
};

struct semantic_verified;

enum { OFFLINE_OPTIONS = 4 };

struct offline_answer {
    bool understood;
    struct str sql;     /* when understood; in arena */
    const char *cannot; /* when not: one reason, "" when understood */
    struct offline_reading reading;
    bool asks_number; /* asks "how many", of anything */
    bool names_table; /* mentions a table of this database, or asks for a number of a column */
    bool writes;      /* asks for a change of data */
    struct offline_answer
        *options; /* not understood because it may mean any of these: 2 to 4, or none */
    struct str option_texts[OFFLINE_OPTIONS]; /* the options in words */
    size_t option_count;
    struct str mended; /* "'custmers' as customers": words that were read as others; or empty */
    const struct semantic_verified *verified; /* the question that sql is from; no reading then */
};

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

#endif
