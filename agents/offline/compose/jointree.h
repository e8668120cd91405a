/* SPDX-License-Identifier: MIT */
/* agents/offline/compose/jointree.h - the tables of a statement as a tree: which of its branches
 * are joined, and which are only asked for existence. */
#ifndef AGENTS_OFFLINE_COMPOSE_JOINTREE_H
#define AGENTS_OFFLINE_COMPOSE_JOINTREE_H

#include "agents/lexicon/index.h"
#include "agents/offline/reading/reading.h"
#include "agents/sql/joins/join_path.h"

enum { JOINTREE_NODES = 24, JOINTREE_EDGES = 16 };

struct jointree_node {
    int table;
    unsigned alias; /* 0: the only table, no alias needed */
    int parent;     /* node index; -1: the root */
    const struct join_edge *edge;
    bool forward; /* the edge runs from the parent to this node */
    bool many;    /* one row of the parent may have several here */
    bool shown;   /* its columns are shown, or those of a node below it */
    bool joined;  /* in FROM; else inside an EXISTS */
    bool names;   /* only says whose the rows are: what somebody did stays done */
};

struct jointree {
    struct jointree_node nodes[JOINTREE_NODES];
    size_t count;
};

enum { JOINTREE_WANTED = 32 };

/* Tables of a statement, the root first, and whose row one of each belongs to: READING_NONE, where
 * any way will do. */
struct jointree_wanted {
    int tables[JOINTREE_WANTED], under[JOINTREE_WANTED];
    size_t count;
    bool one_branch; /* all hang on one row below the root's */
    bool leaf;       /* nothing hangs on the second */
};

/* To find out whether several ways to join are equally good, and which: in and out of a plan. */
struct jointree_ways {
    bool settled;                  /* in: take the best way, even if another is as good */
    const struct join_edge *avoid; /* in: the best way without this edge; NULL: any */
    bool tied;                     /* out: two ways were equally good */
    const struct join_edge *edges[JOINTREE_EDGES]; /* out: of the way taken, or of the best one */
    size_t edge_count;
};

struct jointree_source {
    const struct catalog *catalog;
    const struct join_graph *graph; /* NULL: single tables only */
    struct join_finder *finder;
    const struct str *words; /* of the question, for edges named by them */
    size_t word_count;
    struct jointree_ways *ways; /* NULL: nobody asks */
};

/* One table more; those that are there already are left as they are. */
void offline_jointree_want(struct jointree_wanted *wanted, int table, int under);
/* The tree over what is wanted; a row that belongs to another is below that one, or above it.
 * ERR_NOT_FOUND: they do not join so, or two ways are equally good. */
MUST_USE enum err_code offline_jointree_plan(const struct jointree_source *source,
                                             const struct jointree_wanted *wanted,
                                             struct jointree *tree, struct err *err);
/* The node of a table, or -1. */
int offline_jointree_find(const struct jointree *tree, int table);
/* Mark the node and all above it as shown. */
void offline_jointree_show(struct jointree *tree, int node);
/* Call after offline_jointree_show. Sets joined of the nodes that are shown and of those that hang
 * on them by steps to one row; gives aliases from *alias on, but none when the tree is one table
 * and may_be_bare. */
void offline_jointree_settle(struct jointree *tree, unsigned *alias, bool may_be_bare);
/* Whether some joined step repeats rows of the root. */
bool offline_jointree_repeats(const struct jointree *tree);
/* Column pair i of the step to node: of the node and of its parent, as catalog indices. */
void offline_jointree_pair(const struct jointree_source *source, const struct jointree *tree,
                           int node, size_t i, int *column, int *parent_column);

#endif
