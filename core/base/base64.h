/* SPDX-License-Identifier: MIT */
/* core/base/base64.h - bytes <-> base64 (RFC 4648). Any thread; no allocation. */
#ifndef CORE_BASE_BASE64_H
#define CORE_BASE_BASE64_H

#include "core/base/str.h"

/* Most bytes that text decodes to, and the length that len bytes encode to. */
static inline size_t base64_decoded_bytes(struct str text)
{
    return text.len / 4 * 3 + 3;
}

static inline size_t base64_encoded_bytes(size_t len)
{
    return (len + 2) / 3 * 4;
}

/* Standard or URL alphabet, padded or not, into to, which has room for base64_decoded_bytes. False:
 * not base64. */
MUST_USE bool base64_decode(struct str text, void *to, size_t *len);
/* Standard alphabet, padded, into to; returns base64_encoded_bytes(bytes.len). */
size_t base64_encode(struct str bytes, char *to);

#endif
