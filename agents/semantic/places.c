/* SPDX-License-Identifier: MIT */
/* agents/semantic/places.c - a text between braces is a place.
 *
 * Failure: whoever fills a place has nothing for it; a brace is opened and not closed. */
#include "agents/semantic/places.h"

enum err_code semantic_places_fill(struct str sql, semantic_places_fn *fill, void *owner,
                                   struct buf *out, struct err *err)
{
    while (sql.len > 0) {
        ptrdiff_t open = str_find_char(sql, '{');
        if (open == STR_NONE) {
            buf_push(out, sql);
            return ERR_OK;
        }
        buf_push(out, str_slice(sql, 0, (size_t)open));
        struct str inside = str_from(sql, (size_t)open + 1);
        ptrdiff_t end = str_find_char(inside, '}');
        if (end == STR_NONE)
            return err_set(err, ERR_INVALID, "a brace is opened and not closed");
        if (!fill(owner, str_slice(inside, 0, (size_t)end), out, err))
            return ERR_INVALID;
        sql = str_from(inside, (size_t)end + 1);
    }
    return ERR_OK;
}
