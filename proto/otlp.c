/* SPDX-License-Identifier: MIT */
/* proto/otlp.c - one span is one object; the request around it is written apart.
 *
 * Happy path: a span's fields and attributes in the order they came.
 * Failure: none of its own; out's stickiness says whether all of it fit. */
#include "proto/otlp.h"

#include <inttypes.h>
#include <stdio.h>

#include "proto/json_write.h"
#include "proto/url.h"

enum { STATUS_ERROR = 2, PAIRS_BYTES = 64 * 1024, NUMBER_BYTES = 24 };

/* ---- attributes ---- */

static struct otlp_attribute *add(struct otlp_span *span, const char *key, enum otlp_type type)
{
    if (span->attribute_count == OTLP_MAX_ATTRIBUTES)
        return NULL;
    struct otlp_attribute *attribute = &span->attributes[span->attribute_count++];
    *attribute = (struct otlp_attribute){.key = key, .type = type};
    return attribute;
}

void otlp_put_text(struct otlp_span *span, const char *key, struct str value)
{
    struct otlp_attribute *attribute = str_is_absent(value) ? NULL : add(span, key, OTLP_TEXT);
    if (attribute != NULL)
        attribute->text = value;
}

void otlp_put_texts(struct otlp_span *span, const char *key, struct str only)
{
    struct otlp_attribute *attribute = str_is_absent(only) ? NULL : add(span, key, OTLP_TEXTS);
    if (attribute != NULL)
        attribute->text = only;
}

void otlp_put_int(struct otlp_span *span, const char *key, int64_t value)
{
    struct otlp_attribute *attribute = add(span, key, OTLP_INT);
    if (attribute != NULL)
        attribute->integer = value;
}

void otlp_put_real(struct otlp_span *span, const char *key, double value)
{
    struct otlp_attribute *attribute = add(span, key, OTLP_REAL);
    if (attribute != NULL)
        attribute->real = value;
}

void otlp_put_bool(struct otlp_span *span, const char *key, bool value)
{
    struct otlp_attribute *attribute = add(span, key, OTLP_BOOL);
    if (attribute != NULL)
        attribute->integer = value;
}

/* ---- JSON ---- */

/* 64-bit numbers are strings in JSON's form of protobuf. */
static void write_number(struct json_write *writer, struct str key, int64_t value)
{
    char text[NUMBER_BYTES];
    snprintf(text, sizeof text, "%" PRId64, value);
    json_write_member_str(writer, key, str_of(text));
}

static void write_value(struct json_write *writer, const struct otlp_attribute *attribute)
{
    json_write_object(writer);
    switch (attribute->type) {
    case OTLP_TEXT:
        json_write_member_str(writer, STR("stringValue"), attribute->text);
        break;
    case OTLP_INT:
        write_number(writer, STR("intValue"), attribute->integer);
        break;
    case OTLP_REAL:
        json_write_member_double(writer, STR("doubleValue"), attribute->real);
        break;
    case OTLP_BOOL:
        json_write_member_bool(writer, STR("boolValue"), attribute->integer != 0);
        break;
    case OTLP_TEXTS:
        json_write_key(writer, STR("arrayValue"));
        json_write_object(writer);
        json_write_key(writer, STR("values"));
        json_write_array(writer);
        json_write_object(writer);
        json_write_member_str(writer, STR("stringValue"), attribute->text);
        json_write_object_end(writer);
        json_write_array_end(writer);
        json_write_object_end(writer);
        break;
    }
    json_write_object_end(writer);
}

static void write_attribute(struct json_write *writer, struct str key,
                            const struct otlp_attribute *attribute)
{
    json_write_object(writer);
    json_write_member_str(writer, STR("key"), key);
    json_write_key(writer, STR("value"));
    write_value(writer, attribute);
    json_write_object_end(writer);
}

static void write_text(struct json_write *writer, struct str key, struct str text)
{
    const struct otlp_attribute attribute = {.type = OTLP_TEXT, .text = text};
    write_attribute(writer, key, &attribute);
}

void otlp_write_span(const struct otlp_span *span, struct buf *out)
{
    struct json_write writer;
    json_write_init(&writer, out);
    json_write_object(&writer);
    json_write_member_str(&writer, STR("traceId"), str_of(span->trace_id));
    json_write_member_str(&writer, STR("spanId"), str_of(span->span_id));
    json_write_member_str(&writer, STR("parentSpanId"), str_of(span->parent_id));
    json_write_member_str(&writer, STR("name"), str_of(span->name));
    json_write_member_u64(&writer, STR("kind"), span->kind);
    write_number(&writer, STR("startTimeUnixNano"), (int64_t)span->began_ns);
    write_number(&writer, STR("endTimeUnixNano"), (int64_t)span->ended_ns);
    json_write_key(&writer, STR("attributes"));
    json_write_array(&writer);
    for (size_t i = 0; i < span->attribute_count; i++)
        write_attribute(&writer, str_of(span->attributes[i].key), &span->attributes[i]);
    json_write_array_end(&writer);
    if (span->is_error) {
        json_write_key(&writer, STR("status"));
        json_write_object(&writer);
        json_write_member_u64(&writer, STR("code"), STATUS_ERROR);
        json_write_member_str(&writer, STR("message"), span->message);
        json_write_object_end(&writer);
    }
    json_write_object_end(&writer);
}

/* ---- the request ---- */

static void write_resource(struct json_write *writer, const struct otlp_resource *resource)
{
    struct arena arena;
    struct str rest = resource->attributes, name, value;
    arena_init(&arena, PAIRS_BYTES);
    json_write_array(writer);
    write_text(writer, STR("service.name"), resource->service_name);
    write_text(writer, STR("service.version"), resource->version);
    write_text(writer, STR("service.instance.id"), resource->instance);
    while (otlp_next_pair(&arena, &rest, &name, &value))
        if (!str_equal(name, STR("service.name")))
            write_text(writer, name, value);
    json_write_array_end(writer);
    arena_fini(&arena);
}

void otlp_begin(const struct otlp_resource *resource, struct buf *out)
{
    struct json_write writer;
    buf_push(out, STR("{\"resourceSpans\":[{\"resource\":{\"attributes\":"));
    json_write_init(&writer, out);
    write_resource(&writer, resource);
    buf_push(out, STR("},\"scopeSpans\":[{\"scope\":{\"name\":\"askd\",\"version\":"));
    json_write_init(&writer, out);
    json_write_str(&writer, resource->version);
    buf_push(out, STR("},\"spans\":["));
}

void otlp_end(struct buf *out)
{
    buf_push(out, STR("]}]}]}"));
}

bool otlp_next_pair(struct arena *arena, struct str *rest, struct str *name, struct str *value)
{
    while (!str_is_absent(*rest)) {
        struct str after = str_trim(str_split(rest, ','));
        struct err err;
        *name = str_trim(str_split(&after, '='));
        if (name->len > 0 && !str_is_absent(after) &&
            url_decode(arena, str_trim(after), value, &err) == ERR_OK)
            return true;
    }
    return false;
}
