/* SPDX-License-Identifier: MIT */
/* tests/lib/fake_embed.h - embeddings at the vtable: hashed features, or the failure it is told. */
#ifndef TESTS_LIB_FAKE_EMBED_H
#define TESTS_LIB_FAKE_EMBED_H

#include "backends/embed.h"

struct fake_embed {
    struct embed embed;    /* give &fake.embed; its model may be changed */
    enum err_code failure; /* of every call; ERR_OK: none */
    size_t dimensions;     /* fewer than the features have; 0: all */
    bool stall;            /* calls end only when cancelled */
    unsigned calls, pending;
    size_t text_count; /* of all calls */
};

void fake_embed_init(struct fake_embed *fake, struct loop *loop);

#endif
