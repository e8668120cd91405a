/* SPDX-License-Identifier: MIT */
/* server/runs/runs_list.c - the runs of a worker as JSON, and one after the other.
 *
 * Failure: none but a full buf. */
#include "server/runs/runs_list.h"

#include "proto/json_write.h"
#include "server/runs/runs_internal.h"

static void write_entry(const struct runs_entry *entry, struct buf *out)
{
    struct json_write json;
    if (buf_len(out) > 0)
        buf_push_char(out, ',');
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_member_str(&json, STR("run_id"), str_of(run_id(entry->run)));
    json_write_member_str(&json, STR("graph"), str_of(graph_def(run_graph(entry->run))->name));
    json_write_member_str(&json, STR("state"), str_of(runs_state_name(entry->state)));
    if (entry->session.caller.conversation_id.len > 0)
        json_write_member_str(&json, STR("conversation_id"), entry->session.caller.conversation_id);
    json_write_member_u64(&json, STR("events"), event_log_last_id(run_log(entry->run)));
    json_write_object_end(&json);
}

void runs_list_write(const struct runs *runs, const struct identity *filter, struct buf *out)
{
    for (unsigned state = 0; state < RUNS_STATE_COUNT; state++)
        LIST_EACH(link, &runs->lists[state]) {
            const struct runs_entry *entry = list_item(link, struct runs_entry, link);
            if (identity_passes(runs_caller(entry), filter))
                write_entry(entry, out);
        }
}

void runs_visit(const struct runs *runs, const struct identity *conversation,
                void (*visit)(struct runs_entry *entry, void *owner), void *owner)
{
    for (unsigned state = 0; state < RUNS_STATE_COUNT; state++)
        LIST_EACH(link, &runs->lists[state]) {
            struct runs_entry *entry = list_item(link, struct runs_entry, link);
            if (identity_equal(&entry->session.caller, conversation))
                visit(entry, owner);
        }
}

size_t runs_said_count(const struct runs_entry *entry)
{
    return entry->said_count;
}

bool runs_is_waiting(const struct runs_entry *entry)
{
    return entry->state == RUNS_WAITING;
}
