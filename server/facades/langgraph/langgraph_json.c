/* SPDX-License-Identifier: MIT */
/* server/facades/langgraph/langgraph_json.c - a thread is a conversation: its values are its
 * messages beside what the last turn found, a checkpoint is a turn's version.
 *
 * Failure: none but a full buf. */
#include "server/facades/langgraph/langgraph_json.h"

#include <stdio.h>
#include <time.h>

#include "server/facades/langgraph/langgraph_asks.h"
#include "server/facades/langgraph/langgraph_messages.h"
#include "server/records/run_input.h"
#include "server/runs/runs_list.h"

enum { ID_BYTES = ID_RUN_BYTES + 24 };

void langgraph_json_time(struct json_write *json, const char *key, uint64_t ms)
{
    char text[64];
    struct tm parts;
    time_t seconds = (time_t)(ms / 1000);
    (void)gmtime_r(&seconds, &parts);
    size_t len = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
    (void)snprintf(text + len, sizeof text - len, ".%03uZ", (unsigned)(ms % 1000));
    json_write_member_str(json, str_of(key), str_of(text));
}

/* ---- runs ---- */

static const char *status_of(struct runs_entry *entry)
{
    struct str code = STR(""), message;
    if (!runs_has_answered(entry))
        return runs_is_waiting(entry) ? "pending" : "running";
    if (run_is_paused(runs_run(entry)))
        return "interrupted";
    if (run_result(runs_run(entry), &code, &message) == ERR_OK)
        return "success";
    return str_equal(code, STR("cancelled"))           ? "interrupted"
           : str_equal(code, STR("deadline_exceeded")) ? "timeout"
                                                       : "error";
}

static void write_run(struct str run_id, struct str thread_id, struct str graph, const char *status,
                      struct str metadata, struct json_write *json)
{
    json_write_member_str(json, STR("run_id"), run_id);
    json_write_member_str(json, STR("thread_id"), thread_id);
    json_write_member_str(json, STR("assistant_id"), graph);
    json_write_member_str(json, STR("status"), str_of(status));
    json_write_member_raw(json, STR("metadata"), metadata.len > 0 ? metadata : STR("{}"));
}

void langgraph_json_run(struct runs_entry *entry, uint64_t now_ms, struct json_write *json)
{
    struct run *run = runs_run(entry);
    const struct run_stats *stats = run_stats(run);
    uint64_t began_ms = stats->started_ms > 0 ? stats->started_ms : now_ms;
    json_write_object(json);
    write_run(str_of(run_id(run)), run_conversation_id(run),
              str_of(graph_def(run_graph(run))->name), status_of(entry), runs_metadata(entry),
              json);
    langgraph_json_time(json, "created_at", began_ms);
    langgraph_json_time(json, "updated_at", began_ms + stats->duration_ms);
    json_write_object_end(json);
}

void langgraph_json_stored_run(const struct store_run *run, struct json_write *json)
{
    static const char *const statuses[] = {[STORE_RUNNING] = "running",
                                           [STORE_PAUSED] = "interrupted",
                                           [STORE_COMPLETE] = "success",
                                           [STORE_FAILED] = "error",
                                           [STORE_CANCELLED] = "interrupted"};
    json_write_object(json);
    write_run(run->run_id, run->key.conversation_id, run->graph, statuses[run->status],
              run_input_metadata(run->input), json);
    langgraph_json_time(json, "created_at", run->began_ms);
    langgraph_json_time(json, "updated_at", run->changed_ms);
    json_write_object_end(json);
}

/* ---- what a run waits for ---- */

struct asking {
    struct str run_id;
    struct json_write *json;
    struct buf *out;
    void (*write)(const struct asking *asking, const struct event *event);
};

static bool take_interrupt(void *owner, const struct event *event)
{
    const struct asking *asking = owner;
    if (event->kind == EVENT_INTERRUPT)
        asking->write(asking, event);
    return true;
}

static void write_asked(const struct langgraph_thread *thread, struct json_write *json,
                        struct buf *out,
                        void (*write)(const struct asking *asking, const struct event *event))
{
    struct err ignored; /* what is damaged is left out */
    struct asking asking = {.json = json, .out = out, .write = write};
    if (thread->paused == NULL)
        return;
    asking.run_id = thread->paused->run->run_id;
    (void)stored_run_each(thread->paused, take_interrupt, &asking, &ignored);
}

/* The id of what was asked, as the stream named it. */
static struct str name_asked(const struct asking *asking, const struct event *event, char *room,
                             size_t size)
{
    (void)snprintf(room, size, "%.*s:%llu", STR_ARG(str_utf8_prefix(asking->run_id, ID_RUN_BYTES)),
                   (unsigned long long)event->id);
    return str_of(room);
}

static void write_interrupt(const struct asking *asking, const struct event *event)
{
    langgraph_asks_write(asking->run_id, event, asking->json, asking->out);
}

static void write_interrupts_of(const struct asking *asking, const struct event *event)
{
    json_write_array(asking->json);
    write_interrupt(asking, event);
    json_write_array_end(asking->json);
}

static void write_under_task(const struct asking *asking, const struct event *event)
{
    char id[ID_BYTES];
    json_write_key(asking->json, name_asked(asking, event, id, sizeof id));
    write_interrupts_of(asking, event);
}

/* The graph's node; the one that asks may be in its sub-graph. */
static struct str name_task(const struct event *event)
{
    struct str rest = event->name;
    return str_split(&rest, '/');
}

static void write_next(const struct asking *asking, const struct event *event)
{
    json_write_str(asking->json, name_task(event));
}

