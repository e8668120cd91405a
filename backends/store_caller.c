/* SPDX-License-Identifier: MIT */
/* backends/store_caller.c - the key of an ask, where it has one. No failures. */
#include "backends/store_caller.h"

enum { UNNAMED_WEIGHT = 4 }; /* leases are renewed in time however much is asked */

/* NULL: it has none. */
static const struct identity *key_of(const struct store_call *call)
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

void store_caller_tell(const struct store_call *call, struct gate_ticket *ticket)
{
    const struct identity *key = key_of(call);
    bool is_named = key != NULL && !str_is_empty(key->company_id);
    ticket->caller = is_named ? *key : (struct identity){.company_id = {NULL, 0}};
    ticket->weight = is_named ? 0 : UNNAMED_WEIGHT;
}
