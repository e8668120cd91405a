/* SPDX-License-Identifier: MIT */
/* backends/models/embed_hash.h - embeddings without a model: hashed features of the text itself.
 *
 * The embedded default: deterministic, free and always ready. Its model is "hash-1"; the number
 * rises whenever a text would get another vector. One loop, one thread. */
#ifndef BACKENDS_MODELS_EMBED_HASH_H
#define BACKENDS_MODELS_EMBED_HASH_H

#include "backends/embed.h"

/* An embed owned by the caller, who ends it with embed_close. Many or long texts are computed on
 * the thread pool, a question at once. NULL: no memory. */
struct embed *embed_hash_create(struct loop *loop);

#endif
