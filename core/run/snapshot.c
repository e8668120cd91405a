/* SPDX-License-Identifier: MIT */
/* core/run/snapshot.c - numbers as LEB128, texts with their length in front, names instead of
 * indices.
 *
 * Happy path: head, body, checksum out; checksum, head and the whole body checked, then the slots
 * put. Failure: a cursor that has met nonsense gives zeros from then on and is asked at the end; a
 * slot of another type, a node that is gone and a list with a hole are ERR_INVALID, a slot that is
 * gone is passed over. */
#include "core/run/snapshot.h"

#include <string.h>

#include "core/base/crc.h"
#include "core/base/fixed.h"
#include "core/run/state_internal.h"

static const struct str magic = {"ASKS", 4};

enum { HEAD_BYTES = 5, CHECKSUM_BYTES = 4 };
enum { ABSENT = 0, PRESENT = 1, SAME = 2 }; /* SAME: as the slot of that place before it has it */
enum { LONG_BYTES = 64 };                   /* shorter texts are written again */

/* ---- writing ---- */

static void push_number(struct buf *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        buf_push_char(out, (char)(value | 0x80));
    buf_push_char(out, (char)value);
}

static void push_text(struct buf *out, struct str text)
{
    push_number(out, text.len);
    buf_push(out, text);
}

/* How many of the slots before slot are lists. */
static size_t count_lists(const struct schema *schema, size_t slot)
{
    size_t count = 0;
    for (size_t i = 0; i < slot; i++)
        count += schema->slots[i].type == SLOT_LIST;
    return count;
}

size_t snapshot_mark_count(const struct schema *schema)
{
    return count_lists(schema, schema->slot_count);
}

static void push_list(const struct state_items *items, struct snapshot_mark *mark, struct buf *out)
{
    bool grew = mark->era == items->era && mark->count <= items->count;
    size_t first = grew ? (size_t)mark->count : 0;
    push_number(out, first);
    push_number(out, items->count - first);
    for (size_t i = first; i < items->count; i++)
        push_text(out, items->at[i]);
    mark->count = items->count;
    mark->era = items->era;
}

static void push_value(const struct state *state, unsigned slot, struct snapshot_mark *marks,
                       struct buf *out)
{
    const union state_value *value = &state->values[slot];
    uint64_t bits;
    switch (state->schema->slots[slot].type) {
    case SLOT_TEXT:
    case SLOT_JSON:
        push_text(out, value->text);
        break;
    case SLOT_INT:
        fixed_push(out, (uint64_t)value->integer, sizeof bits);
        break;
    case SLOT_REAL:
        memcpy(&bits, &value->real, sizeof bits);
        fixed_push(out, bits, sizeof bits);
        break;
    case SLOT_BOOL:
        push_number(out, value->boolean);
        break;
    case SLOT_LIST:
        push_list(&value->items, &marks[count_lists(state->schema, slot)], out);
        break;
    }
}

static bool is_text(enum slot_type type)
{
    return type == SLOT_TEXT || type == SLOT_JSON;
}

/* The first slot of the mask before this one with the same long text, as its place among those of
 * the mask; STR_NONE: there is none. */
static ptrdiff_t find_same(const struct state *state, uint64_t mask, unsigned slot)
{
    struct str text = state->values[slot].text;
    ptrdiff_t place = 0;
    if (!is_text(state->schema->slots[slot].type) || text.len < LONG_BYTES)
        return STR_NONE;
    for (unsigned i = 0; i < slot; i++) {
        if ((mask & state_bit(i)) == 0)
            continue;
        if ((state->present & state_bit(i)) != 0 && is_text(state->schema->slots[i].type) &&
            str_equal(state->values[i].text, text))
            return place;
        place++;
    }
    return STR_NONE;
}

static void push_slots(const struct state *state, uint64_t mask, struct snapshot_mark *marks,
                       struct buf *out)
{
    for (unsigned slot = 0; slot < state->schema->slot_count; slot++)
        if (state->schema->slots[slot].secret)
            mask &= ~state_bit(slot);
    push_number(out, (uint64_t)__builtin_popcountll(mask));
    for (unsigned slot = 0; slot < state->schema->slot_count; slot++) {
        if ((mask & state_bit(slot)) == 0)
            continue;
        bool present = (state->present & state_bit(slot)) != 0;
        ptrdiff_t same = present ? find_same(state, mask, slot) : STR_NONE;
        push_text(out, str_of(state->schema->slots[slot].name));
        push_number(out, state->schema->slots[slot].type);
        push_number(out, same != STR_NONE ? SAME : present ? PRESENT : ABSENT);
        if (same != STR_NONE)
            push_number(out, (uint64_t)same);
        else if (present)
            push_value(state, slot, marks, out);
    }
}

