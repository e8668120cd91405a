/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/parse.h - resolved items -> reading: the walk over the question, one item
 * after the other, each used exactly once.
 *
 * parse.c walks, cues.c takes operator words, mentions.c tables, columns.c columns, clauses.c
 * comparisons, orders.c and superlatives.c orders, bind.c filters and dates, finish.c what is left
 * open at the end. The state is shared by these only. */
#ifndef AGENTS_OFFLINE_READING_PARSE_H
#define AGENTS_OFFLINE_READING_PARSE_H

#include "agents/lexicon/link.h"
#include "agents/offline/reading/reading.h"

enum parse_expect {
    EXPECT_NOTHING,
    EXPECT_COUNT,   /* outs[last] waits for what it counts */
    EXPECT_MEASURE, /* outs from pending_from wait for their column */
    EXPECT_GROUP,
    EXPECT_ORDER,
};

struct parse {
    const struct lexicon *lexicon;
    const struct catalog *catalog;
    struct lexicon_item *items;
    size_t count, at;
    struct offline_reading *reading;
    struct reading_scope *scope; /* where filters go */
    enum parse_expect expect;
    size_t pending_from; /* first output that waits for a measure */
    int noun;            /* table mentioned last, groups apart */
    int clause_noun;     /* the table a clause speaks of, or READING_NONE */
    int owner;           /* noun a relative clause hangs on when it is not the target */
    int subject_column;  /* item of the column a comparison would mean, or READING_NONE */
    bool listing;        /* "show", "which": rows or columns are wanted */
    bool which;          /* the next noun is what is asked for */
    bool who;
    bool acted;     /* "who rented": the target is who did it */
    bool when;      /* a date is asked for */
    bool net;       /* "net amount": waits for a subtraction */
    bool in_clause; /* after who, that, with */
    bool negated;   /* a negation waits for what it denies */
    bool after_copula;
    size_t copula_filters; /* main filters there were before it */
    bool each;             /* a group said with "each" */
    bool per;              /* one said with "per" */
    bool wants_order;      /* "top 5 X": by what is still to come */
    bool top_descending;
    bool order_next_out; /* the next aggregate decides the order */
    bool next_is_having; /* the next aggregate is compared, not shown */
    bool distinct;
    int attribute;          /* item of "which city": the column asked for, or READING_NONE */
    int pending_date;       /* item of a date that waits for its table, or READING_NONE */
    bool all_of;            /* "both": a list of values means each of them */
    size_t measure_filters; /* main filters there were when the aggregate began */
    int current_out;        /* output that following filters belong to, or READING_NONE */
    bool between_minus;     /* a subtraction was read */
    bool few;               /* "five shops": which of them is still to come */
};

/* Walk items into reading. False: reading->cannot says why. */
MUST_USE bool offline_parse_run(const struct lexicon *lexicon, struct lexicon_item *items,
                                size_t count, struct offline_reading *reading);

/* A walk over items that goes on where reading is. */
void offline_parse_init(struct parse *p, const struct lexicon *lexicon, struct lexicon_item *items,
                        size_t count, struct offline_reading *reading);
/* Take all items. False: reading->cannot says why. */
MUST_USE bool offline_parse_walk(struct parse *p);

/* ---- shared by these files ---- */

/* Put the reason and return false. */
bool offline_parse_stop(struct parse *p, const char *fmt, ...) PRINTF(2, 3);
/* The same, and which column of table would settle it. */
bool offline_parse_want(struct parse *p, enum reading_want want, int table, const char *fmt, ...)
    PRINTF(4, 5);
/* The next item at or after i that is not an article; p->count: none. */
size_t offline_parse_next(const struct parse *p, size_t i);
bool offline_parse_is_cue(const struct parse *p, size_t i, enum offline_cue cue);
bool offline_parse_is(const struct parse *p, size_t i, enum lexicon_link_kind kind);
/* Whether only articles come before item i. */
bool offline_parse_opens(const struct parse *p, size_t i);
/* The first item at or after i that is neither article, adjective (value, boolean) nor "and". */
size_t offline_parse_past_adjectives(const struct parse *p, size_t i);
MUST_USE bool offline_parse_add_out(struct parse *p, enum offline_agg agg,
                                    struct reading_column on);
MUST_USE bool offline_parse_relate(struct parse *p, struct reading_scope *scope, int table);
MUST_USE bool offline_parse_open_scope(struct parse *p, enum reading_scope_kind kind, int table);
/* A group; "by status and priority" expects the next one. Leaves p->at behind it. */
MUST_USE bool offline_parse_add_group(struct parse *p, struct reading_column on,
                                      enum offline_grain grain);
/* What the last output counts is known. */
MUST_USE bool offline_parse_fill_count(struct parse *p, struct reading_column on,
                                       enum offline_agg agg);
/* Give the waiting aggregates their column; item p->at is the last one taken. */
MUST_USE bool offline_parse_fill_measures(struct parse *p, struct reading_column on);
/* The table of persons nearest to table, as the target of "who". */
MUST_USE bool offline_parse_person(struct parse *p, int table);
/* The table of those who do what rows of table are, as the target of "who bought": the buyers it
 * refers to, else the nearest persons. */
MUST_USE bool offline_parse_actor(struct parse *p, int table);
bool offline_parse_is_measure(const struct parse *p, const struct lexicon_link *link);

#endif
