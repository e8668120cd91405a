/* SPDX-License-Identifier: MIT */
/* agents/nodes/findings.h - what is doubtful about a statement that the guard passes: texts that
 * are no values, joins that nobody knows, rows counted twice, parts of the question left out.
 *
 * A finding is said twice, in other words: told to the model, which mends the statement or insists
 * on it, and shown to the person who asked when it is left. Deterministic; puts nothing. */
#ifndef AGENTS_NODES_FINDINGS_H
#define AGENTS_NODES_FINDINGS_H

#include "agents/nodes/literals.h"
#include "agents/proving/prove.h"

enum { FINDINGS_MOST = 8 };

struct finding {
    const char *kind; /* "unknown_value", "odd_join", "odd_condition", "odd_window", "multiplied",
                         "tie", "left_out", "metric", "second_look", or a sql_doubt's; static */
    struct str told, shown;
    bool is_stranger; /* it is about a condition that the question does not have */
    bool leads;       /* rows prove that the figures count rows again: said before the answer */
    bool is_wrong;    /* the statement is right for no question, and rows prove it */
};

struct findings {
    struct finding at[FINDINGS_MOST];
    size_t count;
};

struct findings_source {
    const struct sql_parse *parse;
    const struct literals_found *texts; /* NULL: texts were not looked at */
    struct str question, asked;         /* and those before it (asked.h); empty: not known */
    const struct prove *proved;         /* NULL: nothing was proven */
};

/* Which rows of a table count, as the lexicon knows it: the 'counted' of sql_doubts_source, whose
 * owner is the node. */
bool findings_counted(void *node, int table, struct sql_doubts_rule *rule);
/* Look at the statement; texts are in the arena of the node. */
void findings_look(struct node *node, const struct findings_source *source,
                   struct findings *findings);
/* The findings as one text for the model, which says what to do about them; absent: there are
 * none, or no memory. */
struct str findings_tell(struct node *node, const struct findings *findings);
/* Drop those about conditions that the question does not have: the model was told which values
 * there are, and took one. */
void findings_drop_strangers(struct findings *findings);
/* The first finding by which the statement must not be believed; NULL: there is none. */
const struct finding *findings_wrong(const struct findings *findings);
/* Whether after has a finding of a kind that before has none of. */
bool findings_are_new(const struct findings *after, const struct findings *before);

#endif
