/* SPDX-License-Identifier: MIT */
/* proto/models/openai_embeddings.h - an embeddings server's answer, piece by piece as it comes.
 *
 * {"data":[{"index":0,"embedding":[...] or "base64 of little-endian floats"},...],"usage":{...}}: a
 * vector is given as soon as it is complete, so that memory and time on the loop stay bounded by
 * one of them. Unknown members are skipped; errors within are as in openai_answer.h. One thread. */
#ifndef PROTO_MODELS_OPENAI_EMBEDDINGS_H
#define PROTO_MODELS_OPENAI_EMBEDDINGS_H

#include "proto/models/openai_answer.h"

enum { OPENAI_EMBEDDINGS_DIMENSIONS = 4096 }; /* most that one vector may have */

/* One vector, borrowed for the call, of finite numbers; index: of the text it belongs to, as the
 * server says, else counted. What it returns, if not ERR_OK, with err set, ends the reading. */
typedef enum err_code openai_embeddings_fn(void *owner, uint64_t index, const float *vector,
                                           size_t dimensions, struct err *err);

struct openai_embeddings {
    uint64_t count; /* vectors given */
    /* private */
    openai_embeddings_fn *on_vector;
    void *owner;
    struct buf item; /* of data, while it comes */
    struct buf rest; /* the answer with 0 for every item */
    struct buf scratch;
    unsigned depth;
    bool in_string, is_escaped, in_data;
    struct str key; /* the last string directly in the answer, in key_bytes */
    char key_bytes[8];
    struct err err;                                 /* the first; reading stopped there */
    float vector[OPENAI_EMBEDDINGS_DIMENSIONS + 2]; /* with room for base64's last bytes */
};

void openai_embeddings_init(struct openai_embeddings *reader, openai_embeddings_fn *on_vector,
                            void *owner);
void openai_embeddings_fini(struct openai_embeddings *reader);
/* Read on. ERR_PROTOCOL: the answer is not of this form, or larger than allowed; ERR_NO_MEMORY;
 * what on_vector said. */
MUST_USE enum err_code openai_embeddings_feed(struct openai_embeddings *reader, struct str bytes,
                                              struct err *err);
/* No more bytes come: ERR_OK if what came was a complete answer; *answer is what it said besides
 * vectors, its views are in reader. */
MUST_USE enum err_code openai_embeddings_end(struct openai_embeddings *reader,
                                             struct model_answer *answer, struct err *err);

#endif
