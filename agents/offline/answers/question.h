/* SPDX-License-Identifier: MIT */
/* agents/offline/answers/question.h - question -> reading and SQL, as one pure function.
 *
 * No loop, no I/O: the model and the tests call the same. */
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
    bool asks_number; /* "how many", whatever of */
    bool names_table; /* it mentions a table of this database, or asks for a number of a column */
    bool writes;      /* it asks for a change */
    struct offline_answer
        *options; /* not understood, for it may be any of these: 2 to 4, or none */
    struct str option_texts[OFFLINE_OPTIONS]; /* each in words */
    size_t option_count;
    const struct semantic_verified *verified; /* the statement is this one's; no reading then */
};

/* Read a question. ERR_OK also when it is not understood; ERR_NO_MEMORY. arena holds the result. */
MUST_USE enum err_code offline_question_read(const struct offline_source *source,
                                             struct str question, struct arena *arena,
                                             struct offline_answer **answer);

/* The same in a conversation: asked are the questions before, one a line, oldest first. "And only
 * in May?" and "which of them are active?" change the reading of the last one that was understood;
 * after one with options "2", "the first" or words of one of them choose it. */
MUST_USE enum err_code offline_question_read_after(const struct offline_source *source,
                                                   struct str asked, struct str question,
                                                   struct arena *arena,
                                                   struct offline_answer **answer);

#endif
