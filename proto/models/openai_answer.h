/* SPDX-License-Identifier: MIT */
/* proto/models/openai_answer.h - what a chat-completions server says: chunks and whole answers.
 *
 * Tolerant: unknown members are skipped, absent and null ones are absent; only what is not JSON or
 * has the wrong type where we look is refused. Only the first choice is read. A chunk costs no
 * allocation once scratch has grown. One thread. */
#ifndef PROTO_MODELS_OPENAI_ANSWER_H
#define PROTO_MODELS_OPENAI_ANSWER_H

#include "proto/models/model_answer.h"

/* One event of a stream, a model_answer_fn. */
MUST_USE enum err_code openai_answer_chunk(struct str data, struct buf *scratch,
                                           struct model_answer *answer, struct err *err);
/* The answer to a request without stream, a model_answer_fn. */
MUST_USE enum err_code openai_answer_whole(struct str body, struct buf *scratch,
                                           struct model_answer *answer, struct err *err);

#endif
