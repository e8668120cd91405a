/* SPDX-License-Identifier: MIT */
/* agents/search/schema_index.h - keeps the tables of a catalog as passages in the collection
 * schema_info, so that they are found by meaning.
 *
 * The first write for a new catalog removes the passages of older catalogs of the same database; a
 * catalog that is stored already is left alone. Texts are embedded and written a batch at a time,
 * at most one batch in a turn of the loop. One loop, one thread. */
#ifndef AGENTS_SEARCH_SCHEMA_INDEX_H
#define AGENTS_SEARCH_SCHEMA_INDEX_H

#include "agents/search/schema_passages.h"
#include "agents/services/services.h"

/* The fields of a passage of this collection: the catalog that its table is in
 * (schema_passages_id), and the name of the table (catalog_find_dotted). */
#define SCHEMA_INDEX_CATALOG STR("catalog")
#define SCHEMA_INDEX_TABLE   STR("table")

struct schema_index; /* in its own memory */
struct schema_index_run {
    struct op op;         /* "search.schema_index" */
    size_t passage_count; /* result: passages written; 0: all were stored before */
    /* private */
    struct schema_index *impl;
};

struct schema_index_of { /* kept until done */
    const struct schema_passages *passages;
    struct str source; /* names the database, whose older passages are replaced */
};

/* Store of->passages in has->vec. run is zeroed before its first start. Errors are those of the
 * embeddings and of the store; ERR_UNAVAILABLE: one of them is not configured. */
void schema_index_start(struct schema_index_run *run, const struct services *has,
                        const struct schema_index_of *of, struct op_waiter waiter);

/* Write to tables the tables that hits of the collection are passages of, best first, each once.
 * Returns how many, at most max. catalog: the one that the search was for. */
size_t schema_index_tables(const struct catalog *catalog, const struct passage_hit *hits,
                           size_t hit_count, int *tables, size_t max);

#endif
