/* SPDX-License-Identifier: MIT */
/* proto/models/anthropic_answer.h - what a server of Anthropic's Messages API says: the events of a
 * stream (message_start, content_block_start, content_block_delta, message_delta, message_stop,
 * ping, error) and whole messages.
 *
 * Tolerant as openai_answer is: events and members that are not known are passed over. Usage comes
 * in pieces, the tokens of the prompt first: members that are 0 were not said. Tokens that were
 * read from the cache or written to it count as the prompt's. One thread. */
#ifndef PROTO_MODELS_ANTHROPIC_ANSWER_H
#define PROTO_MODELS_ANTHROPIC_ANSWER_H

#include "proto/models/model_answer.h"

/* One event of a stream, by its data alone, which names its type. A model_answer_fn. */
MUST_USE enum err_code anthropic_answer_event(struct str data, struct buf *scratch,
                                              struct model_answer *answer, struct err *err);
/* The answer to a request without stream. A model_answer_fn. */
MUST_USE enum err_code anthropic_answer_whole(struct str body, struct buf *scratch,
                                              struct model_answer *answer, struct err *err);

#endif
