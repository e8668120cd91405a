/* SPDX-License-Identifier: MIT */
/* backends/words/sqlite_bm25.h - askd_bm25(index, rows): a row's score by BM25, for an FTS5 index
 * of a heading and a text.
 *
 * As FTS5's own bm25(), but that it is told in how many rows each phrase occurs, one double each in
 * the blob rows, where that function would walk through all of them; 0: the phrase does not count.
 * Scores are from 0 up. Any thread. */
#ifndef BACKENDS_WORDS_SQLITE_BM25_H
#define BACKENDS_WORDS_SQLITE_BM25_H

#include "core/base/err.h"

struct sqlite3;

/* Teach a connection askd_bm25. */
MUST_USE enum err_code sqlite_bm25_prepare(struct sqlite3 *db, struct err *err);

#endif
