/* SPDX-License-Identifier: MIT */
/* agents/offline/grammar/lattice.h - tokens -> every span of them that may mean something, with all
 * it may mean: function words, mentions of the schema, numbers, periods, literals.
 *
 * Places are those of tokens without fillers. Pure; the result is in the arena. */
#ifndef AGENTS_OFFLINE_GRAMMAR_LATTICE_H
#define AGENTS_OFFLINE_GRAMMAR_LATTICE_H

#include "agents/english/tokens.h"
#include "agents/offline/grammar/sense.h"

enum { LATTICE_PLACES = 40 };

struct lattice_edge {
    size_t from, to; /* places */
    int symbol, cost;
    const struct sense *sense;
    struct lattice_edge *next;
};

struct lattice {
    const struct offline_token *tokens[LATTICE_PLACES]; /* without fillers */
    size_t count;
    struct lattice_edge *edges, *last; /* the nearest meanings of a span first */
    size_t edge_count;
    struct str unknown; /* the first word that nothing knows; absent */
    bool ends_in_word;  /* the last word is one of the grammar's and nothing else */
};

/* ERR_TOO_LARGE: there are more places than LATTICE_PLACES; ERR_NO_MEMORY. */
MUST_USE enum err_code lattice_make(struct arena *arena, const struct lexicon *lexicon,
                                    const struct offline_token *tokens, size_t count, int32_t today,
                                    struct lattice *lattice);

/* ---- a lattice while it is made: shared by lattice*.c; false, or NULL: no
 * memory ---- */

enum {
    LATTICE_MEANINGS = 96,  /* of a phrase, looked up */
    LATTICE_SPLIT = 4,      /* words of a token */
    LATTICE_MENTIONED = 24, /* tables that words of the question name */
    LATTICE_FAR = 9,        /* references away: more than count */
    LATTICE_NOWHERE = LATTICE_PLACES,
};

struct lattice_maker {
    struct arena *arena;
    const struct lexicon *lexicon;
    const struct offline_token *tokens;
    size_t count; /* of tokens */
    int32_t today;
    size_t at[LATTICE_PLACES + 1];      /* token of each place; then count */
    struct str (*parts)[LATTICE_SPLIT]; /* by token */
    size_t *part_count;
    int mentioned[LATTICE_MENTIONED];
    size_t mentioned_count;
    bool deed; /* what is mended is a verb: "booked" of reservations */
    struct lattice *lattice;
};

bool lattice_add_edge(struct lattice_maker *m, size_t from, size_t to, int symbol, int cost,
                      struct sense *sense);
struct sense *lattice_word(struct lattice_maker *m, int arg);
struct sense *lattice_columns(struct lattice_maker *m, int table, int column);
/* A condition on rows of the table that the filter is on. */
struct sense *lattice_cond(struct lattice_maker *m, size_t place,
                           const struct reading_filter *filter);
/* How many references lead from what is mentioned to the table. */
int lattice_distance(const struct lattice_maker *m, int table);
/* The best meanings first: by score, less so the farther they are; returns how many are kept. */
size_t lattice_nearest(const struct lattice_maker *m, struct lexicon_link *links, size_t count);
int lattice_column_symbol(const struct lattice_maker *m, int table, int column);

/* What a phrase means, as an edge; extra is added to its cost. */
bool lattice_add_link(struct lattice_maker *m, size_t from, size_t to,
                      const struct lexicon_link *link, int extra);
bool lattice_add_table(struct lattice_maker *m, size_t from, size_t to,
                       const struct lexicon_link *link, int cost);
/* All that phrases from place on mean; unless making, only which tables they name. Only phrases
 * that hold the place through, unless it is LATTICE_NOWHERE. */
bool lattice_add_mentions(struct lattice_maker *m, size_t place, bool making, size_t through);
/* The grammar's words that begin at place; only those that hold the place through, unless it is
 * LATTICE_NOWHERE. */
bool lattice_add_words(struct lattice_maker *m, size_t place, size_t through);
/* What places from..to may mean as one phrase; a value may begin or end with a word that says
 * nothing by itself. */
size_t lattice_look_up(const struct lattice_maker *m, size_t from, size_t to,
                       struct lexicon_link *links);
/* Where words that begin so are in grammar_words_from. */
size_t lattice_letter(struct str word);
/* "unpaid"; and a verb that ties no more than it says. */
bool lattice_add_inverse(struct lattice_maker *m, size_t place);
bool lattice_add_tie(struct lattice_maker *m, size_t place);
/* Whether a date is said by its verb: "left" is when they left, "leave" is not. */
bool lattice_is_moment(const struct lattice_maker *m, size_t from, size_t to,
                       const struct lexicon_link *link);
/* Whether rows are said to be what a column of theirs is called: "which venues are covered". */
bool lattice_is_state(const struct lattice_maker *m, size_t from, size_t to);
/* Whether the word at place is the bare verb behind "did" and who did it. */
bool lattice_is_asked_deed(const struct lattice_maker *m, size_t place);
/* How many places a weak phrase takes that begins at place; 0: none does. */
size_t lattice_weak_at(const struct lattice *lattice, size_t place);
/* What a name of a person may be besides costs more where the other name stands beside it. */
void lattice_weigh_names(struct lattice_maker *m);
/* What words mean that have no edge (lattice_unknown.c); notes the first that nothing knows. */
bool lattice_add_mended(struct lattice_maker *m);

/* What the other meanings of a span make of one of them. */
struct lattice_rivals {
    bool named;  /* a table is called just so */
    bool table;  /* a word that names a table is less likely something else */
    bool headed; /* a longer name of a table ends with it */
    bool moment; /* what was done, rather than what is */
    int value;   /* how far the nearest table is that has it as a value */
};

struct lattice_rivals lattice_rivals_of(const struct lattice_maker *m, size_t from, size_t to,
                                        const struct lexicon_link *links, size_t count);
int lattice_rivals_cost(const struct lattice_maker *m, size_t from, size_t to,
                        struct lattice_rivals r, const struct lexicon_link *link);

/* What the place may say by itself. */
bool lattice_add_period(struct lattice_maker *m, size_t place);
bool lattice_add_number(struct lattice_maker *m, size_t place);
bool lattice_add_units(struct lattice_maker *m, size_t place);
/* "age": the years since birth. */
bool lattice_add_age(struct lattice_maker *m, size_t place);
bool lattice_add_literal(struct lattice_maker *m, size_t place);
bool lattice_add_written(struct lattice_maker *m, size_t place);
/* Columns that tokens from..to name with "of" between their words. */
size_t lattice_look_up_of(const struct lattice_maker *m, size_t from, size_t to,
                          struct lexicon_link *links);
bool lattice_add_roles(struct lattice_maker *m, size_t place);
bool lattice_add_named(struct lattice_maker *m, size_t from, size_t to,
                       const struct reading_filter *filter, int cost);
bool lattice_add_metric(struct lattice_maker *m, size_t from, size_t to,
                        const struct lexicon_link *link, int cost);

#endif
