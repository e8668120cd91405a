/* SPDX-License-Identifier: MIT */
/* server/api/caller.c - two headers, checked like the fields of our own body.
 *
 * Failure: one is empty, too long or no UTF-8; one is missing though a conversation needs both. */
#include "server/api/caller.h"

enum { ID_BYTES = 128 };

static enum err_code read_header(const struct http_request *http, const char *name,
                                 struct str *value, struct err *err)
{
    struct str text = http_request_header(http, str_of(name));
    if (!str_is_absent(text) && (text.len == 0 || text.len > ID_BYTES || !str_is_utf8(text)))
        return err_set(err, ERR_INVALID, "%s: expected 1 to %d bytes of UTF-8, got %zu", name,
                       ID_BYTES, text.len);
    *value = text;
    return ERR_OK;
}

enum err_code caller_read(const struct http_request *http, struct identity *caller, struct err *err)
{
    if (read_header(http, "X-Askd-Company-Id", &caller->company_id, err) != ERR_OK ||
        read_header(http, "X-Askd-User-Id", &caller->user_id, err) != ERR_OK)
        return err->code;
    if (caller->conversation_id.len > 0 &&
        (str_is_absent(caller->company_id) || str_is_absent(caller->user_id)))
        return err_set(err, ERR_INVALID,
                       "a conversation belongs to somebody: send the headers X-Askd-Company-Id and "
                       "X-Askd-User-Id");
    return ERR_OK;
}
