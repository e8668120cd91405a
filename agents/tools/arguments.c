/* SPDX-License-Identifier: MIT */
/* agents/tools/arguments.c - null where nothing was meant. */
#include "agents/tools/arguments.h"

#include "core/base/buf.h"
#include "proto/json_schema.h"
#include "proto/json_write.h"

enum { ARGUMENTS_BYTES = 1 << 20 };

static bool is_required(const struct json_value *schema, struct str name)
{
    const struct json_value *required = json_value_member(schema, STR("required"));
    if (required == NULL || required->type != JSON_ARRAY)
        return false;
    JSON_EACH(one, required)
        if (one->type == JSON_STRING && str_equal(one->text, name))
            return true;
    return false;
}

static bool means_nothing(const struct json_value *schema, const struct json_value *member)
{
    const struct json_value *properties = json_value_member(schema, STR("properties"));
    const struct json_value *property = json_value_member(properties, member->key);
    struct err err;
    return member->type == JSON_NULL && property != NULL && !is_required(schema, member->key) &&
           json_schema_check(property, member, &err) != ERR_OK;
}

struct str tools_arguments_without_nulls(const struct json_value *schema,
                                         const struct json_value *arguments, struct arena *arena)
{
    struct json_write json;
    struct buf out;
    size_t dropped = 0;
    buf_init(&out, ARGUMENTS_BYTES);
    json_write_init(&json, &out);
    json_write_object(&json);
    JSON_EACH(member, arguments) {
        if (means_nothing(schema, member)) {
            dropped++;
            continue;
        }
        json_write_key(&json, member->key);
        json_value_write(member, &json);
    }
    json_write_object_end(&json);
    struct str text =
        dropped > 0 && buf_ok(&out) ? arena_str(arena, buf_str(&out)) : (struct str){NULL, 0};
    buf_fini(&out);
    return text;
}
