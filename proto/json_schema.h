/* SPDX-License-Identifier: MIT */
/* proto/json_schema.h - whether a JSON value is what a JSON schema asks for: the part of the
 * language in which arguments of tools are described.
 *
 * Checked: type (also a list of types), enum, const, properties, required, additionalProperties,
 * items, minItems, maxItems, minLength, maxLength, minimum, maximum, exclusiveMinimum,
 * exclusiveMaximum, anyOf, oneOf and allOf. Every other keyword is passed over, as the standard has
 * it for annotations: what it asks for is then not checked. Pure; any thread. */
#ifndef PROTO_JSON_SCHEMA_H
#define PROTO_JSON_SCHEMA_H

#include "proto/json_value.h"

/* ERR_OK, or ERR_INVALID with the first thing that is wrong, at its JSON pointer: "/limit: expected
 * at most 100, got 500". A schema that is true, absent or no object allows everything. */
MUST_USE enum err_code json_schema_check(const struct json_value *schema,
                                         const struct json_value *value, struct err *err);

#endif
