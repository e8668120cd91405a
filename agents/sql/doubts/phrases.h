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
    SQL_DOUBTS_OPENS, /* a day that a range begins with, up to TO; or BETWEEN, up to AND */
    SQL_DOUBTS_TO,
    SQL_DOUBTS_BETWEEN,
    SQL_DOUBTS_AND,
    SQL_DOUBTS_FILLER, /* may stand between these and what they bound */
    SQL_DOUBTS_NUMBER, /* value: the number */
    SQL_DOUBTS_MONTH,  /* value: 1 to 12 */
    SQL_DOUBTS_QUARTER,
    SQL_DOUBTS_NTH,  /* value: 1 to 4 */
    SQL_DOUBTS_TIME, /* units; value: how many of the smallest one */
    SQL_DOUBTS_MONEY,
    SQL_DOUBTS_LENGTH,
    SQL_DOUBTS_WEIGHT,
    SQL_DOUBTS_UNIT, /* the name of a column that says in which unit another one is */
    SQL_DOUBTS_DENIAL,
    SQL_DOUBTS_NEVER, /* of all rows, whatever one of them says */
    SQL_DOUBTS_PER,
    SQL_DOUBTS_AVERAGE,
    SQL_DOUBTS_PERCENT,
    SQL_DOUBTS_TOO,
    SQL_DOUBTS_NIGHT,  /* is over on the day after */
    SQL_DOUBTS_DURING, /* something that lasts is there in a period */
    SQL_DOUBTS_BEGINS, /* the name of a column that says when something begins, or ends */
    SQL_DOUBTS_ENDS,
    SQL_DOUBTS_STATE,  /* what something has come to */
    SQL_DOUBTS_STATES, /* the name of a column that says it */
    SQL_DOUBTS_MINUS,
    SQL_DOUBTS_PIECES, /* the name of a column that says how many a row is of */
    SQL_DOUBTS_RATE,   /* the name of a column whose numbers are not added up */
    SQL_DOUBTS_FOR_ONE,
    SQL_DOUBTS_UNDER, /* in front of who is above, in a table that refers to itself */
    SQL_DOUBTS_BY,
    SQL_DOUBTS_HIGH, /* the end of an order that is asked for, of any column */
    SQL_DOUBTS_LOW,
    SQL_DOUBTS_EARLY, /* and of a date */
    SQL_DOUBTS_LATE,
    SQL_DOUBTS_CHOOSES, /* in front of how many rows are asked for */
    SQL_DOUBTS_HOW_MANY,
    SQL_DOUBTS_SOLD,  /* what is done to pieces, of which a row may be many */
    SQL_DOUBTS_EVENT, /* value: words of the same value say the same of a date */
    SQL_DOUBTS_HAPPENED,
    SQL_DOUBTS_CALLED_OFF, /* the name of a column that says it */
    SQL_DOUBTS_CALENDAR,
    SQL_DOUBTS_SHARED, /* and in front of PLACE */
    SQL_DOUBTS_PLACE,
    SQL_DOUBTS_GROWS,
    SQL_DOUBTS_FALLS,
    SQL_DOUBTS_GIVEN_IN,
    SQL_DOUBTS_ZERO_WHERE, /* what has none is wanted; or LACKING behind INCLUDING, or before
                              INCLUDED */
    SQL_DOUBTS_INCLUDING,
    SQL_DOUBTS_INCLUDED,
    SQL_DOUBTS_LACKING,
    SQL_DOUBTS_ALL_OF, /* in front of what is wanted as a whole, where no THAT is behind it */
    SQL_DOUBTS_THAT,
    SQL_DOUBTS_INCOME,     /* what is asked for is money */
    SQL_DOUBTS_AMOUNTS,    /* the name of a column that has money in it, RATE and MONEY aside */
    SQL_DOUBTS_ALTOGETHER, /* a number bounds a sum of rows */
};

struct sql_doubts_phrase {
    enum sql_doubts_topic topic;
    const char *text;
    double value;
};

extern const struct sql_doubts_phrase sql_doubts_phrases_table[];
extern const size_t sql_doubts_phrases_count;

#endif
