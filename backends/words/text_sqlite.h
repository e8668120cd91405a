/* SPDX-License-Identifier: MIT */
/* backends/words/text_sqlite.h - keyword search by SQLite's FTS5, ranked by BM25.
 *
 * The file is made when it is absent, with its folder; it may be the one vec_local uses. Two
 * threads per text (sqlite_pair). Scores are BM25 with the sign turned, from 0 up; words in more
 * than half of the passages hardly count. */
#ifndef BACKENDS_WORDS_TEXT_SQLITE_H
#define BACKENDS_WORDS_TEXT_SQLITE_H

#include "backends/text.h"

/* path is copied. NULL: no memory or no thread. */
struct text *text_sqlite_create(struct loop *loop, const char *path);

#endif
