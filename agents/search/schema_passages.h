/* SPDX-License-Identifier: MIT */
/* agents/search/schema_passages.h - the tables of a catalog as texts to be found by meaning.
 *
 * Of every table that a model may see: one of its name, its columns and what the database says of
 * them; one of other words for its name and one of those for its columns, where there are some; and
 * one of each text column's sample values. Values are those of the lexicon, so none of private or
 * hidden columns; and none of tables whose rows belong to a company or are read through a secure
 * view. Made once, then immutable. Any thread. */
#ifndef AGENTS_SEARCH_SCHEMA_PASSAGES_H
#define AGENTS_SEARCH_SCHEMA_PASSAGES_H

#include "agents/sql/guard/policy.h"

struct lexicon;
struct schema_passages;

struct schema_passage {
    struct str key;   /* "4", "4+", "4.2": of its table and column; unlike any other's */
    struct str table; /* the name it goes by (catalog_find_dotted) */
    struct str text;
};

struct schema_passages_of { /* read only while passages are made */
    const struct catalog *catalog;
    const struct lexicon *lexicon;   /* NULL: no values */
    const struct sql_policy *policy; /* says whose the rows of a table are */
};

/* NULL: no memory. */
struct schema_passages *schema_passages_create(const struct schema_passages_of *of);
/* NULL is fine. */
void schema_passages_destroy(struct schema_passages *passages);
/* Which catalog they speak of: 16 hexadecimal digits of its names and comments. */
struct str schema_passages_id(const struct schema_passages *passages);
/* The same of all texts, with values and other words. */
struct str schema_passages_version(const struct schema_passages *passages);
size_t schema_passages_count(const struct schema_passages *passages);
/* at: below the count. */
const struct schema_passage *schema_passages_get(const struct schema_passages *passages, size_t at);

#endif
