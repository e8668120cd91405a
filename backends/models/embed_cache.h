/* SPDX-License-Identifier: MIT */
/* backends/models/embed_cache.h - an embed around an embed, that asks for no text twice.
 *
 * Vectors that came are kept by model and text, in a small table in memory and in an SQLite file
 * that several processes may share; both are bounded, and what was not used for longest goes first.
 * A file that cannot be used is logged once and done without: never an error. One loop, one thread.
 */
#ifndef BACKENDS_MODELS_EMBED_CACHE_H
#define BACKENDS_MODELS_EMBED_CACHE_H

#include "backends/embed.h"
#include "core/base/log.h"

struct embed_cache_options {
    const char *folder;    /* copied; made if it is not there */
    uint64_t file_bytes;   /* 0: 256 MiB */
    size_t memory_bytes;   /* 0: 4 MiB */
    const struct log *log; /* may be NULL */
};

/* Adopts inner, which is closed with it; NULL (no memory): inner stays the caller's. Its
 * model and readiness are inner's. */
struct embed *embed_cache_create(struct loop *loop, struct embed *inner,
                                 const struct embed_cache_options *options);

#endif
