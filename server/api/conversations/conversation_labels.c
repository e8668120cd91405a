/* SPDX-License-Identifier: MIT */
/* server/api/conversations/conversation_labels.c - read, find, write.
 *
 * Failure: a note that is not ours is none; no memory gives an empty list. */
#include "server/api/conversations/conversation_labels.h"

#include <inttypes.h>

#include "proto/json_value.h"

static const struct str title_kind = {"title/", 6}, pin_kind = {"pin/", 4};

/* Read a note of the kind. False: it is none. */
static bool read_note(const struct store_note *note, struct str kind, uint64_t *at_ms,
                      struct str *text)
{
    *text = note->bytes;
    return str_starts_with(note->name, kind) && str_to_u64(str_split(text, ' '), at_ms);
}

/* The label of the id among labels, which have room for one more. */
static struct conversation_label *label_of(struct conversation_labels *labels, struct str id)
{
    for (size_t i = 0; i < labels->count; i++)
        if (str_equal(labels->at[i].id, id))
            return &labels->at[i];
    labels->at[labels->count] = (struct conversation_label){.id = id, .title = STR("")};
    return &labels->at[labels->count++];
}

struct conversation_labels conversation_labels_before(const struct store_call *loaded,
                                                      struct arena *arena)
{
    struct conversation_labels labels = {NULL, 0};
    const struct json_value *list = NULL;
    for (size_t i = 0; i < loaded->note_count; i++)
        if (str_equal(loaded->notes[i].name, STR(CONVERSATION_LABELS_BEFORE)))
            list = json_value_parse(arena, loaded->notes[i].bytes, NULL, NULL);
    if (list == NULL || list->type != JSON_ARRAY)
        return labels;
    labels.at = arena_array(arena, list->count + 1, sizeof *labels.at);
    JSON_EACH(item, list) {
        struct conversation_label label = {.title = STR("")};
        if (labels.at == NULL || json_value_str(item, "/id", &label.id, NULL) != ERR_OK)
            continue;
        if (json_value_str(item, "/title", &label.title, NULL) != ERR_OK)
            label.title = STR("");
        if (json_value_bool(item, "/pinned", &label.pinned, NULL) != ERR_OK)
            label.pinned = false;
        labels.at[labels.count++] = label;
    }
    return labels;
}

struct conversation_labels conversation_labels_of(const struct store_call *loaded,
                                                  struct arena *arena)
{
    const struct conversation_labels before = conversation_labels_before(loaded, arena);
    struct conversation_labels labels = {
        arena_array(arena, loaded->note_count + before.count + 1, sizeof *labels.at), 0};
    uint64_t at_ms;
    struct str text;
    for (size_t i = 0; labels.at != NULL && i < loaded->note_count; i++) {
        const struct store_note *note = &loaded->notes[i];
        if (read_note(note, title_kind, &at_ms, &text))
            label_of(&labels, str_from(note->name, title_kind.len))->title = text;
        else if (read_note(note, pin_kind, &at_ms, &text))
            label_of(&labels, str_from(note->name, pin_kind.len))->pinned = true;
    }
    for (size_t i = 0; labels.at != NULL && i < before.count; i++) {
        struct conversation_label *label = label_of(&labels, before.at[i].id);
        label->title = str_is_empty(label->title) ? before.at[i].title : label->title;
        label->pinned = label->pinned || before.at[i].pinned;
    }
    return labels;
}

const struct conversation_label *conversation_labels_find(const struct conversation_labels *labels,
                                                          struct str id)
{
    for (size_t i = 0; i < labels->count; i++)
        if (str_equal(labels->at[i].id, id))
            return &labels->at[i];
    return NULL;
}

static struct store_note make_note(struct str kind, struct str id, struct str bytes,
                                   struct arena *arena)
{
    return (struct store_note){arena_printf(arena, "%.*s%.*s", STR_ARG(kind), STR_ARG(id)), bytes};
}

struct store_note conversation_labels_title(struct str id, struct str title, uint64_t now_ms,
                                            struct arena *arena)
{
    return make_note(title_kind, id,
                     str_is_empty(title)
                         ? STR("")
                         : arena_printf(arena, "%" PRIu64 " %.*s", now_ms, STR_ARG(title)),
                     arena);
}

struct store_note conversation_labels_pin(struct str id, bool pinned, uint64_t now_ms,
                                          struct arena *arena)
{
    return make_note(pin_kind, id, pinned ? arena_printf(arena, "%" PRIu64, now_ms) : STR(""),
                     arena);
}

bool conversation_labels_is_too_many(const struct store_call *loaded, const struct store_note *note)
{
    uint64_t at_ms, other_ms;
    struct str text, kind = title_kind;
    size_t newer = 0;
    if (!read_note(note, title_kind, &at_ms, &text)) {
        kind = pin_kind;
        if (!read_note(note, pin_kind, &at_ms, &text))
            return false;
    }
    for (size_t i = 0; i < loaded->note_count; i++)
        if (read_note(&loaded->notes[i], kind, &other_ms, &text) &&
            (other_ms > at_ms ||
             (other_ms == at_ms && str_compare(loaded->notes[i].name, note->name) > 0)))
            newer++;
    return newer >= CONVERSATION_LABELS_MOST;
}