static void push_nodes(const struct snapshot *snapshot, const struct graph_def *def,
                       struct buf *out)
{
    uint64_t count = 0;
    for (size_t i = 0; i < def->node_count; i++)
        count += (snapshot->next >> i & 1) != 0 || snapshot->visits[i] > 0;
    push_number(out, count);
    for (size_t i = 0; i < def->node_count; i++) {
        bool is_next = (snapshot->next >> i & 1) != 0;
        if (!is_next && snapshot->visits[i] == 0)
            continue;
        push_text(out, str_of(def->nodes[i].name));
        push_number(out, is_next);
        push_number(out, snapshot->visits[i]);
        push_number(out, snapshot->attempts[i]);
    }
}

static void write_all(const struct snapshot *snapshot, const struct graph *graph,
                      const struct state *state, uint64_t mask, struct snapshot_mark *marks,
                      struct buf *out)
{
    const struct graph_def *def = graph_def(graph);
    size_t start = buf_len(out);
    buf_push(out, magic);
    buf_push_char(out, SNAPSHOT_FORMAT);
    push_text(out, str_of(def->name));
    push_number(out, snapshot->step);
    push_number(out, snapshot->last_event_id);
    push_number(out, snapshot->attempt);
    push_nodes(snapshot, def, out);
    for (size_t i = 0; i < SNAPSHOT_TALLIES; i++)
        push_number(out, snapshot->tallies[i]);
    push_text(out, snapshot->route);
    push_text(out, snapshot->model);
    push_slots(state, mask, marks, out);
    fixed_push(out, crc_32c(str_from(buf_str(out), start)), CHECKSUM_BYTES);
}

void snapshot_write_full(const struct snapshot *snapshot, const struct graph *graph,
                         const struct state *state, struct snapshot_mark *marks, struct buf *out)
{
    memset(marks, 0, snapshot_mark_count(state->schema) * sizeof *marks);
    write_all(snapshot, graph, state, state->present, marks, out);
}

void snapshot_write_delta(const struct snapshot *snapshot, const struct graph *graph,
                          const struct state *state, uint64_t changed, struct snapshot_mark *marks,
                          struct buf *out)
{
    write_all(snapshot, graph, state, changed, marks, out);
}

void snapshot_write_ended(const struct snapshot *snapshot, const struct graph *graph,
                          const struct state *state, struct buf *out)
{
    struct snapshot_mark marks[SNAPSHOT_MOST_SLOTS] = {0};
    uint64_t mask = state->present;
    for (unsigned slot = 0; slot < state->schema->slot_count; slot++)
        if (state->schema->slots[slot].passing)
            mask &= ~state_bit(slot);
    write_all(snapshot, graph, state, mask, marks, out);
}

/* ---- reading ---- */

struct cursor {
    struct str rest;
    const char *problem; /* NULL: fine so far */
    unsigned format;
    struct arena *arena;                   /* NULL: only looking */
    struct str texts[SNAPSHOT_MOST_SLOTS]; /* of the slots so far, by their places; absent: none */
};

static uint64_t nonsense(struct cursor *cursor, const char *problem)
{
    if (cursor->problem == NULL)
        cursor->problem = problem;
    cursor->rest = STR("");
    return 0;
}

static uint64_t take_number(struct cursor *cursor)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (cursor->rest.len == 0)
            return nonsense(cursor, "it ends too early");
        unsigned char byte = (unsigned char)cursor->rest.at[0];
        cursor->rest = str_from(cursor->rest, 1);
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return shift == 63 && byte > 1 ? nonsense(cursor, "a number is too large") : value;
    }
    return nonsense(cursor, "a number is too large");
}

static uint64_t take_fixed(struct cursor *cursor, size_t bytes)
{
    if (cursor->rest.len < bytes)
        return nonsense(cursor, "it ends too early");
    return fixed_take(&cursor->rest, bytes);
}

/* A view into the bytes, or a copy in the arena. */
static struct str take_text(struct cursor *cursor)
{
    uint64_t len = take_number(cursor);
    if (len > cursor->rest.len) {
        nonsense(cursor, "a text ends too early");
        return STR("");
    }
    struct str text = str_slice(cursor->rest, 0, (size_t)len);
    cursor->rest = str_from(cursor->rest, (size_t)len);
    return cursor->arena == NULL ? text : arena_str(cursor->arena, text);
}

