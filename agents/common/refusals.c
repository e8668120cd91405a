/* SPDX-License-Identifier: MIT */
/* agents/common/refusals.c - one beginning and one end for all reasons.
 *
 * Happy path: the reason gets its beginning and a full stop. Failure: no memory. */
#include "agents/common/refusals.h"

struct str refusals_sentence(struct arena *arena, struct str reason)
{
    reason = str_trim(reason);
    bool whole = reason.len > 0 && reason.at[0] >= 'A' && reason.at[0] <= 'Z';
    char last = reason.len > 0 ? reason.at[reason.len - 1] : '.';
    bool ends = last == '.' || last == '!' || last == '?';
    return arena_printf(arena, "%s%.*s%s", whole ? "" : "I can't answer that: ", STR_ARG(reason),
                        ends ? "" : ".");
}
