/* SPDX-License-Identifier: MIT */
/* agents/search/schema_index.h - the tables of a catalog as passages, kept in the collection
 * schema_info, so that tables are found by meaning.
 *
 * One passage a table that a model may see: its name, its columns and what the database says of
 * them. What belonged to an older catalog of the same database goes with the write of the new one;
 * a catalog that is there already is left alone. One loop, one thread. */
#ifndef AGENTS_SEARCH_SCHEMA_INDEX_H
#define AGENTS_SEARCH_SCHEMA_INDEX_H

#include "agents/services.h"

/* The fields of such a passage: whose table it is, and the name it goes by (catalog_find_dotted).
 */
#define SCHEMA_INDEX_CATALOG STR("catalog")
#define SCHEMA_INDEX_TABLE   STR("table")

enum { SCHEMA_INDEX_ID_BYTES = 16 };

/* Which catalog a passage speaks of: 16 hexadecimal digits of its text, in to. */
struct str schema_index_id(const struct catalog *catalog, char to[SCHEMA_INDEX_ID_BYTES]);

struct schema_index; /* in its own memory */
struct schema_index_run {
    struct op op;       /* "search.schema_index" */
    size_t table_count; /* result: passages written; 0: they were there */
    /* private */
    struct schema_index *impl;
};

struct schema_index_of {
    const struct catalog *catalog;
    struct str id;     /* schema_index_id */
    struct str source; /* names the database, whose older passages are replaced */
};

/* Keep the tables of of->catalog in has->vec; of is read only before this returns. run is zeroed
 * before its first start. Errors are the embeddings' and the store's; ERR_UNAVAILABLE: there is
 * none. */
void schema_index_start(struct schema_index_run *run, const struct services *has,
                        const struct schema_index_of *of, struct op_waiter waiter);

#endif
