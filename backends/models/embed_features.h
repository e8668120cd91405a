/* SPDX-License-Identifier: MIT */
/* backends/models/embed_features.h - a text as a vector of hashed features, without a model.
 *
 * Texts that share words, forms of words, neighbouring words or parts of words lie near each other;
 * it knows no meaning beyond that. The same bytes give the same vector on every machine. Any
 * thread. */
#ifndef BACKENDS_MODELS_EMBED_FEATURES_H
#define BACKENDS_MODELS_EMBED_FEATURES_H

#include "core/base/str.h"

enum { EMBED_FEATURES_DIMENSIONS = 512 };

/* The vector of text: of length 1, or all zero for a text without a word. Takes some 0.1 ms
 * per kilobyte. */
void embed_features_of(struct str text, float vector[EMBED_FEATURES_DIMENSIONS]);

#endif