static struct str take_name(struct cursor *cursor)
{
    struct arena *arena = cursor->arena;
    cursor->arena = NULL;
    struct str name = take_text(cursor);
    cursor->arena = arena;
    return name;
}

static void take_nodes(struct cursor *cursor, const struct graph_def *def,
                       struct snapshot *snapshot)
{
    uint64_t count = take_number(cursor);
    for (uint64_t n = 0; n < count && cursor->problem == NULL; n++) {
        struct str name = take_name(cursor);
        bool is_next = take_number(cursor) != 0;
        uint64_t visits = take_number(cursor);
        uint64_t attempts = cursor->format > 1 ? take_number(cursor) : 0;
        size_t i = 0;
        while (i < def->node_count && !str_equal(str_of(def->nodes[i].name), name))
            i++;
        if (i == def->node_count && is_next)
            nonsense(cursor, "a node that was to run is not in the graph");
        if (i == def->node_count)
            continue;
        snapshot->visits[i] = visits;
        snapshot->attempts[i] = attempts;
        snapshot->next |= (uint64_t)is_next << i;
    }
}

static void take_items(struct cursor *cursor, struct state *state, unsigned slot, bool put,
                       bool is_known)
{
    struct state_items *items = is_known ? &state->values[slot].items : NULL;
    uint64_t first = take_number(cursor), count = take_number(cursor);
    if (count > cursor->rest.len) {
        nonsense(cursor, "a list is longer than the bytes");
        return;
    }
    if (items != NULL && first > items->count) {
        nonsense(cursor, "a list begins behind the end of what is there");
        return;
    }
    if (put) {
        items->count = (size_t)first;
        if (!state_reserve_items(state, slot, (size_t)count))
            return;
    }
    for (uint64_t i = 0; i < count && cursor->problem == NULL; i++) {
        struct str item = take_text(cursor);
        if (put)
            items->at[items->count++] = item;
    }
}

static void keep_text(struct cursor *cursor, uint64_t place, struct str text)
{
    if (place < SNAPSHOT_MOST_SLOTS)
        cursor->texts[place] = text;
}

/* The text of the slot at place, which is that of a slot before it. */
static void take_same(struct cursor *cursor, struct state *state, unsigned slot, uint64_t type,
                      bool put, uint64_t place)
{
    uint64_t before = take_number(cursor);
    if (before >= SNAPSHOT_MOST_SLOTS || str_is_absent(cursor->texts[before]) ||
        (type != SLOT_TEXT && type != SLOT_JSON)) {
        nonsense(cursor, "a slot has the text of one that has none");
        return;
    }
    struct str text = cursor->texts[before];
    keep_text(cursor, place, text);
    if (put)
        state->values[slot].text = text;
}

/* The value of the slot at place, put or passed over; the type is the written one. */
static void take_value(struct cursor *cursor, struct state *state, unsigned slot, uint64_t type,
                       bool put, bool is_known, uint64_t place)
{
    union state_value value = {{NULL, 0}};
    uint64_t bits;
    switch (type) {
    case SLOT_TEXT:
    case SLOT_JSON:
        value.text = take_text(cursor);
        keep_text(cursor, place, value.text);
        break;
    case SLOT_INT:
        value.integer = (int64_t)take_fixed(cursor, sizeof bits);
        break;
    case SLOT_REAL:
        bits = take_fixed(cursor, sizeof bits);
        memcpy(&value.real, &bits, sizeof bits);
        break;
    case SLOT_BOOL:
        value.boolean = take_number(cursor) != 0;
        break;
    case SLOT_LIST:
        take_items(cursor, state, slot, put, is_known);
        return;
    default:
        nonsense(cursor, "a slot has no known type");
        return;
    }
    if (put)
        state->values[slot] = value;
}

static void clear_slot(struct state *state, unsigned slot)
{
    state->present &= ~state_bit(slot);
    if (state->schema->slots[slot].type == SLOT_LIST)
        state->values[slot].items.count = 0;
    else
        state->values[slot] = (union state_value){{NULL, 0}};
}

static unsigned find_slot(const struct schema *schema, struct str name)
{
    unsigned slot = 0;
    while (slot < schema->slot_count && !str_equal(str_of(schema->slots[slot].name), name))
        slot++;
    return slot;
}

