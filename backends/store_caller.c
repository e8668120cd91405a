/* SPDX-License-Identifier: MIT */
/* backends/store_caller.c - the key of an ask, where it has one. No failures. */
#include "backends/store_caller.h"

enum { UNNAMED_WEIGHT = 4 }; /* leases are renewed in time however much is asked */

/* NULL: it has none. */
static const struct store_key *key_of(const struct store_call *call)
{
    switch (call->verb) {
    case STORE_LOAD:
        return &call->ask.load->key;
    case STORE_RESTORE:
        return &call->ask.restore->key;
    case STORE_SAVE:
        return &call->ask.save->key;
    case STORE_KEEP:
        return &call->ask.keep->key;
    case STORE_CHECKPOINTS:
        return &call->ask.checkpoints->key;
    case STORE_LIST:
        return &call->ask.list->key;
    case STORE_SEARCH:
        return &call->ask.search->key;
    case STORE_ERASE:
        return &call->ask.erase->key;
    case STORE_BEGIN:
        return &call->ask.begin->run.key;
    case STORE_FIND:
        return &call->ask.find->key;
    case STORE_RUNS:
        return &call->ask.runs->key;
    case STORE_STOP:
        return &call->ask.stop->key;
    case STORE_READ:
        return &call->ask.read->key;
    case STORE_MARKS:
        return &call->ask.marks->key;
    default:
        return NULL;
    }
}

struct fair_caller store_caller_of(const struct store_call *call)
{
    const struct store_key *key = key_of(call);
    if (key == NULL || str_is_empty(key->company_id))
        return (struct fair_caller){.weight = UNNAMED_WEIGHT};
    return (struct fair_caller){.company = key->company_id, .user = key->user_id};
}
