/* SPDX-License-Identifier: MIT */
/* proto/models/model_error.h - the body with which a model server refuses a request, of any wire.
 */
#ifndef PROTO_MODELS_MODEL_ERROR_H
#define PROTO_MODELS_MODEL_ERROR_H

#include "core/base/err.h"
#include "core/base/str.h"

/* The body of an HTTP error, JSON or not, cut to what err holds, control bytes blanked:
 * "429: Rate limit reached". Returns the code: 401 ERR_DENIED; 403 too, but ERR_REJECTED where its
 * words say that the text was moderated; 429 ERR_BUSY (ERR_REJECTED when the quota is spent); 408,
 * 409 and 5xx ERR_UNAVAILABLE; others ERR_REJECTED. *is_filtered (may be NULL): a filter of the
 * provider refused the text. */
enum err_code model_error(int status, struct str body, bool *is_filtered, struct err *err);

#endif
