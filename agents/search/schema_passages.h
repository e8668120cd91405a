/* SPDX-License-Identifier: MIT */
/* agents/search/schema_passages.h - the tables of a catalog as texts to be found by meaning.
 *
 * For every table that a model may see: one text of its name, its columns and the comments of the
 * database; one of other words for its name and one of other words for its columns, where there are
 * any; and one for the sample values of each text column. Values come from the lexicon, which has
 * none of private or hidden columns; tables whose rows belong to a company or are read through a
 * secure view have no values here. Made once, then immutable. Any thread. */
#ifndef AGENTS_SEARCH_SCHEMA_PASSAGES_H
#define AGENTS_SEARCH_SCHEMA_PASSAGES_H

#include "agents/sql/guard/policy.h"

struct lexicon;
struct schema_passages;

struct schema_passage {
    struct str key;   /* "4", "4+", "4.2": by table and column; unique */
    struct str table; /* the name of the table (catalog_find_dotted) */
    struct str text;
};

struct schema_passages_of { /* read only while passages are made */
    const struct catalog *catalog;
    const struct lexicon *lexicon;   /* NULL: no values */
    const struct sql_policy *policy; /* says which tables have rows of companies */
};

/* NULL: no memory. */
struct schema_passages *schema_passages_create(const struct schema_passages_of *of);
/* NULL is fine. */
void schema_passages_destroy(struct schema_passages *passages);
/* The identity of the catalog: 16 hexadecimal digits made of its names and comments. */
struct str schema_passages_id(const struct schema_passages *passages);
/* The version of the passages: 16 hexadecimal digits made of all texts, with values and other
 * words. */
struct str schema_passages_version(const struct schema_passages *passages);
size_t schema_passages_count(const struct schema_passages *passages);
/* at: below the count. */
const struct schema_passage *schema_passages_get(const struct schema_passages *passages, size_t at);

#endif
