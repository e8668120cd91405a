/* SPDX-License-Identifier: MIT */
/* server/records/turn_details.c - reads slots of the state by the names that all graphs use.
 *
 * Failure: a slot that is not there, or absent, is left out; a full buf. */
#include "server/records/turn_details.h"

#include "proto/json_read.h"
#include "proto/json_value.h"
#include "proto/json_write.h"
#include "server/records/turn_result.h"

enum { LAST_MESSAGES = 2, MESSAGE_BYTES = 1024 * 1024 }; /* this turn's */

/* The slot of this name and type that has a value, or -1. */
static int find_slot(const struct state *state, const char *name, enum slot_type type)
{
    const struct schema *schema = state_schema(state);
    for (unsigned i = 0; i < schema->slot_count; i++)
        if (schema->slots[i].type == type && !schema->slots[i].secret && state_has(state, i) &&
            str_equal(str_of(schema->slots[i].name), str_of(name)))
            return (int)i;
    return -1;
}

/* Write the question in full words, from the newest message that has it
 * (agents/nodes/remember.h). */
static void write_meant(struct json_write *json, const struct state *state)
{
    int slot = find_slot(state, "messages", SLOT_LIST);
    size_t count = slot < 0 ? 0 : state_list_count(state, (unsigned)slot);
    for (size_t i = count; i > 0 && i + LAST_MESSAGES > count; i--) {
        struct arena arena;
        struct str meant;
        arena_init(&arena, MESSAGE_BYTES);
        const struct json_value *item =
            json_value_parse(&arena, state_list_item(state, (unsigned)slot, i - 1), NULL, NULL);
        if (json_value_str(item, "/meant", &meant, NULL) == ERR_OK)
            json_write_member_str(json, STR("meant"), meant);
        arena_fini(&arena);
    }
}

/* Write the statement as it was sent, and as it was written where that is another. */
static void write_statements(struct json_write *json, const struct state *state, struct str sent)
{
    static const char *const names[] = {"logical_sql", "generated_sql", "sql"};
    int slot = -1;
    json_write_member_str(json, STR("sql"), sent);
    for (size_t i = 0; i < countof(names) && slot < 0; i++)
        slot = find_slot(state, names[i], SLOT_TEXT);
    if (slot >= 0 && !str_equal(state_str(state, (unsigned)slot), sent))
        json_write_member_str(json, STR("written_sql"), state_str(state, (unsigned)slot));
}

static void write_result(struct run *run, struct json_write *json)
{
    struct event_log *log = run_log(run);
    struct turn_result result = {0};
    struct event event;
    for (uint64_t id = event_log_gone_id(log); event_log_after(log, id, &event) == ERR_OK;
         id = event.id)
        turn_result_hear(&result, &event);
    turn_result_write(&result, json);
}

void turn_details_write(struct run *run, struct buf *out)
{
    static const char *const sql_names[] = {"validated_sql", "sql", "generated_sql"};
    const struct state *state = run_state(run);
    struct json_write json;
    int slot = -1;
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_member_str(&json, STR("graph"), str_of(graph_def(run_graph(run))->name));
    if (run_route(run).len > 0)
        json_write_member_str(&json, STR("route"), run_route(run));
    for (size_t i = 0; i < countof(sql_names) && slot < 0; i++)
        slot = find_slot(state, sql_names[i], SLOT_TEXT);
    if (slot >= 0 && state_str(state, (unsigned)slot).len > 0)
        write_statements(&json, state, state_str(state, (unsigned)slot));
    slot = find_slot(state, "row_count", SLOT_INT);
    if (slot >= 0)
        json_write_member_u64(&json, STR("row_count"), (uint64_t)state_int(state, (unsigned)slot));
    write_meant(&json, state);
    write_result(run, &json);
    json_write_object_end(&json);
}

/* The text of a member before what the run showed; absent: there is none. */
static struct str find_text(struct str details, struct str name, struct buf *scratch)
{
    struct json_read reader;
    json_read_init(&reader, details);
    if (json_read_next(&reader) != JSON_TOKEN_OBJECT)
        return (struct str){0};
    while (json_read_next(&reader) == JSON_TOKEN_KEY) {
        if (json_read_is(&reader, STR("steps")) || json_read_is(&reader, STR("result")))
            break;
        if (!json_read_is(&reader, name)) {
            if (!json_read_skip(&reader, JSON_TOKEN_KEY))
                break;
        } else if (json_read_next(&reader) == JSON_TOKEN_STRING) {
            return json_read_unescape(&reader, scratch);
        } else {
            break;
        }
    }
    return (struct str){0};
}

struct str turn_details_find_meant(struct str details, struct buf *scratch)
{
    return find_text(details, STR("meant"), scratch);
}

struct str turn_details_find_written(struct str details, struct buf *scratch)
{
    struct str written = find_text(details, STR("written_sql"), scratch);
    return str_is_absent(written) ? find_text(details, STR("sql"), scratch) : written;
}
