/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/said.h - what a question says of numbers and days, by the phrases of
 * words/words.txt.
 *
 * What is said in other words is not known. Views are of the arena. Pure; any thread. */
#ifndef AGENTS_SQL_DOUBTS_SAID_H
#define AGENTS_SQL_DOUBTS_SAID_H

#include "agents/sql/doubts/phrases.h"
#include "core/base/arena.h"

enum { SQL_SAID_WORDS = 128, SQL_SAID_BOUNDS = 8, SQL_SAID_PERIODS = 4 };

enum sql_said_kind { SQL_SAID_WORD, SQL_SAID_NUMBER, SQL_SAID_DAY };

struct sql_said_word {
    enum sql_said_kind kind;
    struct str text; /* in small letters */
    double number;
    int64_t day; /* core/base/calendar.h */
};

struct sql_said_bound {         /* "more than 5 days", "before June 2025" */
    enum sql_doubts_topic side; /* ABOVE, FROM, BELOW or UPTO; of a day AFTER to UNTIL */
    bool is_day;
    double number;
    int64_t first, end;              /* the day, or the days of the month or year */
    enum sql_doubts_topic dimension; /* of its unit: TIME to WEIGHT */
    double size;                     /* of its unit; 0: none is said */
    size_t at, count;                /* its words */
};

/* A month or quarter of a year that is no bound, or days from one to another: first <= day < end.
 */
struct sql_said_period {
    int64_t first, end;
    size_t at, count;
};

struct sql_said {
    struct sql_said_word words[SQL_SAID_WORDS];
    size_t word_count;
    struct sql_said_bound bounds[SQL_SAID_BOUNDS];
    size_t bound_count;
    struct sql_said_period periods[SQL_SAID_PERIODS];
    size_t period_count;
};

void sql_said_read(struct arena *arena, struct str question, struct sql_said *said);
/* How many words from 'at' on are the longest phrase of the topic; 0: none. *value: what it counts;
 * may be NULL. */
size_t sql_said_phrase(const struct sql_said *said, size_t at, enum sql_doubts_topic topic,
                       double *value);
/* The values, each below 64, of all phrases of the topic that begin at 'at', as bits. */
uint64_t sql_said_values(const struct sql_said *said, size_t at, enum sql_doubts_topic topic);
/* Whether some phrase of the topic is said; how often. */
size_t sql_said_times(const struct sql_said *said, enum sql_doubts_topic topic);
/* The unit that a word names: its size, and its dimension in *dimension; 0: it names none. */
double sql_said_unit(struct str word, enum sql_doubts_topic *dimension);
/* Whether word is a phrase of the topic. */
bool sql_said_is(struct str word, enum sql_doubts_topic topic);
/* Words of the question from 'at' on, with blanks between; absent: no memory. */
struct str sql_said_text(const struct sql_said *said, size_t at, size_t count, struct arena *arena);

#endif
