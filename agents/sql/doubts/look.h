/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/look.h - shared by the kinds of doubts: a statement that is looked at, and the
 * words of its question.
 *
 * For agents/sql/doubts only. */
#ifndef AGENTS_SQL_DOUBTS_LOOK_H
#define AGENTS_SQL_DOUBTS_LOOK_H

#include "agents/sql/doubts/compared.h"
#include "agents/sql/doubts/doubts.h"
#include "agents/sql/doubts/said.h"
#include "agents/sql/grammar/tree_walk.h"

enum { LOOK_WORDS = 96, LOOK_NAME_WORDS = 8, LOOK_COMPARED = 48, LOOK_SUMMED = 8 };

struct sql_doubts_look {
    struct sql_tree_walk walk;
    const struct sql_doubts_source *source;
    const struct sql_parse *parse; /* the source's */
    struct str words[LOOK_WORDS];  /* of the question */
    size_t word_count;
    struct sql_said said; /* by the question */
    struct sql_compared compared[LOOK_COMPARED];
    size_t compared_count;
    const struct sql_column_ref *summed[LOOK_SUMMED]; /* SUM(column) */
    size_t summed_count;
    bool has_groups, has_outer, has_inner, is_percent_said;
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
/* Whether it holds days, or times of days, and may be seen. */
bool sql_doubts_is_date(const struct catalog_column *column);
/* The name of the table that the column is of, as the statement writes it. */
struct str sql_doubts_table(const struct sql_doubts_look *look, const struct sql_column_ref *ref);
/* Whether two words are alike: one of at least three letters begins the other, or they share their
 * first six. */
bool sql_doubts_alike(struct str one, struct str other);
/* Whether two words are one but for an ending of the plural or of a case. */
bool sql_doubts_same_word(struct str one, struct str other);
/* The words of a name; how many of at most LOOK_NAME_WORDS. */
size_t sql_doubts_split(const struct sql_doubts_look *look, struct str name, struct str *words);

struct sql_doubts_name { /* the words that a table or column is called by */
    struct str words[2 * LOOK_NAME_WORDS];
    size_t count;
};
/* The words of its own name, and those that the source knows beside. column: CATALOG_NONE for the
 * table. */
struct sql_doubts_name sql_doubts_name_of(const struct sql_doubts_look *look, int table,
                                          int column);
/* The word of the question, of at least four letters, that name has, and other, which may be NULL,
 * does not; absent: none. */
struct str sql_doubts_said_of(const struct sql_doubts_look *look,
                              const struct sql_doubts_name *name,
                              const struct sql_doubts_name *other);
/* Whether a word of the name is like the word. */
bool sql_doubts_name_has(const struct sql_doubts_name *name, struct str word);
/* Whether the statement names the column of the table, by whatever reference. */
bool sql_doubts_uses(const struct sql_doubts_look *look, int table, int column);
/* Whether it reads the table. */
bool sql_doubts_reads(const struct sql_doubts_look *look, int table);
/* The column that the column of table refers to, alone: the other table; CATALOG_NONE: none. */
int sql_doubts_referred(const struct sql_doubts_look *look, int table, int column);
/* Whether a column of table refers to the other one. */
bool sql_doubts_refers(const struct sql_doubts_look *look, int table, int to_table);
/* Whether the call is an aggregate, and no window. */
bool sql_doubts_is_aggregate(const struct sql_doubts_look *look, const struct sql_expr *expr);
/* Whether an aggregate stands in the expression, outside of queries. */
bool sql_doubts_aggregates(const struct sql_doubts_look *look, const struct sql_expr *expr);
/* Whether the question has a word that is like one of the name. */
bool sql_doubts_speaks_of(const struct sql_doubts_look *look, struct str name);
/* The first condition of WHERE that must hold, and the next one; NULL: there is none. */
const struct sql_expr *sql_doubts_condition(const struct sql_expr *where);
const struct sql_expr *sql_doubts_next(const struct sql_expr *where, const struct sql_expr *one);
/* The sign or the words between an operand and the next one: "/", "not in". */
struct str sql_doubts_sign(const struct sql_parse *parse, const struct sql_expr *left);
/* Whether text has the whole word, given in lower case. */
bool sql_doubts_has_word(struct str text, const char *word);

/* Whether a text of the statement has the text, in any case. */
bool sql_doubts_writes(const struct sql_doubts_look *look, struct str text);
/* The last word of the name, its unit aside, is one of the topic: UnitPrice, price_cents. */
bool sql_doubts_ends_as(const struct sql_doubts_look *look, struct str name,
                        enum sql_doubts_topic topic);
/* Whether a word of the name is one of the topic. */
bool sql_doubts_holds(const struct sql_doubts_look *look, struct str name,
                      enum sql_doubts_topic topic);
/* The number that a column of the table's rows holds, of so many of something: the column of the
 * catalog whose name is one of the topic and whose type is of numbers, or CATALOG_NONE. */
int sql_doubts_number_of(const struct sql_doubts_look *look, int table,
                         enum sql_doubts_topic topic);

/* Whether COUNT(x) is of a column that may lack a value, which the question does not speak of. */
bool sql_doubts_counts_values(const struct sql_doubts_look *look, const struct sql_expr *expr);

/* The kinds: of a part of the statement, or of the whole. */
void sql_doubts_of_branch(struct sql_doubts_look *look, const struct sql_branch *branch);
void sql_doubts_of_groups(struct sql_doubts_look *look, const struct sql_branch *branch);
void sql_doubts_of_references(struct sql_doubts_look *look, const struct sql_branch *branch);
void sql_doubts_of_pairs(struct sql_doubts_look *look, const struct sql_branch *branch);
void sql_doubts_of_grain(struct sql_doubts_look *look, const struct sql_branch *branch);
void sql_doubts_of_call(struct sql_doubts_look *look, const struct sql_expr *expr);
void sql_doubts_of_comparison(struct sql_doubts_look *look, const struct sql_compared *compared);
void sql_doubts_of_division(struct sql_doubts_look *look, const struct sql_expr *expr);
void sql_doubts_of_bounds(struct sql_doubts_look *look);
void sql_doubts_of_denials(struct sql_doubts_look *look);
void sql_doubts_of_totals(struct sql_doubts_look *look);
void sql_doubts_of_columns(struct sql_doubts_look *look);
void sql_doubts_of_values(struct sql_doubts_look *look);
void sql_doubts_of_alternatives(struct sql_doubts_look *look, const struct sql_expr *expr);
void sql_doubts_of_pieces(struct sql_doubts_look *look);
void sql_doubts_of_periods(struct sql_doubts_look *look);
void sql_doubts_of_difference(struct sql_doubts_look *look, const struct sql_expr *expr);
void sql_doubts_of_times(struct sql_doubts_look *look);
void sql_doubts_of_states(struct sql_doubts_look *look);
void sql_doubts_of_ends(struct sql_doubts_look *look);
void sql_doubts_of_unordered(struct sql_doubts_look *look);
void sql_doubts_of_selves(struct sql_doubts_look *look, const struct sql_branch *branch);

#endif