static void write_task(const struct asking *asking, const struct event *event)
{
    char id[ID_BYTES];
    json_write_object(asking->json);
    json_write_member_str(asking->json, STR("id"), name_asked(asking, event, id, sizeof id));
    json_write_member_str(asking->json, STR("name"), name_task(event));
    json_write_member_raw(asking->json, STR("error"), STR("null"));
    json_write_key(asking->json, STR("interrupts"));
    write_interrupts_of(asking, event);
    json_write_member_raw(asking->json, STR("checkpoint"), STR("null"));
    json_write_member_raw(asking->json, STR("state"), STR("null"));
    json_write_object_end(asking->json);
}

/* ---- threads ---- */

size_t langgraph_json_count_states(const struct langgraph_thread *thread)
{
    return thread->turn_count + (thread->paused != NULL);
}

/* A turn's details are an object: its members beside the others. */
static void push_details(struct str details, struct buf *out)
{
    if (details.len > 2 && str_starts_with(details, STR("{"))) {
        buf_push_char(out, ',');
        buf_push(out, str_slice(details, 1, details.len - 1));
    }
}

static void write_values(const struct langgraph_thread *thread, size_t count,
                         struct json_write *json, struct buf *out)
{
    json_write_key(json, STR("values"));
    json_write_object(json);
    json_write_key(json, STR("messages"));
    json_write_array(json);
    size_t turns = size_min(count, thread->turn_count);
    for (size_t i = 0; i < turns; i++) {
        const struct store_turn *turn = &thread->turns[i];
        langgraph_messages_write(json, "human", turn->run_id, turn->question);
        langgraph_messages_write(json, "ai", turn->run_id, turn->answer);
    }
    if (count > turns)
        langgraph_messages_write(json, "human", thread->paused->run->run_id,
                                 run_input_message(thread->paused->run->input));
    json_write_array_end(json);
    if (turns > 0)
        push_details(thread->turns[turns - 1].details, out);
    json_write_object_end(json);
}

static void write_metadata(const struct langgraph_thread *thread, struct json_write *json)
{
    json_write_member_raw(json, STR("metadata"),
                          thread->metadata.len > 0 ? thread->metadata : STR("{}"));
}

struct str langgraph_json_status(const struct langgraph_thread *thread)
{
    return thread->is_busy ? STR("busy") : thread->waits ? STR("interrupted") : STR("idle");
}

bool langgraph_json_has_members(struct arena *arena, struct str metadata,
                                const struct json_value *wanted)
{
    const struct json_value *has =
        metadata.len == 0 ? NULL : json_value_parse(arena, metadata, NULL, NULL);
    if (wanted == NULL || wanted->type != JSON_OBJECT)
        return true;
    JSON_EACH(member, wanted) {
        const struct json_value *its = json_value_member(has, member->key);
        if (its == NULL || !str_equal(json_value_text(its, arena, LANGGRAPH_METADATA_BYTES),
                                      json_value_text(member, arena, LANGGRAPH_METADATA_BYTES)))
            return false;
    }
    return true;
}

void langgraph_json_thread(const struct langgraph_thread *thread, struct json_write *json,
                           struct buf *out)
{
    json_write_object(json);
    json_write_member_str(json, STR("thread_id"), thread->thread_id);
    langgraph_json_time(json, "created_at", thread->began_ms);
    langgraph_json_time(json, "updated_at", thread->changed_ms);
    write_metadata(thread, json);
    json_write_member_str(json, STR("status"), langgraph_json_status(thread));
    write_values(thread, langgraph_json_count_states(thread), json, out);
    json_write_key(json, STR("interrupts"));
    json_write_object(json);
    write_asked(thread, json, out, write_under_task);
    json_write_object_end(json);
    json_write_object_end(json);
}

static void write_checkpoint(const struct langgraph_thread *thread, const char *key, size_t count,
                             struct json_write *json)
{
    char version[32];
    json_write_key(json, str_of(key));
    bool waits = count > thread->turn_count;
    if (!waits && count > 0)
        (void)snprintf(version, sizeof version, "%llu",
                       (unsigned long long)thread->turns[count - 1].version);
    json_write_object(json);
    json_write_member_str(json, STR("thread_id"), thread->thread_id);
    json_write_member_str(json, STR("checkpoint_ns"), STR(""));
    json_write_key(json, STR("checkpoint_id"));
    if (count == 0) /* of a thread in which nothing was said */
        json_write_null(json);
    else
        json_write_str(json, waits ? thread->paused->run->run_id : str_of(version));
    json_write_object_end(json);
}

static uint64_t time_of(const struct langgraph_thread *thread, size_t count)
{
    return count > thread->turn_count ? thread->paused->run->began_ms
           : count > 0                ? thread->turns[count - 1].time_ms
                                      : thread->began_ms;
}

void langgraph_json_state(const struct langgraph_thread *thread, size_t count,
                          struct json_write *json, struct buf *out)
{
    static const struct {
        const char *name;
        void (*write)(const struct asking *asking, const struct event *event);
    } lists[] = {{"next", write_next}, {"tasks", write_task}, {"interrupts", write_interrupt}};
    json_write_object(json);
    write_values(thread, count, json, out);
    for (size_t i = 0; i < countof(lists); i++) {
        json_write_key(json, str_of(lists[i].name));
        json_write_array(json);
        if (count > thread->turn_count)
            write_asked(thread, json, out, lists[i].write);
        json_write_array_end(json);
    }
    write_metadata(thread, json);
    write_checkpoint(thread, "checkpoint", count, json);
    if (count > 1) {
        write_checkpoint(thread, "parent_checkpoint", count - 1, json);
    } else {
        json_write_key(json, STR("parent_checkpoint"));
        json_write_null(json);
    }
    langgraph_json_time(json, "created_at", time_of(thread, count));
    json_write_object_end(json);
}
