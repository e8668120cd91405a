/* SPDX-License-Identifier: MIT */
/* backends/passages/passage_codec.c - fields as length-prefixed pairs.
 *
 * Failure: bytes that are cut or damaged end the fields early; a value that is not there counts as
 * empty, as in passage_passes. */
#include "backends/passages/passage_codec.h"

enum { VALUE_PREFIX = 4 };

void passage_codec_write(struct buf *out, const struct passage_field *fields, size_t count)
{
    size_t order[PASSAGE_MAX_FIELDS];
    CHECK(count <= PASSAGE_MAX_FIELDS);
    for (size_t i = 0; i < count; i++) {
        size_t at = i;
        for (; at > 0 && str_compare(fields[order[at - 1]].name, fields[i].name) > 0; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    for (size_t i = 0; i < count; i++) {
        const struct passage_field *field = &fields[order[i]];
        size_t len = field->value.len;
        buf_push_char(out, (char)(unsigned char)field->name.len);
        buf_push(out, field->name);
        for (unsigned byte = 0; byte < VALUE_PREFIX; byte++)
            buf_push_char(out, (char)(unsigned char)(len >> (8 * byte)));
        buf_push(out, field->value);
    }
}

bool passage_codec_next(struct str *bytes, struct passage_field *field)
{
    struct str rest = *bytes;
    if (rest.len == 0)
        return false;
    size_t name_len = (unsigned char)rest.at[0];
    if (rest.len < 1 + name_len + VALUE_PREFIX)
        return false;
    field->name = str_slice(rest, 1, 1 + name_len);
    rest = str_from(rest, 1 + name_len);
    size_t len = 0;
    for (unsigned byte = 0; byte < VALUE_PREFIX; byte++)
        len |= (size_t)(unsigned char)rest.at[byte] << (8 * byte);
    rest = str_from(rest, VALUE_PREFIX);
    if (len > rest.len)
        return false;
    field->value = str_slice(rest, 0, len);
    *bytes = str_from(rest, len);
    return true;
}

static struct str find_value(struct str bytes, struct str name)
{
    struct passage_field field;
    while (passage_codec_next(&bytes, &field))
        if (str_equal(field.name, name))
            return field.value;
    return STR("");
}

bool passage_codec_passes(struct str bytes, const struct passage_filter *filters,
                          size_t filter_count)
{
    for (size_t i = 0; i < filter_count; i++) {
        struct str value = find_value(bytes, filters[i].name);
        bool found = false;
        for (size_t j = 0; j < filters[i].value_count && !found; j++)
            found = str_equal(filters[i].values[j], value);
        if (!found)
            return false;
    }
    return true;
}
