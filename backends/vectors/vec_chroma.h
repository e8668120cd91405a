/* SPDX-License-Identifier: MIT */
/* backends/vectors/vec_chroma.h - vectors in a Chroma server (1.0 and up, /api/v2).
 *
 * Collection NAME is Chroma's "askd-NAME-c", with cosine distance; its metadata says the model and
 * the dimensions. Scores are cosines. Chroma's index is approximate. Chroma joins what it is given
 * to what a record has, so a point that is replaced is removed first; a change does not hold whole:
 * a search meanwhile may miss some of it. Collections that are not ours are refused. Errors as in
 * vec.h. One loop, one thread. */
#ifndef BACKENDS_VECTORS_VEC_CHROMA_H
#define BACKENDS_VECTORS_VEC_CHROMA_H

#include "backends/vec.h"

/* Whether url is chroma:http[s]://[:KEY@]HOST[:PORT][/TENANT/DATABASE]; without them Chroma's
 * default ones. The database must be there. KEY (percent-encoded) is sent as x-chroma-token.
 * ERR_INVALID: what is expected. */
MUST_USE enum err_code vec_chroma_check_url(struct str url, struct err *err);

/* url as above, copied. Opens nothing yet. NULL: no memory, or not a url. */
struct vec *vec_chroma_create(struct loop *loop, struct str url);

#endif
