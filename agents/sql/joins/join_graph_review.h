/* SPDX-License-Identifier: MIT */
/* agents/sql/joins/join_graph_review.h - a model judges the doubtful relationships of a join graph.
 *
 * Doubtful: an association or a guess under a confidence, that nobody judged yet. Each verdict is
 * kept in its edge: confirmed (confidence rises to the model's), refused (falls to what the model
 * leaves it) or unclear (stays). A graph that is written after every batch and read again therefore
 * goes on where it stopped. The graph must not be shared yet. One loop. */
#ifndef AGENTS_SQL_JOINS_JOIN_GRAPH_REVIEW_H
#define AGENTS_SQL_JOINS_JOIN_GRAPH_REVIEW_H

#include "agents/sql/joins/join_graph.h"
#include "backends/llm.h"

struct join_graph_review;
struct prompt_set;
struct prompt_spec;

extern const struct prompt_spec join_graph_review_prompt; /* in agents/sql/prompts */

struct join_graph_review_options {    /* borrowed until done */
    const struct prompt_set *prompts; /* holds join_graph_review_prompt */
    double below;                     /* 0: 0.7 */
    size_t batch;                     /* relationships a question; 0: 20, at most 50 */
    /* After each batch, and the graph may be written then; may be NULL. */
    void (*on_batch)(void *owner, const struct join_graph_review *review);
    void *owner;
};

struct join_graph_review {
    struct op op;
    size_t doubtful; /* how many there were at the start */
    size_t confirmed, refused, unclear;
    size_t unanswered; /* asked about, but the answer said nothing of them: for another time */
    /* private */
    void *impl;
};

/* How many relationships are doubtful. below: as the options'. */
size_t join_graph_doubtful(const struct join_graph *graph, double below);
/* Ask batch by batch. Errors: the model's own; ERR_PROTOCOL: three answers in a row were of no use;
 * verdicts given before stay. */
void join_graph_review_start(struct join_graph_review *review, struct join_graph *graph,
                             struct llm *llm, const struct join_graph_review_options *options,
                             struct op_waiter waiter);

#endif
