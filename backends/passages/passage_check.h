/* SPDX-License-Identifier: MIT */
/* backends/passages/passage_check.h - what every store of documents refuses, in the same words.
 *
 * Called before anything else is done, so that a request one store takes is taken by all of them;
 * for changes, which may be long, by the thread that does the work. No memory, no I/O. Each
 * function gives ERR_OK or ERR_INVALID with the first thing that is wrong. */
#ifndef BACKENDS_PASSAGES_PASSAGE_CHECK_H
#define BACKENDS_PASSAGES_PASSAGE_CHECK_H

#include "backends/text.h"
#include "backends/vec.h"

enum {
    PASSAGE_CHECK_MAX_TOP_K = 1000,
    PASSAGE_CHECK_MAX_NAME = 64,  /* bytes of a field's name */
    PASSAGE_CHECK_MAX_MODEL = 256 /* bytes of a model's name */
};

/* What a query must be: a collection's name is letters, digits, "_", "-" and "."; filters name
 * fields; numbers are finite and there are as many as the query says. */
MUST_USE enum err_code passage_check_vec_query(const struct vec_query *query, struct err *err);
MUST_USE enum err_code passage_check_text_query(const struct text_query *query, struct err *err);

/* What holds for queries holds for changes; also: ids, texts and values are UTF-8 without NUL and
 * within PASSAGE_MAX_*, no field comes twice in one passage. An id that comes twice in a change is
 * fine: the later one holds. */
MUST_USE enum err_code passage_check_vec_change(const struct vec_change *change, struct err *err);
MUST_USE enum err_code passage_check_text_change(const struct text_change *change, struct err *err);

/* Whether vectors of a model belong into a collection that holds held_model's: ERR_INVALID says
 * both, and what to do. */
MUST_USE enum err_code passage_check_kind(struct str collection, struct str held_model,
                                          size_t held_dimensions, struct str model,
                                          size_t dimensions, struct err *err);

#endif
