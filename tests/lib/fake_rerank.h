/* SPDX-License-Identifier: MIT */
/* tests/lib/fake_rerank.h - a reranker at the vtable: the later a text came, the better it is; or
 * the failure it is told. */
#ifndef TESTS_LIB_FAKE_RERANK_H
#define TESTS_LIB_FAKE_RERANK_H

#include "backends/rerank.h"

struct fake_rerank {
    struct rerank rerank;  /* give &fake.rerank */
    enum err_code failure; /* of every call; ERR_OK: none */
    bool stall;            /* calls end only when cancelled */
    unsigned calls, pending;
    size_t text_count; /* of the last call */
};

void fake_rerank_init(struct fake_rerank *fake, struct loop *loop);

#endif
