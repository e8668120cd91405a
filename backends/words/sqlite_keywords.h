/* SPDX-License-Identifier: MIT */
/* backends/words/sqlite_keywords.h - collections of passages indexed by their words (FTS5) in
 * tables of an SQLite file: change them and search them.
 *
 * Words are folded and stemmed by the tokenizer; a passage's field "heading" is indexed beside its
 * text and weighs more. Each collection has an index of its own, so that how rare a word is does
 * not depend on other collections. The tables are made when the file is first opened. For jobs of
 * sqlite_thread; the loop never comes here. */
#ifndef BACKENDS_WORDS_SQLITE_KEYWORDS_H
#define BACKENDS_WORDS_SQLITE_KEYWORDS_H

#include "backends/text.h"
#include "core/base/arena.h"

struct sqlite3;

enum { SQLITE_KEYWORDS_COLLECTIONS = 256 }; /* most of one file */

/* sqlite_open_fn: tables and functions. */
MUST_USE enum err_code sqlite_keywords_prepare(void *owner, struct sqlite3 *db, struct err *err);

/* Do a change, whole or not at all. ERR_INVALID: not a change any store takes. */
MUST_USE enum err_code sqlite_keywords_change(struct sqlite3 *db, const struct text_change *change,
                                              struct err *err);

/* Set *id to the collection called name; 0: there is none. */
MUST_USE enum err_code sqlite_keywords_collection(struct sqlite3 *db, struct str name, int64_t *id,
                                                  struct err *err);

struct sqlite_keywords_search {
    const struct text_query *query;
    struct arena *arena;
    /* result, in arena; score: BM25, from 0 up */
    struct passage_hit *hits;
    size_t hit_count;
};
/* A search of words that very many passages have ranks some of those
 * (sqlite_keywords_plan.h). */
MUST_USE enum err_code sqlite_keywords_find(struct sqlite3 *db,
                                            struct sqlite_keywords_search *search, struct err *err);

#endif
