/* SPDX-License-Identifier: MIT */
/* agents/common/refusals.c - one beginning and one end for all reasons.
 *
 * Happy path: the reason gets its beginning and a full stop. Failure: no memory. */
#include "agents/common/refusals.h"

struct str refusals_sentence(struct arena *arena, struct str reason)
{
    reason = str_trim(reason);
    const struct str wide_stop = STR("\xe3\x80\x82"); /* of Chinese and Japanese */
    unsigned char first = reason.len > 0 ? (unsigned char)reason.at[0] : 0;
    bool whole = (first >= 'A' && first <= 'Z') || first > 0x7f;
    char last = reason.len > 0 ? reason.at[reason.len - 1] : '.';
    bool ends = last == '.' || last == '!' || last == '?' || str_ends_with(reason, wide_stop);
    return arena_printf(arena, "%s%.*s%s", whole ? "" : "I can't answer that: ", STR_ARG(reason),
                        ends ? "" : ".");
}
