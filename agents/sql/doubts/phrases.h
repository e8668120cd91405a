/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/phrases.h - the table that the build makes of words/words.txt: what questions
 * say of numbers and days. Static; any thread. */
#ifndef AGENTS_SQL_DOUBTS_PHRASES_H
#define AGENTS_SQL_DOUBTS_PHRASES_H

#include <stddef.h>

enum sql_doubts_topic {
    SQL_DOUBTS_ABOVE, /* a number behind it is the end of what is asked for: x > n, x >= n, ... */
    SQL_DOUBTS_FROM,
    SQL_DOUBTS_BELOW,
    SQL_DOUBTS_UPTO,
    SQL_DOUBTS_OR_MORE, /* behind the number: x >= n, x <= n */
    SQL_DOUBTS_OR_LESS,
    SQL_DOUBTS_AFTER, /* the same of a day, a month, a year */
    SQL_DOUBTS_SINCE,
    SQL_DOUBTS_BEFORE,
    SQL_DOUBTS_UNTIL,
    SQL_DOUBTS_FILLER, /* may stand between these and what they bound */
    SQL_DOUBTS_NUMBER, /* value: the number */
    SQL_DOUBTS_SCALE,  /* value: what the number before it is multiplied by */
    SQL_DOUBTS_MONTH,  /* value: 1 to 12 */
    SQL_DOUBTS_QUARTER,
    SQL_DOUBTS_NTH,  /* value: 1 to 4 */
    SQL_DOUBTS_TIME, /* units; value: how many of the smallest one */
    SQL_DOUBTS_MONEY,
    SQL_DOUBTS_LENGTH,
    SQL_DOUBTS_WEIGHT,
    SQL_DOUBTS_UNIT, /* the name of a column that says in which unit another one is */
    SQL_DOUBTS_DENIAL,
    SQL_DOUBTS_PER,
    SQL_DOUBTS_AVERAGE,
    SQL_DOUBTS_PERCENT,
    SQL_DOUBTS_TOO,
};

struct sql_doubts_phrase {
    enum sql_doubts_topic topic;
    const char *text;
    double value;
};

extern const struct sql_doubts_phrase sql_doubts_phrases_table[];
extern const size_t sql_doubts_phrases_count;

#endif
