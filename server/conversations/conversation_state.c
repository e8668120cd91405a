/* SPDX-License-Identifier: MIT */
/* server/conversations/conversation_state.c - the full checkpoint, its deltas over it, the state as
 * JSON.
 *
 * Failure: the codes that the header lists; nothing is written then. */
#include "server/conversations/conversation_state.h"

#include "core/run/snapshot.h"
#include "proto/json_write.h"

enum { STATE_BYTES = 64 * 1024 * 1024 };

static void write_next(struct json_write *json, const struct graph_def *def, uint64_t next)
{
    json_write_key(json, STR("next"));
    json_write_array(json);
    for (size_t i = 0; i < def->node_count; i++)
        if ((next >> i & 1) != 0)
            json_write_str(json, str_of(def->nodes[i].name));
    json_write_array_end(json);
}

static void write_values(struct json_write *json, const struct state *state)
{
    struct buf members, values;
    buf_init(&members, STATE_BYTES);
    buf_init(&values, STATE_BYTES);
    registry_describe(state, UINT64_MAX, &members);
    buf_printf(&values, "{%.*s}", STR_ARG(buf_str(&members)));
    bool fine = buf_ok(&members) && buf_ok(&values);
    json_write_member_raw(json, STR("values"), fine ? buf_str(&values) : STR("{}"));
    buf_fini(&members);
    buf_fini(&values);
}

/* Write the members that say where a graph was. */
static void write_place(struct json_write *json, const struct graph_def *def,
                        const struct snapshot *snapshot, const struct state *state)
{
    json_write_member_str(json, STR("graph"), str_of(def->name));
    if (snapshot->route.len > 0)
        json_write_member_str(json, STR("route"), snapshot->route);
    write_next(json, def, snapshot->next);
    write_values(json, state);
}

static void write_head(struct json_write *json, const struct store_checkpoint *of, uint64_t step)
{
    json_write_member_u64(json, STR("version"), of->version);
    json_write_member_u64(json, STR("time_ms"), of->time_ms);
    json_write_member_str(json, STR("run_id"), of->run_id);
    json_write_member_u64(json, STR("step"), step);
}

static void write_state(const struct store_checkpoint *last, const struct graph_def *def,
                        const struct snapshot *snapshot, const struct state *state, struct buf *out)
{
    struct json_write json;
    json_write_init(&json, out);
    json_write_object(&json);
    write_head(&json, last, snapshot->step);
    write_place(&json, def, snapshot, state);
    json_write_object_end(&json);
}

void conversation_state_write_step(const struct store_checkpoint *of, const struct run *run,
                                   struct buf *out)
{
    struct checkpoint_place place;
    struct json_write json;
    json_write_init(&json, out);
    json_write_object(&json);
    write_head(&json, of, of->step);
    for (size_t i = 0; checkpoint_place_at(run, i, &place); i++) {
        if (i == 0) {
            write_place(&json, graph_def(place.graph), place.snapshot, place.state);
            json_write_key(&json, STR("inside"));
            json_write_array(&json);
            continue;
        }
        json_write_object(&json);
        json_write_member_str(&json, STR("path"), place.path);
        write_place(&json, graph_def(place.graph), place.snapshot, place.state);
        json_write_object_end(&json);
    }
    json_write_array_end(&json);
    json_write_object_end(&json);
}

static enum err_code read_all(const struct store_call *restored, const struct graph *graph,
                              struct arena *arena, struct state *state, struct snapshot *snapshot,
                              struct err *err)
{
    enum err_code code = ERR_OK;
    for (size_t i = 0; i < restored->checkpoint_count && code == ERR_OK; i++)
        code = snapshot_read(restored->checkpoints[i].bytes, graph, arena, state, snapshot, err);
    return code == ERR_INVALID ? (err->code = ERR_GONE) : code;
}

enum err_code conversation_state_read(const struct registry *registry,
                                      const struct store_call *restored, struct arena *arena,
                                      struct conversation_state *out, struct err *err)
{
    size_t count = restored->checkpoint_count;
    struct str name = count == 0 ? STR("") : snapshot_find_graph(restored->checkpoints[0].bytes);
    int place = str_is_empty(name) ? -1 : registry_find(registry, name);
    if (place < 0)
        return err_set(err, ERR_GONE, "the checkpoint cannot be read any more");
    *out = (struct conversation_state){.graph = registry_graph(registry, (size_t)place),
                                       .entry = registry_entry(registry, (size_t)place)};
    out->state = state_create(&graph_def(out->graph)->schema, arena);
    if (out->state == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for a state");
    return read_all(restored, out->graph, arena, out->state, &out->snapshot, err);
}

enum err_code conversation_state_write(const struct registry *registry,
                                       const struct store_call *restored, struct buf *out,
                                       struct err *err)
{
    struct conversation_state was;
    struct arena arena;
    arena_init(&arena, STATE_BYTES);
    enum err_code code = conversation_state_read(registry, restored, &arena, &was, err);
    if (code == ERR_OK)
        write_state(&restored->checkpoints[restored->checkpoint_count - 1], graph_def(was.graph),
                    &was.snapshot, was.state, out);
    arena_fini(&arena);
    if (code == ERR_OK && !buf_ok(out))
        return err_set(err, ERR_TOO_LARGE, "the state is too large");
    return code;
}
