/* SPDX-License-Identifier: MIT */
/* proto/model_answer_words.h - what the words of a provider's error mean. Private to proto. */
#ifndef PROTO_MODEL_ANSWER_WORDS_H
#define PROTO_MODEL_ANSWER_WORDS_H

#include "proto/answer_walk.h"

/* The code of an error when there is no HTTP status to go by. */
enum err_code model_words_code(const struct answer_walk *walk);
/* A copy of text on one line, cut to room, for a message to people. */
struct str model_words_clean(struct str text, char *to, size_t room);
/* Walk text, an object whose members take takes; scratch gets room first for all that may be
 * unescaped, so that no view in it moves. False: see walk->wrong, walk->json and scratch. */
bool answer_walk_text(struct answer_walk *walk, struct str text, answer_member_fn *take);

#endif
