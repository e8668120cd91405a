/* SPDX-License-Identifier: MIT */
/* core/run/state.c - values in an array by slot, in the run's arena.
 *
 * Failure: the arena is spent at creation or when the engine sets a text. A slot used as the schema
 * does not say is our own mistake and aborts, naming the slot. */
#include "core/run/state_internal.h"

#include <stdio.h>
#include <string.h>

enum { FIRST_ITEMS = 4 };

void state_refuse(const struct schema *schema, unsigned slot, const char *why)
{
    char text[256];
    const char *name = slot < schema->slot_count ? schema->slots[slot].name : "?";
    snprintf(text, sizeof text, "slot %u '%s': %s", slot, name, why);
    defs_check_failed(__FILE__, __LINE__, text);
}

void state_check_slot(const struct schema *schema, unsigned slot, enum slot_type type,
                      enum slot_type or_type)
{
    if (slot >= schema->slot_count)
        state_refuse(schema, slot, "the schema has no such slot");
    if (schema->slots[slot].type != type && schema->slots[slot].type != or_type)
        state_refuse(schema, slot, "used as another type than the schema's");
}

struct state *state_create(const struct schema *schema, struct arena *arena)
{
    CHECK(schema->slot_count <= STATE_MAX_SLOTS);
    struct state *state =
        arena_alloc(arena, sizeof *state + schema->slot_count * sizeof(union state_value));
    if (state == NULL)
        return NULL;
    state->schema = schema;
    state->arena = arena;
    return state;
}

const struct schema *state_schema(const struct state *state)
{
    return state->schema;
}

bool state_has(const struct state *state, unsigned slot)
{
    if (slot >= state->schema->slot_count)
        state_refuse(state->schema, slot, "the schema has no such slot");
    return (state->present & state_bit(slot)) != 0;
}

struct str state_str(const struct state *state, unsigned slot)
{
    state_check_slot(state->schema, slot, SLOT_TEXT, SLOT_JSON);
    return state->values[slot].text;
}

int64_t state_int(const struct state *state, unsigned slot)
{
    state_check_slot(state->schema, slot, SLOT_INT, SLOT_INT);
    return state->values[slot].integer;
}

double state_real(const struct state *state, unsigned slot)
{
    state_check_slot(state->schema, slot, SLOT_REAL, SLOT_REAL);
    return state->values[slot].real;
}

bool state_bool(const struct state *state, unsigned slot)
{
    state_check_slot(state->schema, slot, SLOT_BOOL, SLOT_BOOL);
    return state->values[slot].boolean;
}

size_t state_list_count(const struct state *state, unsigned slot)
{
    state_check_slot(state->schema, slot, SLOT_LIST, SLOT_LIST);
    return state->values[slot].items.count;
}

struct str state_list_item(const struct state *state, unsigned slot, size_t i)
{
    state_check_slot(state->schema, slot, SLOT_LIST, SLOT_LIST);
    CHECK(i < state->values[slot].items.count);
    return state->values[slot].items.at[i];
}

uint64_t state_take_changed(struct state *state)
{
    uint64_t changed = state->changed;
    state->changed = 0;
    return changed;
}

uint64_t state_take_unsaved(struct state *state)
{
    uint64_t unsaved = state->unsaved;
    state->unsaved = 0;
    return unsaved;
}

enum err_code state_set_int(struct state *state, unsigned slot, int64_t value)
{
    state_check_slot(state->schema, slot, SLOT_INT, SLOT_INT);
    state->values[slot].integer = value;
    state->present |= state_bit(slot);
    state_mark_changed(state, slot);
    return ERR_OK;
}

enum err_code state_set_str(struct state *state, unsigned slot, struct str value)
{
    state_check_slot(state->schema, slot, SLOT_TEXT, SLOT_JSON);
    struct str copy = arena_str(state->arena, str_is_absent(value) ? STR("") : value);
    if (str_is_absent(copy))
        return ERR_NO_MEMORY;
    state->values[slot].text = copy;
    state->present |= state_bit(slot);
    state_mark_changed(state, slot);
    return ERR_OK;
}

bool state_reserve_items(struct state *state, unsigned slot, size_t more)
{
    struct state_items *items = &state->values[slot].items;
    if (items->cap - items->count >= more)
        return true;
    size_t cap = size_max(items->cap * 2, items->count + size_max(more, FIRST_ITEMS));
    struct str *at = arena_array(state->arena, cap, sizeof *at);
    if (at == NULL)
        return false;
    if (items->count > 0)
        memcpy(at, items->at, items->count * sizeof *at);
    items->at = at;
    items->cap = cap;
    return true;
}
