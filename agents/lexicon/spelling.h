/* SPDX-License-Identifier: MIT */
/* agents/lexicon/spelling.h - the names of tables and columns as words of English: cut by case,
 * signs and vocabulary, abbreviations written out, nouns of other languages translated.
 *
 * Filled once, before anything else of a lexicon; then immutable, for any thread. */
#ifndef AGENTS_LEXICON_SPELLING_H
#define AGENTS_LEXICON_SPELLING_H

#include "agents/lexicon/index.h"

struct lexicon_words {
    struct str words[ENGLISH_WORDS]; /* lower case, in the lexicon's arena */
    size_t count;
    bool differs; /* from the name as it is cut by case and signs */
};

/* Spell all names of lexicon->catalog. False: no memory; lexicon_spelling_fini is due either way.
 */
MUST_USE bool lexicon_spelling_fill(struct lexicon *lexicon);
void lexicon_spelling_fini(struct lexicon *lexicon);
/* Write to words[0..ENGLISH_WORDS) what a value says in English, where names are of another
 * language that has all its words: "refused" of "refusada". Returns how many; 0: it is not known.
 * Static. */
size_t lexicon_spelling_value(const struct lexicon *lexicon, struct str value, struct str *words);
/* Enter what a value of a column says in English, unless it is what a row is called; owners as for
 * lexicon_index_add_owned. False: no memory. */
MUST_USE bool lexicon_spelling_enter_value(struct lexicon *lexicon, int table, int column,
                                           struct str value, const uint64_t owners[2]);
/* The words of a table's name, without what all tables' names begin or end with; of a column's.
 * Lives as long as lexicon. */
const struct lexicon_words *lexicon_spelling_table(const struct lexicon *lexicon, int table);
const struct lexicon_words *lexicon_spelling_column(const struct lexicon *lexicon, int table,
                                                    int column);

/* Whether one of the words says that the reference is meant whose name has this stem, beside
 * another to the same table: "departing" of a source. */
bool lexicon_spelling_says_role(struct str role, const struct str *words, size_t count);

#endif
