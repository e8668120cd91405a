/* SPDX-License-Identifier: MIT */
/* server/facades/langgraph/langgraph_json.h - runs, threads and states as the LangGraph API shows
 * them. Pure but for what it reads of a run. */
#ifndef SERVER_FACADES_LANGGRAPH_LANGGRAPH_JSON_H
#define SERVER_FACADES_LANGGRAPH_LANGGRAPH_JSON_H

#include "core/store/store.h"
#include "proto/json_value.h"
#include "proto/json_write.h"
#include "server/records/stored_run.h"
#include "server/runs/runs.h"

/* An RFC 3339 time; ms since 1970. */
void langgraph_json_time(struct json_write *json, const char *key, uint64_t ms);
/* langgraph_json_run: a run in memory; langgraph_json_stored_run: one in the store. */
void langgraph_json_run(struct runs_entry *entry, uint64_t now_ms, struct json_write *json);
void langgraph_json_stored_run(const struct store_run *run, struct json_write *json);

enum { LANGGRAPH_METADATA_BYTES = 16 * 1024 }; /* of a thread, a run, a cron */

struct langgraph_thread {
    struct str thread_id;
    struct str metadata; /* JSON; absent: none */
    uint64_t began_ms, changed_ms;
    bool is_busy, waits;            /* for a person */
    const struct store_turn *turns; /* for its values; oldest first */
    size_t turn_count;
    const struct stored_run *paused; /* its run that waits for a person; NULL: none does */
};
/* How many states it has had: one after each turn, and one in which it waits. */
size_t langgraph_json_count_states(const struct langgraph_thread *thread);
/* "busy", "interrupted", "idle". */
struct str langgraph_json_status(const struct langgraph_thread *thread);
/* Whether metadata, JSON, have all members of wanted, as they are; wanted NULL: they do. */
bool langgraph_json_has_members(struct arena *arena, struct str metadata,
                                const struct json_value *wanted);
/* json writes into out. */
void langgraph_json_thread(const struct langgraph_thread *thread, struct json_write *json,
                           struct buf *out);
/* The count-th state: messages, the last turn's details, what is asked, where it is. */
void langgraph_json_state(const struct langgraph_thread *thread, size_t count,
                          struct json_write *json, struct buf *out);

#endif
