/* SPDX-License-Identifier: MIT */
/* backends/vectors/vec_qdrant.h - vectors in a Qdrant server (1.16 and up).
 *
 * Collection NAME is Qdrant's "askd-NAME", with cosine distance; its metadata says the model.
 * Scores are cosines. Qdrant's index is approximate. A change goes in requests that are short when
 * it is small, but does not hold whole: a search meanwhile may miss some of it. Collections that
 * are not ours are refused. Errors as in vec.h. One loop, one thread. */
#ifndef BACKENDS_VECTORS_VEC_QDRANT_H
#define BACKENDS_VECTORS_VEC_QDRANT_H

#include "backends/vec.h"

/* Whether url is qdrant:http[s]://[:KEY@]HOST[:PORT]. KEY (percent-encoded) is sent as api-key.
 * ERR_INVALID: what is expected. */
MUST_USE enum err_code vec_qdrant_check_url(struct str url, struct err *err);

/* url as above, copied. Opens nothing yet. NULL: no memory, or not a url. */
struct vec *vec_qdrant_create(struct loop *loop, struct str url);

#endif
