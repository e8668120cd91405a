/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_agent_spec.c - any bytes as a document of Agent Spec, and as a graph's file that
 * becomes one: refused with its place, or JSON that is read again. */
#include "agents/agent_spec/spec_export.h"
#include "agents/agent_spec/spec_import.h"
#include "proto/json_value.h"

enum { ARENA_BYTES = 64 << 20, TEXT_BYTES = 8 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_json(struct str text)
{
    struct arena arena;
    arena_init(&arena, ARENA_BYTES);
    CHECK(json_value_parse(&arena, text, NULL, NULL) != NULL || !arena_ok(&arena));
    arena_fini(&arena);
}

static struct str find(void *owner UNUSED, struct str name UNUSED, struct arena *arena UNUSED)
{
    return str_make(NULL, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct spec_import *import = NULL;
    struct err err = {0};
    struct buf out;
    struct str text = str_make((const char *)data, size);
    if (spec_import_read("f", text, &import, &err) != ERR_OK)
        CHECK(err.text[0] != '\0' && import == NULL);
    for (size_t i = 0; import != NULL && i < spec_import_count(import); i++)
        check_json(spec_import_text(import, i));
    if (import != NULL && !str_is_empty(spec_import_tools(import)))
        check_json(spec_import_tools(import));
    spec_import_destroy(import);
    err = (struct err){0};
    buf_init(&out, TEXT_BYTES);
    if (spec_export_write("f", text, find, NULL, &out, &err) == ERR_OK)
        check_json(buf_str(&out));
    else
        CHECK(err.text[0] != '\0');
    buf_fini(&out);
    return 0;
}
