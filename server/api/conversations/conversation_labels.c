/* SPDX-License-Identifier: MIT */
/* server/api/conversations/conversation_labels.c - read, find, write.
 *
 * Failure: a note that is not ours is none; no memory gives an empty list. */
#include "server/api/conversations/conversation_labels.h"

#include "proto/json_value.h"
#include "proto/json_write.h"

struct conversation_labels conversation_labels_of(const struct store_call *loaded,
                                                  struct arena *arena)
{
    struct conversation_labels labels = {NULL, 0};
    const struct json_value *list = NULL;
    for (size_t i = 0; i < loaded->note_count; i++)
        if (str_equal(loaded->notes[i].name, STR(CONVERSATION_LABELS_NOTE)))
            list = json_value_parse(arena, loaded->notes[i].bytes, NULL, NULL);
    if (list == NULL || list->type != JSON_ARRAY)
        return labels;
    labels.at = arena_array(arena, list->count + 1, sizeof *labels.at);
    JSON_EACH(item, list) {
        struct conversation_label label = {.title = STR("")};
        if (labels.at == NULL || json_value_str(item, "/id", &label.id, NULL) != ERR_OK)
            continue;
        const struct json_value *title = json_value_member(item, STR("title"));
        const struct json_value *pinned = json_value_member(item, STR("pinned"));
        if (title != NULL && title->type == JSON_STRING)
            label.title = title->text;
        label.pinned = pinned != NULL && pinned->type == JSON_BOOL && pinned->boolean;
        labels.at[labels.count++] = label;
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

static size_t write_label(struct json_write *json, const struct conversation_label *label)
{
    if (label->title.len == 0 && !label->pinned)
        return 0;
    json_write_object(json);
    json_write_member_str(json, STR("id"), label->id);
    if (label->title.len > 0)
        json_write_member_str(json, STR("title"), label->title);
    if (label->pinned)
        json_write_member_bool(json, STR("pinned"), true);
    json_write_object_end(json);
    return 1;
}

void conversation_labels_write(const struct conversation_labels *labels,
                               const struct conversation_label *label, struct buf *out)
{
    struct json_write json;
    json_write_init(&json, out);
    json_write_array(&json);
    size_t count = write_label(&json, label);
    for (size_t i = 0; i < labels->count && count < CONVERSATION_LABELS_MOST; i++)
        if (!str_equal(labels->at[i].id, label->id))
            count += write_label(&json, &labels->at[i]);
    json_write_array_end(&json);
}
