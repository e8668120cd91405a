/* SPDX-License-Identifier: MIT */
/* agents/sql/joins/join_finder.h - a finder at work: its scratch, a heap, simple paths, and what
 * words make cheaper; for join_path.c, join_tree.c and join_steiner.c only.
 *
 * Costs are scaled: 64 times those of docs/joins.md, plus 1 per edge, so that of equally dear joins
 * the one with fewer tables is the cheaper. A hop is a usable edge seen from one end; "many" at an
 * end says that one row of the other end meets many of it. A peak is a table where a join arrives
 * from many and leaves to many: rows pair up by chance. One thread. */
#ifndef AGENTS_SQL_JOINS_JOIN_FINDER_H
#define AGENTS_SQL_JOINS_JOIN_FINDER_H

#include "agents/sql/joins/join_plan.h"

enum {
    JOIN_COST_SHIFT = 6,
    JOIN_MAX_FOUND = 256,   /* paths looked at among equals */
    JOIN_MAX_LABELS = 16384 /* partial paths of one search */
};
/* More than any cost; the sum of four is still a uint32_t; every byte is the same, for memset. */
#define JOIN_NO_COST      UINT32_C(0x3f3f3f3f)
#define JOIN_NO_COST_BYTE 0x3f

struct join_hop {
    int to, edge;
    bool many_out; /* leaving here: to is many */
    bool many_in;  /* arriving there: here is many */
};

struct join_label { /* a partial path, back to front */
    uint32_t cost;
    int parent, table, edge;
    unsigned char arrived_many, hops;
};

struct join_found { /* a whole path */
    uint32_t cost;
    double confidence;
    unsigned hops, type_sum, many_to_many;
    int edges[JOIN_PATH_MAX_HOPS]; /* rising, for comparing */
};

struct join_step_back { /* how a Steiner state was reached */
    int hop;   /* a hop's index; JOIN_BEGAN; or JOIN_BEGAN - mask: two trees were put together */
    int state; /* the state before; or the two trees' flags */
};
enum { JOIN_BEGAN = -1 };

struct join_live {    /* a hop that a Steiner tree may use */
    uint32_t cost[2]; /* from a state that has not left to many, and from one that has */
    int state, hop;
};

struct join_local { /* a table near a Steiner tree's terminals */
    int table;
    uint32_t peak;
    size_t terminal;  /* its bit, or 0 */
    uint64_t seen[4]; /* by kind of hop: when last seen */
};

struct join_stem {
    uint64_t hash;
    int edge;
};

struct join_cache;

struct join_finder {
    const struct join_graph *graph;
    size_t avoided;     /* an edge and one; 0: none */
    struct arena arena; /* everything below lives here, but for the cache */
    struct join_cache *cache;
    double threshold;
    unsigned max_hops, more_hops;
    size_t table_count, edge_count, hop_count;
    size_t *starts; /* hops of table t: starts[t] up to starts[t + 1] */
    struct join_hop *hops;
    uint32_t *base_cost, *cost; /* by edge: of no question, of this one */
    uint32_t *peak;             /* by table */
    struct join_stem *stems;    /* sorted */
    size_t stem_count;
    uint64_t *edge_stamp, *table_stamp; /* when last seen, against stamp */
    uint64_t stamp;
    int *queue, *table_mark;        /* by table */
    int *part;                      /* by table: one of those that usable edges join it to */
    uint32_t *layers;               /* of join_search: hops x states */
    struct join_step_back *came_by; /* of join_tree: by state */
    struct join_label *labels;
    struct join_found *found;
    uint64_t *heap; /* key << 32 | value, a binary heap */
    size_t heap_count, heap_cap;
    uint32_t *tree_cost; /* of join_steiner: masks x states */
    struct join_step_back *tree_step;
    int *active; /* masks x tables */
    size_t *active_count;
    struct join_live *live;
    size_t *live_starts;
    struct join_local *local; /* by number among the near */
    int *number;              /* by table; -1: not near */
    int32_t *near, *rest;     /* terminals x tables; tables */
    uint32_t *ways;           /* sets of terminals x from x to */
};

/* The heap: least key first, then least value. Never over heap_cap (CHECK). */
void join_heap_push(struct join_finder *finder, uint32_t key, uint32_t value);
MUST_USE bool join_heap_pop(struct join_finder *finder, uint32_t *key, uint32_t *value);

/* Simple paths of at most max_hops in order of cost and tie-break, up to want; the
 * result is finder->found. */
size_t join_search_paths(struct join_finder *finder, int from, int to, unsigned max_hops,
                         size_t want);
/* Fewest hops between two tables over usable edges, or over all; -1: not joined. */
int join_search_hops(struct join_finder *finder, int from, int to, bool usable_only);

#endif
