/* SPDX-License-Identifier: MIT */
/* backends/passages/passage_json.c - members are fields, arrays are vectors.
 *
 * Happy path: one pass over the list. Failure: members that are no strings are passed over; an
 * answer that is no JSON; no memory. */
#include "backends/passages/passage_json.h"

#include <stdlib.h>

void passage_json_write_fields(struct json_write *json, const struct passage_field *fields,
                               size_t count)
{
    json_write_object(json);
    for (size_t i = 0; i < count; i++)
        json_write_member_str(json, fields[i].name, fields[i].value);
    json_write_object_end(json);
}

static int compare_fields(const void *a, const void *b)
{
    const struct passage_field *left = a, *right = b;
    return str_compare(left->name, right->name);
}

bool passage_json_read_fields(struct arena *arena, const struct json_value *object, struct str mark,
                              struct passage *passage)
{
    passage->field_count = 0;
    if (object == NULL || object->type != JSON_OBJECT || object->count == 0)
        return true;
    struct passage_field *fields = arena_array(arena, object->count, sizeof *fields);
    if (fields == NULL)
        return false;
    JSON_EACH(member, object) {
        if (str_starts_with(member->key, mark) && member->type == JSON_STRING)
            fields[passage->field_count++] =
                (struct passage_field){str_from(member->key, mark.len), member->text};
    }
    qsort(fields, passage->field_count, sizeof *fields, compare_fields);
    passage->fields = fields;
    return true;
}

void passage_json_push_vector(struct buf *out, const float *vector, size_t dimensions)
{
    buf_push_char(out, '[');
    for (size_t i = 0; i < dimensions; i++)
        buf_printf(out, "%s%.9g", i == 0 ? "" : ",", (double)vector[i]);
    buf_push_char(out, ']');
}

enum err_code passage_json_refuse(struct err *err, const char *store, const char *problem)
{
    return err_set(err, ERR_PROTOCOL, "%s's answer: %s", store, problem);
}

enum err_code passage_json_parse(struct arena *arena, const char *store, struct str answer,
                                 const struct json_value **root, struct err *err)
{
    const struct json_limits limits = {.refuse_nul = true};
    struct err cause;
    *root = json_value_parse(arena, answer, &limits, &cause);
    if (*root != NULL)
        return ERR_OK;
    return cause.code == ERR_NO_MEMORY ? err_set(err, ERR_NO_MEMORY, "%s", cause.text)
                                       : passage_json_refuse(err, store, cause.text);
}
