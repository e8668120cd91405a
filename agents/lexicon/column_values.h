/* SPDX-License-Identifier: MIT */
/* agents/lexicon/column_values.h - the values of each column as the database spells them: to list
 * the few that a status has, and to tell how a text was meant that is none of them.
 *
 * Filled while a lexicon is loaded, immutable then. Asked through a lexicon, which says whose
 * company asks (lexicon_index_seen_by): a value that only other companies have is none. Columns
 * that lexicon_index_wants leaves out (private, hidden) have none. Any thread. */
#ifndef AGENTS_LEXICON_COLUMN_VALUES_H
#define AGENTS_LEXICON_COLUMN_VALUES_H

#include "agents/lexicon/index.h"

enum { LEXICON_FEW = 24, LEXICON_VALUE_BYTES = 64 };

struct lexicon_value {
    struct str text;
    uint64_t owners[2]; /* owned.h; 0: everybody's, or one only */
};

/* Keep the values of a column: count texts in the lexicon's arena, each once, of at most
 * LEXICON_VALUE_BYTES. has_long: longer ones are left out. Sorts values, which is kept. False: no
 * memory. */
MUST_USE bool lexicon_column_values_keep(struct lexicon *lexicon, int table, int column,
                                         struct lexicon_value *values, size_t count, bool has_long);

/* Write to values those of a column that has at most LEXICON_FEW and none that is long, sorted; how
 * many. 0: there are none, or more. *has_all: the column has no others. */
size_t lexicon_column_values_few(const struct lexicon *lexicon, int table, int column,
                                 struct str values[LEXICON_FEW], bool *has_all);

/* All values of a column that were read, in order, and how many; whoever asks. */
const struct lexicon_value *lexicon_column_values_all(const struct lexicon *lexicon, int table,
                                                      int column, size_t *count);
/* Whether two texts are the same but for case, blanks, underscores and hyphens. */
bool lexicon_column_values_same(struct str a, struct str b);

enum lexicon_spelling {
    LEXICON_SPELLING_OPEN,    /* not all values of the column are known */
    LEXICON_SPELLING_RIGHT,   /* text is a value */
    LEXICON_SPELLING_NEAR,    /* it is none, and *meant is the only one that can be meant */
    LEXICON_SPELLING_LACKING, /* it is none */
};
/* Whether text is a value of the column, and how it is spelled. folds: the database compares
 * without regard to case. */
enum lexicon_spelling lexicon_column_values_spelling(const struct lexicon *lexicon, int table,
                                                     int column, struct str text, bool folds,
                                                     struct str *meant);
/* Whether text is a value that was read; true of a column whose values are not read, or were read
 * whole. Case is ignored. */
bool lexicon_column_values_may_have(const struct lexicon *lexicon, int table, int column,
                                    struct str text);
/* Write to values those nearest to text, best first, at most max; how many. */
size_t lexicon_column_values_nearest(const struct lexicon *lexicon, int table, int column,
                                     struct str text, struct str *values, size_t max);

#endif