static void take_slots(struct cursor *cursor, struct state *state, bool put)
{
    const struct schema *schema = state->schema;
    uint64_t count = take_number(cursor);
    for (uint64_t n = 0; n < count && cursor->problem == NULL; n++) {
        struct str name = take_name(cursor);
        uint64_t type = take_number(cursor);
        uint64_t how = take_number(cursor);
        bool same = how == SAME && cursor->format > 2, present = how == PRESENT || same;
        unsigned slot = find_slot(schema, name);
        bool is_known = slot < schema->slot_count;
        if (is_known && (schema->slots[slot].type != type || schema->slots[slot].secret))
            nonsense(cursor, "a slot is of another type now");
        bool puts = put && is_known && cursor->problem == NULL;
        if (puts && !present)
            clear_slot(state, slot);
        if (puts && present)
            state->present |= state_bit(slot);
        if (same)
            take_same(cursor, state, slot, type, puts, n);
        else if (present)
            take_value(cursor, state, slot, type, puts, is_known, n);
    }
}

static void take_all(struct cursor *cursor, const struct graph_def *def, struct state *state,
                     bool put, struct snapshot *snapshot)
{
    *snapshot = (struct snapshot){0};
    if (!str_equal(take_name(cursor), str_of(def->name)))
        nonsense(cursor, "it is of another graph");
    snapshot->step = take_number(cursor);
    snapshot->last_event_id = take_number(cursor);
    snapshot->attempt = take_number(cursor);
    take_nodes(cursor, def, snapshot);
    for (size_t i = 0; i < SNAPSHOT_TALLIES; i++)
        snapshot->tallies[i] = take_number(cursor);
    snapshot->route = take_text(cursor);
    snapshot->model = take_text(cursor);
    take_slots(cursor, state, put);
    if (cursor->problem == NULL && cursor->rest.len > 0)
        nonsense(cursor, "there is more behind its end");
}

/* The body between head and checksum, or why there is none. */
static enum err_code find_body(struct str bytes, unsigned *format, struct str *body,
                               struct err *err)
{
    if (bytes.len < HEAD_BYTES + CHECKSUM_BYTES || !str_starts_with(bytes, magic))
        return err_set(err, ERR_INVALID, "the checkpoint is not one");
    struct str tail = str_from(bytes, bytes.len - CHECKSUM_BYTES);
    if (fixed_take(&tail, CHECKSUM_BYTES) !=
        crc_32c(str_slice(bytes, 0, bytes.len - CHECKSUM_BYTES)))
        return err_set(err, ERR_INVALID, "the checkpoint is damaged: its checksum is wrong");
    *format = (unsigned char)bytes.at[magic.len];
    if (*format < SNAPSHOT_OLDEST_FORMAT || *format > SNAPSHOT_FORMAT)
        return err_set(err, ERR_INVALID,
                       "the checkpoint's format is %u, this version reads %d to %d", *format,
                       SNAPSHOT_OLDEST_FORMAT, SNAPSHOT_FORMAT);
    *body = str_slice(bytes, HEAD_BYTES, bytes.len - CHECKSUM_BYTES);
    return ERR_OK;
}

enum err_code snapshot_read(struct str bytes, const struct graph *graph, struct arena *arena,
                            struct state *state, struct snapshot *snapshot, struct err *err)
{
    struct str body;
    unsigned format;
    enum err_code code = find_body(bytes, &format, &body, err);
    if (code != ERR_OK)
        return code;
    struct snapshot seen;
    struct cursor look = {.rest = body, .format = format};
    take_all(&look, graph_def(graph), state, false, &seen);
    struct cursor put = {.rest = body, .problem = look.problem, .format = format, .arena = arena};
    if (put.problem == NULL)
        take_all(&put, graph_def(graph), state, true, snapshot);
    if (!arena_ok(arena)) /* then what was put need not make sense */
        return err_set(err, ERR_NO_MEMORY, "the run's memory budget is spent");
    if (put.problem != NULL)
        return err_set(err, ERR_INVALID, "the checkpoint cannot be used: %s", put.problem);
    return ERR_OK;
}

struct str snapshot_find_graph(struct str bytes)
{
    struct str body;
    unsigned format;
    struct err ignored;
    if (find_body(bytes, &format, &body, &ignored) != ERR_OK)
        return (struct str){NULL, 0};
    struct cursor cursor = {.rest = body, .format = format};
    struct str name = take_name(&cursor);
    return cursor.problem == NULL ? name : (struct str){NULL, 0};
}
