/* SPDX-License-Identifier: MIT */
/* core/run/update.c - staged puts in a list, in the run's arena.
 *
 * Happy path: a put is checked against the schema, copied and staged; update_merge reserves room
 * for all list items first, then applies every put, which can no longer fail.
 * Failure: the arena is spent while staging or reserving -> ERR_NO_MEMORY at merge, nothing is
 * applied. A put the schema does not allow is our own mistake and aborts, naming the slot. */
#include "core/run/update.h"

#include <string.h>

#include "core/run/state_internal.h"

struct put {
    struct put *next;
    unsigned slot;
    bool clear;
    union state_value value; /* a list item is in value.text */
};

struct update {
    const struct schema *schema;
    struct arena *arena;
    unsigned writer;
    bool failed;
    struct put *first, **end;
};

struct update *update_create(const struct state *state, unsigned writer, struct arena *arena)
{
    CHECK(writer <= UPDATE_INPUT_WRITER);
    struct update *update = arena_alloc(arena, sizeof *update);
    if (update == NULL)
        return NULL;
    *update = (struct update){.schema = state->schema, .arena = arena, .writer = writer};
    update->end = &update->first;
    return update;
}

/* A staged put of slot, to be filled; NULL when the arena is spent. */
static struct put *stage(struct update *update, unsigned slot)
{
    if ((update->schema->slots[slot].writers & state_bit(update->writer)) == 0)
        state_refuse(update->schema, slot, "written by a node that is not among its writers");
    struct put *put = arena_alloc(update->arena, sizeof *put);
    if (put == NULL) {
        update->failed = true;
        return NULL;
    }
    put->slot = slot;
    *update->end = put;
    update->end = &put->next;
    return put;
}

static void stage_text(struct update *update, unsigned slot, struct str text)
{
    struct put *put = stage(update, slot);
    if (put == NULL)
        return;
    put->value.text = arena_str(update->arena, str_is_absent(text) ? STR("") : text);
    if (str_is_absent(put->value.text))
        update->failed = true;
}

void update_put_str(struct update *update, unsigned slot, struct str value)
{
    state_check_slot(update->schema, slot, SLOT_TEXT, SLOT_JSON);
    stage_text(update, slot, value);
}

void update_put_int(struct update *update, unsigned slot, int64_t value)
{
    state_check_slot(update->schema, slot, SLOT_INT, SLOT_INT);
    struct put *put = stage(update, slot);
    if (put != NULL)
        put->value.integer = value;
}

void update_put_real(struct update *update, unsigned slot, double value)
{
    state_check_slot(update->schema, slot, SLOT_REAL, SLOT_REAL);
    struct put *put = stage(update, slot);
    if (put != NULL)
        put->value.real = value;
}

void update_put_bool(struct update *update, unsigned slot, bool value)
{
    state_check_slot(update->schema, slot, SLOT_BOOL, SLOT_BOOL);
    struct put *put = stage(update, slot);
    if (put != NULL)
        put->value.boolean = value;
}

void update_push_item(struct update *update, unsigned slot, struct str item)
{
    state_check_slot(update->schema, slot, SLOT_LIST, SLOT_LIST);
    stage_text(update, slot, item);
}

void update_clear(struct update *update, unsigned slot)
{
    if (slot >= update->schema->slot_count)
        state_refuse(update->schema, slot, "the schema has no such slot");
    struct put *put = stage(update, slot);
    if (put != NULL)
        put->clear = true;
}

/* ---- merging ---- */

static bool reserve_all(const struct update *update, struct state *state)
{
    size_t more[STATE_MAX_SLOTS] = {0};
    for (const struct put *put = update->first; put != NULL; put = put->next)
        if (state->schema->slots[put->slot].type == SLOT_LIST && !put->clear)
            more[put->slot]++;
    for (unsigned slot = 0; slot < state->schema->slot_count; slot++)
        if (more[slot] > 0 && !state_reserve_items(state, slot, more[slot]))
            return false;
    return true;
}

static void add_integer(int64_t *sum, int64_t amount)
{
    if (__builtin_add_overflow(*sum, amount, sum))
        *sum = amount > 0 ? INT64_MAX : INT64_MIN;
}

static void begin_anew(struct state_items *items)
{
    items->count = 0;
    items->era++;
}

/* Apply one put; *replaced has the bits of lists this update has already begun anew. */
static void apply(struct state *state, const struct put *put, uint64_t *replaced)
{
    const struct slot *slot = &state->schema->slots[put->slot];
    union state_value *value = &state->values[put->slot];
    state_mark_changed(state, put->slot);
    if (put->clear) {
        state->present &= ~state_bit(put->slot);
        if (slot->type == SLOT_LIST)
            begin_anew(&value->items);
        else
            *value = (union state_value){0};
        return;
    }
    state->present |= state_bit(put->slot);
    if (slot->type == SLOT_LIST) {
        if (slot->reducer == REDUCE_REPLACE && (*replaced & state_bit(put->slot)) == 0)
            begin_anew(&value->items);
        *replaced |= state_bit(put->slot);
        value->items.at[value->items.count++] = put->value.text;
    } else if (slot->reducer == REDUCE_ADD && slot->type == SLOT_INT) {
        add_integer(&value->integer, put->value.integer);
    } else if (slot->reducer == REDUCE_ADD && slot->type == SLOT_REAL) {
        value->real += put->value.real;
    } else {
        *value = put->value;
    }
}

enum err_code update_merge(struct update *update, struct state *state)
{
    CHECK(update->schema == state->schema);
    if (update->failed || !reserve_all(update, state))
        return ERR_NO_MEMORY;
    uint64_t replaced = 0;
    for (const struct put *put = update->first; put != NULL; put = put->next)
        apply(state, put, &replaced);
    update->first = NULL;
    update->end = &update->first;
    return ERR_OK;
}
