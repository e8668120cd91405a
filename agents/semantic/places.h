/* SPDX-License-Identifier: MIT */
/* agents/semantic/places.h - the places for arguments in a verified statement that is a tool:
 * {name} for an argument, {caller.company_id} and {caller.user_id} for who asks. Pure. */
#ifndef AGENTS_SEMANTIC_PLACES_H
#define AGENTS_SEMANTIC_PLACES_H

#include "core/base/buf.h"
#include "core/base/err.h"

#define SEMANTIC_PLACES_COMPANY "caller.company_id"
#define SEMANTIC_PLACES_USER    "caller.user_id"

/* Append the literal of SQL that stands for name. False: there is none; err says why. */
typedef bool semantic_places_fn(void *owner, struct str name, struct buf *out, struct err *err);

/* Append sql with its places filled in. ERR_INVALID: a place without a literal, or a brace that is
 * not closed. */
MUST_USE enum err_code semantic_places_fill(struct str sql, semantic_places_fn *fill, void *owner,
                                            struct buf *out, struct err *err);

#endif
