/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/look.h - shared by the kinds of doubts: a statement that is looked at, and the
 * words of its question.
 *
 * For agents/sql/doubts only. */
#ifndef AGENTS_SQL_DOUBTS_LOOK_H
#define AGENTS_SQL_DOUBTS_LOOK_H

#include "agents/sql/doubts/doubts.h"
#include "agents/sql/grammar/tree_walk.h"

enum { LOOK_WORDS = 96, LOOK_NAME_WORDS = 8 };

struct sql_doubts_look {
    struct sql_tree_walk walk;
    const struct sql_doubts_source *source;
    const struct sql_parse *parse; /* the source's */
    struct str words[LOOK_WORDS];  /* of the question */
    size_t word_count;
    sql_doubts_fn *say;
    void *owner;
};

void sql_doubts_say(const struct sql_doubts_look *look, const char *kind, struct str told,
                    struct str shown);
/* The bytes of a part of the statement, at most 160. */
struct str sql_doubts_text(const struct sql_doubts_look *look, struct sql_span span);
/* The column of a catalog that the expression is; NULL: it is none. */
const struct catalog_column *sql_doubts_column(const struct sql_doubts_look *look,
                                               const struct sql_column_ref *ref);
/* The name of the table that the column is of, as the statement writes it. */
struct str sql_doubts_table(const struct sql_doubts_look *look, const struct sql_column_ref *ref);
/* Whether two words are alike: one of at least three letters begins the other, or they share their
 * first six. */
bool sql_doubts_alike(struct str one, struct str other);
/* The words of a name; how many of at most LOOK_NAME_WORDS. */
size_t sql_doubts_split(const struct sql_doubts_look *look, struct str name, struct str *words);
/* Whether the question has a word that is like one of the name. */
bool sql_doubts_speaks_of(const struct sql_doubts_look *look, struct str name);
/* Whether text has the whole word, given in lower case. */
bool sql_doubts_has_word(struct str text, const char *word);

/* The kinds. */
void sql_doubts_of_branch(struct sql_doubts_look *look, const struct sql_branch *branch);
void sql_doubts_of_groups(struct sql_doubts_look *look, const struct sql_branch *branch);
void sql_doubts_of_call(struct sql_doubts_look *look, const struct sql_expr *expr);
void sql_doubts_of_comparison(struct sql_doubts_look *look, const struct sql_expr *expr);
void sql_doubts_of_columns(struct sql_doubts_look *look);

#endif
