/* SPDX-License-Identifier: MIT */
/* backends/passages/passage_codec.h - a passage's fields <-> one string of bytes, for stores that
 * keep them in one column.
 *
 * Per field: a byte with the name's length, the name, four bytes with the value's length (least
 * significant first), the value. Fields are written in the order of their names, so that equal
 * fields are equal bytes. Any thread. */
#ifndef BACKENDS_PASSAGES_PASSAGE_CODEC_H
#define BACKENDS_PASSAGES_PASSAGE_CODEC_H

#include "backends/passage.h"
#include "core/base/buf.h"

/* Append fields of a passage that passage_check accepts. */
void passage_codec_write(struct buf *out, const struct passage_field *fields, size_t count);

/* Cut the first field off *bytes, as a view. False: nothing is left, or it is damaged. */
MUST_USE bool passage_codec_next(struct str *bytes, struct passage_field *field);

/* Whether a passage with these fields, as passage_codec_write wrote them, passes all filters
 * (passage_passes). */
bool passage_codec_passes(struct str bytes, const struct passage_filter *filters,
                          size_t filter_count);

#endif
