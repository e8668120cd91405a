/* SPDX-License-Identifier: MIT */
/* agents/services/slot_text.c - by the slot's type. Failure: no memory. */
#include "agents/services/slot_text.h"

#include <inttypes.h>

enum { LIST_BYTES = 1 << 20 };

static void write_list(const struct state *state, unsigned slot, struct json_write *writer)
{
    json_write_array(writer);
    for (size_t i = 0; i < state_list_count(state, slot); i++)
        json_write_str(writer, state_list_item(state, slot, i));
    json_write_array_end(writer);
}

void slot_text_write(const struct state *state, unsigned slot, struct json_write *writer)
{
    switch (state_schema(state)->slots[slot].type) {
    case SLOT_TEXT:
        json_write_str(writer, state_str(state, slot));
        break;
    case SLOT_JSON:
        json_write_raw(writer, state_str(state, slot));
        break;
    case SLOT_INT:
        json_write_i64(writer, state_int(state, slot));
        break;
    case SLOT_REAL:
        json_write_double(writer, state_real(state, slot));
        break;
    case SLOT_BOOL:
        json_write_bool(writer, state_bool(state, slot));
        break;
    case SLOT_LIST:
        write_list(state, slot, writer);
        break;
    }
}

static struct str list_text(const struct state *state, unsigned slot, struct arena *arena)
{
    struct buf out;
    struct json_write writer;
    buf_init(&out, LIST_BYTES);
    json_write_init(&writer, &out);
    write_list(state, slot, &writer);
    struct str text = buf_ok(&out) ? arena_str(arena, buf_str(&out)) : (struct str){NULL, 0};
    buf_fini(&out);
    return text;
}

struct str slot_text(const struct state *state, unsigned slot, struct arena *arena)
{
    if (!state_has(state, slot))
        return STR("");
    switch (state_schema(state)->slots[slot].type) {
    case SLOT_TEXT:
    case SLOT_JSON:
        return state_str(state, slot);
    case SLOT_INT:
        return arena_printf(arena, "%" PRId64, state_int(state, slot));
    case SLOT_REAL:
        return arena_printf(arena, "%.15g", state_real(state, slot));
    case SLOT_BOOL:
        return state_bool(state, slot) ? STR("true") : STR("false");
    case SLOT_LIST:
        break;
    }
    return list_text(state, slot, arena);
}
