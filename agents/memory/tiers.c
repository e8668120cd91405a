/* SPDX-License-Identifier: MIT */
/* agents/memory/tiers.c - the note is JSON: {"earlier":{"last":n,"text":s},"parts":[{...}]}.
 *
 * Failure: a note that does not read is no note: the conversation is summed up again. */
#include "agents/memory/tiers.h"

#include <string.h>

#include "proto/json_value.h"
#include "proto/json_write.h"

static bool read_part(const struct json_value *value, struct tiers_part *part)
{
    int64_t last;
    if (json_value_i64(value, "/last", &last, NULL) != ERR_OK || last <= 0 ||
        json_value_str(value, "/text", &part->text, NULL) != ERR_OK)
        return false;
    part->last = (uint64_t)last;
    return true;
}

static bool read_all(struct tiers *tiers, const struct json_value *root)
{
    const struct json_value *earlier = json_value_member(root, STR("earlier")), *parts;
    if (earlier != NULL && !read_part(earlier, &tiers->earlier))
        return false;
    if (json_value_array(root, "/parts", &parts, NULL) != ERR_OK || parts->count > TIERS_PARTS)
        return false;
    JSON_EACH(item, parts) {
        uint64_t before = tiers_covered(tiers);
        struct tiers_part *part = &tiers->parts[tiers->part_count];
        if (!read_part(item, part) || part->last <= before)
            return false;
        tiers->part_count++;
    }
    return true;
}

bool tiers_read(struct tiers *tiers, struct str note, struct arena *arena)
{
    *tiers = (struct tiers){0};
    if (str_is_empty(note))
        return true;
    const struct json_value *root = json_value_parse(arena, note, NULL, NULL);
    if (root != NULL && read_all(tiers, root))
        return true;
    *tiers = (struct tiers){0};
    return false;
}

static void write_part(struct json_write *json, const struct tiers_part *part)
{
    json_write_object(json);
    json_write_member_u64(json, STR("last"), part->last);
    json_write_member_str(json, STR("text"), part->text);
    json_write_object_end(json);
}

void tiers_write(const struct tiers *tiers, struct buf *out)
{
    struct json_write json;
    json_write_init(&json, out);
    json_write_object(&json);
    if (tiers->earlier.last > 0) {
        json_write_key(&json, STR("earlier"));
        write_part(&json, &tiers->earlier);
    }
    json_write_key(&json, STR("parts"));
    json_write_array(&json);
    for (size_t i = 0; i < tiers->part_count; i++)
        write_part(&json, &tiers->parts[i]);
    json_write_array_end(&json);
    json_write_object_end(&json);
}

uint64_t tiers_covered(const struct tiers *tiers)
{
    return tiers->part_count > 0 ? tiers->parts[tiers->part_count - 1].last : tiers->earlier.last;
}

bool tiers_due(const struct tiers *tiers, uint64_t turns, uint64_t *first, uint64_t *last)
{
    *first = tiers_covered(tiers) + 1;
    *last = tiers_covered(tiers) + TIERS_PART;
    return turns >= *last + TIERS_FULL;
}

void tiers_add(struct tiers *tiers, uint64_t last, struct str text)
{
    CHECK(tiers->part_count < countof(tiers->parts));
    tiers->parts[tiers->part_count++] =
        (struct tiers_part){last, str_utf8_prefix(text, TIERS_TEXT_BYTES)};
}

bool tiers_overflows(const struct tiers *tiers)
{
    return tiers->part_count > TIERS_PARTS;
}

void tiers_join(struct tiers *tiers, struct str text)
{
    tiers->earlier =
        (struct tiers_part){tiers->parts[0].last, str_utf8_prefix(text, TIERS_TEXT_BYTES)};
    tiers->part_count--;
    memmove(&tiers->parts[0], &tiers->parts[1], tiers->part_count * sizeof tiers->parts[0]);
}

void tiers_cut(struct tiers *tiers, uint64_t turns)
{
    while (tiers->part_count > 0 && tiers->parts[tiers->part_count - 1].last + TIERS_FULL > turns)
        tiers->part_count--;
    if (tiers->part_count == 0 && tiers->earlier.last + TIERS_FULL > turns)
        tiers->earlier = (struct tiers_part){0};
}

void tiers_render(const struct tiers *tiers, struct buf *out)
{
    if (tiers->earlier.last > 0)
        buf_printf(out, "Turns 1 to %llu: %.*s\n", (unsigned long long)tiers->earlier.last,
                   STR_ARG(tiers->earlier.text));
    uint64_t first = tiers->earlier.last + 1;
    for (size_t i = 0; i < tiers->part_count; i++) {
        buf_printf(out, "Turns %llu to %llu: %.*s\n", (unsigned long long)first,
                   (unsigned long long)tiers->parts[i].last, STR_ARG(tiers->parts[i].text));
        first = tiers->parts[i].last + 1;
    }
}
