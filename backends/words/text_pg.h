/* SPDX-License-Identifier: MIT */
/* backends/words/text_pg.h - words in PostgreSQL's full text search.
 *
 * One table, askd_text, made with its dictionary on the first change by whoever the url logs in.
 * Texts are folded as core/words/fold.h has it and stemmed as English, without stop words; ranked
 * by cover density, words of the field "heading" four times as much. Scores compare within one
 * result. A change holds whole. Errors as in text.h. One loop, one thread.
 */
#ifndef BACKENDS_WORDS_TEXT_PG_H
#define BACKENDS_WORDS_TEXT_PG_H

#include "backends/text.h"

/* url: postgresql://..., all that libpq knows; copied. Opens nothing yet. NULL with err:
 * ERR_INVALID, naming the part that is wrong, or ERR_NO_MEMORY. */
struct text *text_pg_create(struct loop *loop, const char *url, struct err *err);

#endif
