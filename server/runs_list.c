/* SPDX-License-Identifier: MIT */
/* server/runs_list.c - the runs of a worker as JSON.
 *
 * Failure: none but a full buf. */
#include "proto/json_write.h"
#include "server/runs_entry.h"

void runs_list_write(const struct runs *runs, struct buf *out)
{
    struct json_write json;
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_key(&json, STR("runs"));
    json_write_array(&json);
    for (unsigned state = 0; state < RUNS_STATE_COUNT; state++)
        LIST_EACH(link, &runs->lists[state]) {
            const struct runs_entry *entry = list_item(link, struct runs_entry, link);
            json_write_object(&json);
            json_write_member_str(&json, STR("run_id"), str_of(run_id(entry->run)));
            json_write_member_str(&json, STR("graph"),
                                  str_of(graph_def(run_graph(entry->run))->name));
            json_write_member_str(&json, STR("state"),
                                  str_of(runs_state_name((enum runs_state)state)));
            if (entry->session.conversation_id.len > 0)
                json_write_member_str(&json, STR("conversation_id"),
                                      entry->session.conversation_id);
            json_write_member_u64(&json, STR("events"), event_log_last_id(run_log(entry->run)));
            json_write_object_end(&json);
        }
    json_write_array_end(&json);
    json_write_object_end(&json);
}
