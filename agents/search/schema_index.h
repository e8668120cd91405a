/* SPDX-License-Identifier: MIT */
/* agents/search/schema_index.h - the tables of a catalog, kept in the collection schema_info, so
 * that they are found by meaning.
 *
 * What belonged to an older catalog of the same database goes with the first write of the new one;
 * a catalog that is there already is left alone. Texts are embedded and written a batch at a time:
 * no turn of the loop makes more than one. One loop, one thread. */
#ifndef AGENTS_SEARCH_SCHEMA_INDEX_H
#define AGENTS_SEARCH_SCHEMA_INDEX_H

#include "agents/search/schema_passages.h"
#include "agents/services/services.h"

/* The fields of such a passage: whose table it is, and the name it goes by (catalog_find_dotted).
 */
#define SCHEMA_INDEX_CATALOG STR("catalog")
#define SCHEMA_INDEX_TABLE   STR("table")

struct schema_index; /* in its own memory */
struct schema_index_run {
    struct op op;         /* "search.schema_index" */
    size_t passage_count; /* result: passages written; 0: they were there */
    /* private */
    struct schema_index *impl;
};

struct schema_index_of { /* kept until done */
    const struct schema_passages *passages;
    struct str source; /* names the database, whose older passages are replaced */
};

/* Keep of->passages in has->vec. run is zeroed before its first start. Errors are the embeddings'
 * and the store's; ERR_UNAVAILABLE: there is none. */
void schema_index_start(struct schema_index_run *run, const struct services *has,
                        const struct schema_index_of *of, struct op_waiter waiter);

/* The tables that hits found in the collection are passages of, best first, each once; up to max.
 * catalog: the one that was asked for. */
size_t schema_index_tables(const struct catalog *catalog, const struct passage_hit *hits,
                           size_t hit_count, int *tables, size_t max);

#endif
