/* SPDX-License-Identifier: MIT */
/* agents/nodes/literals.h - holds the texts that a statement compares columns with against the
 * values of these columns, before it runs: a text in no row gives a wrong number, not an error. */
#ifndef AGENTS_NODES_LITERALS_H
#define AGENTS_NODES_LITERALS_H

#include "agents/services/services.h"

struct literals_found {
    struct str sql;    /* the statement with its texts spelled as the database does; absent: none
                          was to be mended */
    struct str mended; /* what was mended, for people to read */
    struct str doubt;  /* which texts are no values, and which are: for the model; absent: none */
    struct str remark; /* which texts are no values: for people */
};

/* Look at the texts in column = 'text', <> and IN of a statement of the model, as far as all values
 * of the column are known; and at texts that stand for truth values. What the caller's company may
 * not know is not said. In the arena of the node; without memory nothing is found. */
void literals_check(struct node *node, const struct sql_parse *parse, struct literals_found *found);
/* The same of any statement, for whom the lexicon says: "'on_hold' -> 'on hold'". In arena. */
void literals_look(const struct lexicon *lexicon, const struct sql_parse *parse,
                   struct arena *arena, struct literals_found *found);

#endif
