/* SPDX-License-Identifier: MIT */
/* agents/offline/answers/understood.h - what questions are read by, and what is understood of one.
 * Types; no functions. */
#ifndef AGENTS_OFFLINE_ANSWERS_UNDERSTOOD_H
#define AGENTS_OFFLINE_ANSWERS_UNDERSTOOD_H

#include "agents/offline/compose/compose.h"

/* What readers of other languages are told in English here, and say back in theirs. */
struct offline_words {
    bool (*is_option)(struct str option, struct str said);
    /* Append a proposed question in English; false: it is none in another language. */
    bool (*read_question)(struct str said, struct buf *out);
};

struct offline_source {
    const struct lexicon *lexicon;
    const struct join_graph *joins; /* NULL: questions on one table only */
    struct join_finder *finder;     /* over joins */
    enum sql_dialect dialect;
    int32_t today;                     /* day number, english_dates_day */
    const struct offline_words *words; /* NULL: English alone */
};

struct semantic_verified;
struct sense;

enum { OFFLINE_OPTIONS = 4 };

struct offline_answer {
    bool understood;
    struct str sql;     /* when understood; in arena */
    struct str own_sql; /* the same without names of rows of other tables: who asks may not see
                           those tables */
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
    const struct sense *sense;     /* what reading is made of; NULL: a verified question, or none */
    const struct lexicon *lexicon; /* that it was read by: it may settle what was open */
    int cost;                      /* of the sense */
    const struct semantic_verified *verified; /* the question that sql is from; no reading then */
};

#endif
