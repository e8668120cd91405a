/* SPDX-License-Identifier: MIT */
/* agents/search/near.h - embeds a text once and looks it up by meaning in several collections.
 *
 * The caller's company_id and user_id always filter (C47); a passage without an owner is
 * everybody's. A failure in one collection does not fail the others. One loop, one thread. */
#ifndef AGENTS_SEARCH_NEAR_H
#define AGENTS_SEARCH_NEAR_H

#include "agents/services/services.h"

enum { NEAR_MAX_LOOKS = 3 };

struct near_look {         /* one collection */
    struct str collection; /* kept until done */
    size_t top;
    struct str field, value; /* only passages with this field's value; field empty: any */
};

struct near_query {
    struct str text; /* the question */
    struct near_look looks[NEAR_MAX_LOOKS];
    size_t look_count;
    uint64_t timeout_ms; /* of each step; 0: the backends' defaults */
};

struct near_search { /* zeroed before its first start */
    struct op op;    /* "search.near"; fails when the text cannot be embedded or nothing answers */
    /* result, valid in done with ERR_OK until release: one per look; op.err of each has its error
     */
    struct vec_search found[NEAR_MAX_LOOKS];
    /* private */
    const struct services *has;
    const struct near_query *query;
    struct embed_texts embedding;
    struct embed_request to_embed;
    struct vec_query queries[NEAR_MAX_LOOKS];
    struct passage_filter filters[NEAR_MAX_LOOKS][3];
    struct str owners[2][2];
    size_t pending;
};

/* Whether there are embeddings and a vector store to search with. */
bool near_search_can(const struct services *has);
/* Start on behalf of session; query is kept until done. ERR_UNAVAILABLE: see near_search_can. */
void near_search_start(struct near_search *search, const struct session *session,
                       const struct near_query *query, struct op_waiter waiter);

#endif
