/* SPDX-License-Identifier: MIT */
/* proto/models/answer_same.h - the events of one stream that differ in their text alone.
 *
 * A model server says the same two hundred bytes around every token. An event that was read, and
 * held nothing but a text, is remembered with the place of that text; one that has the same bytes
 * before and behind a JSON string reads the same but for that string, so only the string is read.
 * Whatever differs is read whole. One thread. */
#ifndef PROTO_MODELS_ANSWER_SAME_H
#define PROTO_MODELS_ANSWER_SAME_H

#include "proto/models/model_answer.h"

struct answer_same { /* zeroed: nothing is remembered */
    struct buf event;
    size_t from, to; /* the text in it, between its quotes; to 0: none */
};

void answer_same_fini(struct answer_same *same);
/* Remember an event that was read into answer, if it may be. */
void answer_same_learn(struct answer_same *same, struct str data,
                       const struct model_answer *answer);
/* Read an event that differs from the remembered one in its text alone: *content is a view of data,
 * or of scratch, which is cleared. False: read it whole. */
MUST_USE bool answer_same_read(const struct answer_same *same, struct str data, struct buf *scratch,
                               struct str *content);

#endif
