/* SPDX-License-Identifier: MIT */
/* agents/common/texts.c - the elements are copied into a new array.
 *
 * Failure: no memory: absent. */
#include "agents/common/texts.h"

#include "proto/json_value.h"

enum { TEXTS_BYTES = 64 * 1024 };

void texts_begin(struct json_write *writer, struct arena *arena, struct str array)
{
    const struct json_value *before =
        array.len == 0 ? NULL : json_value_parse(arena, array, NULL, NULL);
    json_write_array(writer);
    if (before != NULL)
        JSON_EACH(text, before)
            json_value_write(text, writer);
}

struct str texts_with(struct arena *arena, struct str array, struct str text)
{
    struct buf out;
    struct json_write writer;
    buf_init(&out, TEXTS_BYTES);
    json_write_init(&writer, &out);
    texts_begin(&writer, arena, array);
    json_write_str(&writer, text);
    json_write_array_end(&writer);
    struct str texts = buf_ok(&out) ? arena_str(arena, buf_str(&out)) : (struct str){NULL, 0};
    buf_fini(&out);
    return texts;
}
