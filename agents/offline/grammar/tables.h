/* SPDX-License-Identifier: MIT */
/* agents/offline/grammar/tables.h - the grammar of questions as tables, which the build makes of
 * english.grammar (grammar.awk): function words, and rules as a trie over their symbols.
 *
 * Immutable; any thread. A rule is found by walking grammar_next from state 0 over the symbols of
 * its right side; the rules that end in a state are a range of grammar_ends. */
#ifndef AGENTS_OFFLINE_GRAMMAR_TABLES_H
#define AGENTS_OFFLINE_GRAMMAR_TABLES_H

#include "core/base/str.h"

/* Symbols that the lattice makes of mentions of the schema; grammar.awk numbers them so. All other
 * symbols are those of the file. */
enum grammar_symbol {
    SYMBOL_NONE,
    SYMBOL_TABLE,   /* T */
    SYMBOL_DEED,    /* TV: a table, said by a verb */
    SYMBOL_NUMBER,  /* CN: a column of numbers */
    SYMBOL_TEXT,    /* CT */
    SYMBOL_DATE,    /* CD */
    SYMBOL_TRUTH,   /* CB: a column of booleans, by its name */
    SYMBOL_VALUE,   /* V */
    SYMBOL_STATE,   /* B: an adjective that is a condition */
    SYMBOL_ROLE,    /* R: a reference by its own name */
    SYMBOL_MOMENT,  /* MO: a date, said by a verb */
    SYMBOL_METRIC,  /* ME */
    SYMBOL_COUNT,   /* NUM: a number */
    SYMBOL_PERIOD,  /* PER */
    SYMBOL_LITERAL, /* LIT: quoted, or a code */
    SYMBOL_TIE,     /* TIE: a verb that only ties two nouns */
    SYMBOL_QUERY,   /* Q: a whole question */
    SYMBOL_CHANGE,  /* F: a fragment that changes the question before it */
    SYMBOL_WORD,    /* W: a word as it is written */
    SYMBOL_UNITS,   /* U: a number with a unit, and a column that is called so */
};

enum { GRAMMAR_RIGHT = 7, GRAMMAR_ARGS = 4 };

struct grammar_word {
    const char *phrase; /* lower-case words with single blanks */
    uint8_t symbol;
    int16_t arg;
};

struct grammar_end { /* a rule that ends in a state */
    uint8_t left, cost;
    uint16_t action;
    int8_t args[GRAMMAR_ARGS]; /* which symbol of the right side, from 0; -1: none */
    int16_t imm;
};

extern const struct grammar_word grammar_words[];
extern const size_t grammar_word_count;
/* By first letter: grammar_words_from[c - 'a'] .. [c - 'a' + 1]; 26: all others. */
extern const uint16_t grammar_words_from[28];
extern const size_t grammar_symbol_count, grammar_state_count;
/* grammar_next[state * grammar_symbol_count + symbol]: the next state, 0: none. */
extern const uint16_t grammar_next[];
extern const struct grammar_end grammar_ends[];
/* The rules that end in state s: grammar_ends_from[s] .. [s + 1]. */
extern const uint16_t grammar_ends_from[];
/* Words that say nothing, left out before a question is read; and the like, left out at a cost. */
extern const char *const grammar_fillers[], *const grammar_weak[];
/* Words of dates by which something must be, and of dates when it was. */
extern const char *const grammar_due[], *const grammar_done[];
/* Words of dates of birth, and of dates when a row itself was changed. */
extern const char *const grammar_birth[], *const grammar_touched[];
/* Words of numbers that say what is paid to a person. */
extern const char *const grammar_wage[];
/* Words of dates when something came or went, which may be late and over. */
extern const char *const grammar_passing[];

#endif
