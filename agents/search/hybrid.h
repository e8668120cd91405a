/* SPDX-License-Identifier: MIT */
/* agents/search/hybrid.h - looks passages up by meaning and by keyword at once, and fuses the two
 * rankings; a reranker, where there is one, has the last word.
 *
 * One operation: the question is embedded and searched in the vector store while its words are
 * searched in the keyword store. In the fused ranking the score of a passage is a weighted sum,
 * over the rankings that have it, of its reciprocal rank, 1 / (60 + rank) (reciprocal rank fusion;
 * Cormack, Clarke and Buettcher 2009), and of how near its score comes to the best of that ranking.
 * The caller's company_id and user_id always filter (C47); a passage without an owner is
 * everybody's. One loop, one thread. */
#ifndef AGENTS_SEARCH_HYBRID_H
#define AGENTS_SEARCH_HYBRID_H

#include "agents/services/services.h"

struct json_write;

enum { HYBRID_TOP_K_INITIAL = 30, HYBRID_TOP_K_FINAL = 8 }; /* TOP_K_INITIAL, TOP_K_FINAL */

/* Names of the collections that askd searches. */
#define HYBRID_DOCUMENTS STR("documents")           /* rag_agent */
#define HYBRID_FINANCIAL STR("financial_documents") /* analyst */
#define HYBRID_SQL_PAIRS STR("sql_pairs")           /* text_to_sql */
#define HYBRID_METADATA  STR("metadata")            /* text_to_sql: rules and terms */
#define HYBRID_SCHEMA    STR("schema_info")         /* tables, made from the catalog */
#define HYBRID_MEMORY    STR("conversation_memory") /* analyst */

struct hybrid_query {
    struct str collection;
    struct str text;                      /* the question */
    struct str keywords;                  /* absent: text's words */
    size_t top_initial;                   /* of each search; 0: HYBRID_TOP_K_INITIAL */
    size_t top_final;                     /* kept after fusion; 0: HYBRID_TOP_K_FINAL */
    const struct passage_filter *filters; /* besides the caller's own; at most
                                             PASSAGE_MAX_FILTERS - 2 */
    size_t filter_count;
    bool may_rerank; /* by the reranker of the services, where there is one */
    bool own_only;   /* only the user's own passages, none of everybody's */
    uint64_t timeout_ms;
    struct arena *arena; /* hits are made here */
};

struct hybrid_hit {
    struct passage passage;
    double score;      /* 0..1. Fused: 1 is first in every ranking; reranked: the reranker's, cut
                          to that range */
    double similarity; /* cosine; NAN: only the words found it */
};

struct hybrid_search {
    struct op op; /* "search.hybrid" */
    /* result, valid from done on; in query->arena */
    const struct hybrid_hit *hits;
    size_t hit_count;
    /* Why one of the two searches failed while the other answered; empty: both answered. When both
     * fail the operation ends with the first error. */
    struct err degraded;
    /* Why the reranker failed, so that hits are in the order of the searches; empty: it did not. */
    struct err unranked;
    /* private */
    const struct hybrid_query *query;
    void *impl; /* in query->arena */
};

/* Start on behalf of session, whose services name the stores; query and what it points at must live
 * until done. ERR_UNAVAILABLE: no store is configured, or neither answers. */
void hybrid_search_start(struct hybrid_search *search, const struct session *session,
                         const struct hybrid_query *query, struct op_waiter waiter);

/* Write what a reader of the hits is to be told into an open array: a sentence for degraded, one
 * for unranked; their causes into log. Returns how many. */
size_t hybrid_write_warnings(const struct hybrid_search *search, const struct log *log,
                             struct json_write *json);

struct hybrid_ranking { /* best first; ids are unique within it */
    const struct passage_hit *hits;
    size_t count;
    bool answered; /* false: this search was not started, or failed */
};

/* Fuse both rankings and copy the best top hits into arena with everything they point at. Scores
 * are as in struct hybrid_hit, over the rankings that answered; similarity is from near. Of equal
 * scores the more similar hit comes first, then by id. Returns how many; *hits is NULL when memory
 * is spent. */
size_t hybrid_fuse(struct arena *arena, const struct hybrid_ranking *near,
                   const struct hybrid_ranking *words, size_t top, struct hybrid_hit **hits);

#endif
