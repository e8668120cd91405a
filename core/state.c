/* SPDX-License-Identifier: MIT */
/* core/state.c - values in an array, staged puts in a list, both in the run's arena.
 *
 * Happy path: a put is checked against the schema, copied and staged; update_merge reserves room
 * for all list items first, then applies every put, which can no longer fail.
 * Failure: the arena is spent while staging or reserving -> ERR_NO_MEMORY at merge, nothing is
 * applied. A put the schema does not allow is our own mistake and aborts, naming the slot. */
#include "core/state.h"

#include <stdio.h>
#include <string.h>

enum { MAX_SLOTS = 64, INPUT_WRITER = 63, FIRST_ITEMS = 4 };

struct items {
    struct str *at;
    size_t count, cap;
};

union value {
    struct str text;
    int64_t integer;
    double real;
    bool boolean;
    struct items items;
};

struct state {
    const struct schema *schema;
    struct arena *arena;
    uint64_t present, changed; /* bits of slots */
    union value values[];
};

struct put {
    struct put *next;
    unsigned slot;
    bool clear;
    union value value; /* a list item is in value.text */
};

struct update {
    const struct schema *schema;
    struct arena *arena;
    unsigned writer;
    bool failed;
    struct put *first, **end;
};

static uint64_t bit(unsigned slot)
{
    return UINT64_C(1) << slot;
}

NORETURN static void refuse(const struct schema *schema, unsigned slot, const char *why)
{
    char text[256];
    const char *name = slot < schema->slot_count ? schema->slots[slot].name : "?";
    snprintf(text, sizeof text, "slot %u '%s': %s", slot, name, why);
    defs_check_failed(__FILE__, __LINE__, text);
}

static void check_slot(const struct schema *schema, unsigned slot, enum slot_type type,
                       enum slot_type or_type)
{
    if (slot >= schema->slot_count)
        refuse(schema, slot, "the schema has no such slot");
    if (schema->slots[slot].type != type && schema->slots[slot].type != or_type)
        refuse(schema, slot, "used as another type than the schema's");
}

/* ---- values ---- */

struct state *state_create(const struct schema *schema, struct arena *arena)
{
    CHECK(schema->slot_count <= MAX_SLOTS);
    struct state *state =
        arena_alloc(arena, sizeof *state + schema->slot_count * sizeof(union value));
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
        refuse(state->schema, slot, "the schema has no such slot");
    return (state->present & bit(slot)) != 0;
}

struct str state_str(const struct state *state, unsigned slot)
{
    check_slot(state->schema, slot, SLOT_TEXT, SLOT_JSON);
    return state->values[slot].text;
}

int64_t state_int(const struct state *state, unsigned slot)
{
    check_slot(state->schema, slot, SLOT_INT, SLOT_INT);
    return state->values[slot].integer;
}

double state_real(const struct state *state, unsigned slot)
{
    check_slot(state->schema, slot, SLOT_REAL, SLOT_REAL);
    return state->values[slot].real;
}

bool state_bool(const struct state *state, unsigned slot)
{
    check_slot(state->schema, slot, SLOT_BOOL, SLOT_BOOL);
    return state->values[slot].boolean;
}

size_t state_list_count(const struct state *state, unsigned slot)
{
    check_slot(state->schema, slot, SLOT_LIST, SLOT_LIST);
    return state->values[slot].items.count;
}

struct str state_list_item(const struct state *state, unsigned slot, size_t i)
{
    check_slot(state->schema, slot, SLOT_LIST, SLOT_LIST);
    CHECK(i < state->values[slot].items.count);
    return state->values[slot].items.at[i];
}

uint64_t state_take_changed(struct state *state)
{
    uint64_t changed = state->changed;
    state->changed = 0;
    return changed;
}

/* ---- staging ---- */

