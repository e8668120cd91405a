/* SPDX-License-Identifier: MIT */
/* backends/passages/passage_json.h - passages, vectors and answers as JSON, for the stores that
 * speak it.
 *
 * Any thread. */
#ifndef BACKENDS_PASSAGES_PASSAGE_JSON_H
#define BACKENDS_PASSAGES_PASSAGE_JSON_H

#include "backends/vec.h"
#include "core/base/arena.h"
#include "core/base/buf.h"
#include "core/base/err.h"
#include "proto/json_value.h"
#include "proto/json_write.h"

/* {"NAME":"VALUE",...} in the order they come. */
void passage_json_write_fields(struct json_write *json, const struct passage_field *fields,
                               size_t count);

/* Set passage's fields to the strings among object's members whose names begin with mark, which is
 * cut off; by name, since an object has no order. Anything but an object has none. Views of the
 * tree; the list is in arena. False: no memory. */
MUST_USE bool passage_json_read_fields(struct arena *arena, const struct json_value *object,
                                       struct str mark, struct passage *passage);

enum { PASSAGE_JSON_VECTOR_BYTES = VEC_MAX_DIMENSIONS * 24 };

/* A vector as an array, of at most PASSAGE_JSON_VECTOR_BYTES. */
void passage_json_push_vector(struct buf *out, const float *vector, size_t dimensions);

/* The tree of an answer of store ("Qdrant"), in arena. ERR_PROTOCOL: no JSON; ERR_NO_MEMORY. */
MUST_USE enum err_code passage_json_parse(struct arena *arena, const char *store, struct str answer,
                                          const struct json_value **root, struct err *err);
/* ERR_PROTOCOL: what is wrong with an answer of store. */
enum err_code passage_json_refuse(struct err *err, const char *store, const char *problem);

#endif
