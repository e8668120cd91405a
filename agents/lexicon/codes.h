/* SPDX-License-Identifier: MIT */
/* agents/lexicon/codes.h - what the codes of columns mean: by comments ("1=active, 2=closed"), by
 * descriptions and the glossary of the semantic file, by a table that lists the codes of many
 * columns.
 *
 * Filled while a lexicon is built, immutable then. Any thread. */
#ifndef AGENTS_LEXICON_CODES_H
#define AGENTS_LEXICON_CODES_H

#include "agents/lexicon/index.h"
#include "backends/sql.h"

enum { LEXICON_CODE_BYTES = 12, LEXICON_CODE_LABEL = 60 };

/* Read the next pair of a text such as "1=active, 2: closed; 'X' - gone"; text that is no pair is
 * passed over. False: there is none. The views are of the text. */
MUST_USE bool lexicon_codes_next(struct str *rest, struct str *code, struct str *label);
/* Enter what comments, enumerated types and the glossary say. False: no memory. */
MUST_USE bool lexicon_codes_enter(struct lexicon *lexicon);
/* Enter what texts of yes and no say, once values were read: "active" for the 'Y' of ACT_FLG.
 * False: no memory. */
MUST_USE bool lexicon_codes_flags(struct lexicon *lexicon);
/* Whether one text says yes and the other no, in whichever order: "S" and "N". */
bool lexicon_codes_are_opposite(struct str one, struct str other);
/* Whether a whole number may be a yes or a no, by its name: "pagata", "archived_flag". Only its
 * values, which lexicon_codes_take_flag reads, make it sure. */
bool lexicon_codes_may_be_flag(const struct lexicon *lexicon, int table, int column);
/* Enter what 1 and 0 say of such a column, whose distinct values are the first column of rows.
 * Other values: nothing is entered. False: no memory. */
MUST_USE bool lexicon_codes_take_flag(struct lexicon *lexicon, int table, int column,
                                      const struct sql_result *rows);
/* Enter one code: its label is a word for the value. False: no memory. */
MUST_USE bool lexicon_codes_add(struct lexicon *lexicon, int table, int column, struct str code,
                                struct str label);
/* Whether something says what codes of a column mean. */
bool lexicon_codes_has(const struct lexicon *lexicon, int table, int column);
/* Code i of a table, the one that was learned last first; false: there are not so many. The views
 * are of the lexicon. */
MUST_USE bool lexicon_codes_at(const struct lexicon *lexicon, int table, size_t i, int *column,
                               struct str *code, struct str *label);
/* What a code of a column means; absent: nothing says so. */
struct str lexicon_codes_label(const struct lexicon *lexicon, int table, int column,
                               struct str code);

/* A table that lists codes of other tables' columns: kind is the name of such a column. */
struct lexicon_code_list {
    int table, kind, code, label;
};
/* Whether a table whose values were read is such a list. */
bool lexicon_codes_is_list(const struct lexicon *lexicon, int table,
                           struct lexicon_code_list *list);
/* Enter rows of (kind, code, label). False: no memory. */
MUST_USE bool lexicon_codes_take(struct lexicon *lexicon, const struct lexicon_code_list *list,
                                 const struct sql_result *rows);

#endif
