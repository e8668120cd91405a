/* SPDX-License-Identifier: MIT */
/* tests/mockllm/mock_embed.h - a request for embeddings, and its answer.
 *
 * Vectors come from the words of the text alone: texts that share words lie near each other. Knows
 * the wire and the faults within it; knows nothing of sockets and of time. */
#ifndef TESTS_MOCKLLM_MOCK_EMBED_H
#define TESTS_MOCKLLM_MOCK_EMBED_H

#include "core/base/buf.h"
#include "proto/json_value.h"
#include "tests/mockllm/mock_plan.h"

struct mock_embed {
    struct str model;
    const struct json_value *input; /* an array of strings, or one string */
    size_t count, dimensions;
    bool base64;
};

/* Read the request's JSON; faults gets the words of the model's name. Views are in arena.
 * ERR_INVALID says what is wrong with it. */
MUST_USE enum err_code mock_embed_make(struct mock_embed *embed, struct mock_faults *faults,
                                       struct arena *arena, struct str path_model, struct str body,
                                       struct err *err);
/* The answer as one JSON value. */
void mock_embed_write(const struct mock_embed *embed, const struct mock_faults *faults,
                      struct buf *out);
/* Count the stem of each word of text at one place of vector; not scaled to length 1. */
void mock_embed_count(struct str text, float *vector, size_t dimensions);

#endif
