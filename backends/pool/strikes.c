/* SPDX-License-Identifier: MIT */
/* backends/pool/strikes.c - a short table, looked through from its start.
 *
 * Happy path: the caller has no row. Failure: more callers are late at once than there are rows;
 * then who was late longest ago is forgotten. Names that are longer than a row holds are told apart
 * by what it holds and their length. */
#include "backends/pool/strikes.h"

#include <string.h>

static bool is_name(const char *kept, size_t kept_bytes, struct str name)
{
    return kept_bytes == name.len &&
           memcmp(kept, name.len == 0 ? "" : name.at, size_min(name.len, STRIKES_NAME_BYTES)) == 0;
}

static size_t find(const struct strikes *strikes, const struct identity *caller)
{
    size_t i = 0;
    if (caller->company_id.len == 0 && caller->user_id.len == 0)
        return STRIKES_CALLERS;
    while (i < STRIKES_CALLERS &&
           !(is_name(strikes->callers[i].company, strikes->callers[i].company_bytes,
                     caller->company_id) &&
             is_name(strikes->callers[i].user, strikes->callers[i].user_bytes, caller->user_id)))
        i++;
    return i;
}

static size_t keep_name(char *into, struct str name)
{
    if (name.len > 0)
        memcpy(into, name.at, size_min(name.len, STRIKES_NAME_BYTES));
    return name.len;
}

static struct strikes_caller *take_row(struct strikes *strikes, const struct identity *caller)
{
    struct strikes_caller *row = &strikes->callers[0];
    for (size_t i = 1; i < STRIKES_CALLERS; i++)
        if (strikes->callers[i].last_ms < row->last_ms)
            row = &strikes->callers[i];
    *row = (struct strikes_caller){.count = 0};
    row->company_bytes = keep_name(row->company, caller->company_id);
    row->user_bytes = keep_name(row->user, caller->user_id);
    return row;
}

void strikes_add(struct strikes *strikes, const struct identity *caller, uint64_t now_ms)
{
    size_t i = find(strikes, caller);
    if (caller->company_id.len == 0 && caller->user_id.len == 0)
        return;
    struct strikes_caller *row =
        i < STRIKES_CALLERS ? &strikes->callers[i] : take_row(strikes, caller);
    if (row->count == 0 || now_ms - row->first_ms > STRIKES_WINDOW_MS) {
        row->count = 0;
        row->first_ms = now_ms;
    }
    row->last_ms = now_ms;
    if (++row->count < STRIKES_MOST)
        return;
    row->count = 0;
    row->closed_until_ms = now_ms + STRIKES_PAUSE_MS;
}

bool strikes_was_late(const struct strikes *strikes, const struct identity *caller, uint64_t now_ms)
{
    size_t i = find(strikes, caller);
    return i < STRIKES_CALLERS && now_ms - strikes->callers[i].last_ms <= STRIKES_WINDOW_MS;
}

uint64_t strikes_wait_ms(const struct strikes *strikes, const struct identity *caller,
                         uint64_t now_ms)
{
    size_t i = find(strikes, caller);
    if (i == STRIKES_CALLERS || strikes->callers[i].closed_until_ms <= now_ms)
        return 0;
    return strikes->callers[i].closed_until_ms - now_ms;
}
