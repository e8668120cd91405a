/* SPDX-License-Identifier: MIT */
/* agents/semantic_query/missed.h - metrics that a question names and a statement computes in its
 * own way, where a query over metrics would have guessed nothing. Pure. */
#ifndef AGENTS_SEMANTIC_QUERY_MISSED_H
#define AGENTS_SEMANTIC_QUERY_MISSED_H

#include "agents/semantic/model.h"
#include "agents/sql/grammar/parsed.h"

struct semantic_missed_source {
    const struct semantic *semantic; /* NULL: no metric is missed */
    const struct catalog *catalog;
    enum sql_dialect dialect;
    struct str today, question;
};

/* The first metric that the question names by its words and whose definition, expression and
 * condition on rows, does not stand in the statement, which aggregates. NULL: there is none. What
 * is allocated is in arena; without memory no metric is missed. */
const struct semantic_named *semantic_query_missed(const struct semantic_missed_source *source,
                                                   const struct sql_parse *parse,
                                                   struct arena *arena);
/* What to write in the place of the statement, for a model; in arena, absent: no memory. */
struct str semantic_query_advice(const struct semantic_named *metric, struct arena *arena);

#endif
