/* SPDX-License-Identifier: MIT */
/* tests/mockllm/mock_rerank.h - a request to rank texts, and its answer, as three kinds of server
 * have them: Cohere's at .../v2/rerank, Jina's at .../v1/rerank, TEI's at any other .../rerank.
 *
 * The score of a text is the share of the query's words that it has. Knows the wires and what they
 * refuse; knows nothing of sockets and of time. */
#ifndef TESTS_MOCKLLM_MOCK_RERANK_H
#define TESTS_MOCKLLM_MOCK_RERANK_H

#include "core/base/buf.h"
#include "proto/json_value.h"
#include "tests/mockllm/mock_plan.h"

enum { MOCK_RERANK_MOST = 32 }; /* TEI's most */

struct mock_rerank {
    enum { MOCK_COHERE, MOCK_JINA, MOCK_TEI } wire;
    struct str query;
    const struct json_value *texts;
    size_t count;
};

/* Read the request's JSON; faults gets the words of the model's name, of TEI those of the path's
 * first part. Views are in arena. ERR_INVALID says what is wrong with it. */
MUST_USE enum err_code mock_rerank_make(struct mock_rerank *rerank, struct mock_faults *faults,
                                        struct arena *arena, struct str path, struct str body,
                                        struct err *err);
/* The answer as one JSON value, best first. */
void mock_rerank_write(const struct mock_rerank *rerank, const struct mock_faults *faults,
                       struct buf *out);

#endif