struct update *update_create(const struct state *state, unsigned writer, struct arena *arena)
{
    CHECK(writer <= INPUT_WRITER);
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
    if ((update->schema->slots[slot].writers & bit(update->writer)) == 0)
        refuse(update->schema, slot, "written by a node that is not among its writers");
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
    check_slot(update->schema, slot, SLOT_TEXT, SLOT_JSON);
    stage_text(update, slot, value);
}

void update_put_int(struct update *update, unsigned slot, int64_t value)
{
    check_slot(update->schema, slot, SLOT_INT, SLOT_INT);
    struct put *put = stage(update, slot);
    if (put != NULL)
        put->value.integer = value;
}

void update_put_real(struct update *update, unsigned slot, double value)
{
    check_slot(update->schema, slot, SLOT_REAL, SLOT_REAL);
    struct put *put = stage(update, slot);
    if (put != NULL)
        put->value.real = value;
}

void update_put_bool(struct update *update, unsigned slot, bool value)
{
    check_slot(update->schema, slot, SLOT_BOOL, SLOT_BOOL);
    struct put *put = stage(update, slot);
    if (put != NULL)
        put->value.boolean = value;
}

void update_push_item(struct update *update, unsigned slot, struct str item)
{
    check_slot(update->schema, slot, SLOT_LIST, SLOT_LIST);
    stage_text(update, slot, item);
}

void update_clear(struct update *update, unsigned slot)
{
    if (slot >= update->schema->slot_count)
        refuse(update->schema, slot, "the schema has no such slot");
    struct put *put = stage(update, slot);
    if (put != NULL)
        put->clear = true;
}

/* ---- merging ---- */

/* Room for more items in the list of slot. False: the arena is spent. */
static bool reserve_items(struct state *state, unsigned slot, size_t more)
{
    struct items *items = &state->values[slot].items;
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

static bool reserve_all(const struct update *update, struct state *state)
{
    size_t more[MAX_SLOTS] = {0};
    for (const struct put *put = update->first; put != NULL; put = put->next)
        if (state->schema->slots[put->slot].type == SLOT_LIST && !put->clear)
            more[put->slot]++;
    for (unsigned slot = 0; slot < state->schema->slot_count; slot++)
        if (more[slot] > 0 && !reserve_items(state, slot, more[slot]))
            return false;
    return true;
}

static void add_integer(int64_t *sum, int64_t amount)
{
    if (__builtin_add_overflow(*sum, amount, sum))
        *sum = amount > 0 ? INT64_MAX : INT64_MIN;
}

/* Apply one put; *replaced has the bits of lists this update has already begun anew. */
static void apply(struct state *state, const struct put *put, uint64_t *replaced)
{
    const struct slot *slot = &state->schema->slots[put->slot];
    union value *value = &state->values[put->slot];
    state->changed |= bit(put->slot);
    if (put->clear) {
        state->present &= ~bit(put->slot);
        if (slot->type == SLOT_LIST)
            value->items.count = 0;
        else
            *value = (union value){0};
        return;
    }
    state->present |= bit(put->slot);
    if (slot->type == SLOT_LIST) {
        if (slot->reducer == REDUCE_REPLACE && (*replaced & bit(put->slot)) == 0)
            value->items.count = 0;
        *replaced |= bit(put->slot);
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

/* ---- the engine's own ---- */

enum err_code state_set_int(struct state *state, unsigned slot, int64_t value)
{
    check_slot(state->schema, slot, SLOT_INT, SLOT_INT);
    state->values[slot].integer = value;
    state->present |= bit(slot);
    state->changed |= bit(slot);
    return ERR_OK;
}

enum err_code state_set_str(struct state *state, unsigned slot, struct str value)
{
    check_slot(state->schema, slot, SLOT_TEXT, SLOT_JSON);
    struct str copy = arena_str(state->arena, str_is_absent(value) ? STR("") : value);
    if (str_is_absent(copy))
        return ERR_NO_MEMORY;
    state->values[slot].text = copy;
    state->present |= bit(slot);
    state->changed |= bit(slot);
    return ERR_OK;
}
