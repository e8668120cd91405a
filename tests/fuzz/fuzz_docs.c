/* SPDX-License-Identifier: MIT */
/* Any bytes as a document of any format, cut into chunks; or as records. The first byte chooses. */
#include <stdlib.h>

#include "agents/docs/chunk.h"
#include "agents/docs/records.h"

enum { BUDGET = 256 << 20, MOST = 300 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_document(struct arena *arena, enum docs_format format, struct str bytes)
{
    static const struct docs_chunk_options options = {100, MOST, 40};
    struct docs_document document;
    const struct docs_chunk *chunks;
    struct err err;
    size_t count;
    if (docs_document_read(arena, format, bytes, &document, &err) != ERR_OK ||
        docs_chunk_document(arena, &document, &options, &chunks, &count, &err) != ERR_OK)
        return;
    for (size_t i = 0; i < count; i++)
        if (chunks[i].text.len == 0 || chunks[i].text.len > MOST || !str_is_utf8(chunks[i].text))
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct docs_record *records;
    struct arena arena;
    struct err err;
    size_t count;
    if (size == 0)
        return 0;
    struct str bytes = str_make((const char *)data + 1, size - 1);
    arena_init(&arena, BUDGET);
    if (data[0] % 6 < 3)
        read_document(&arena, (enum docs_format)(data[0] % 6), bytes);
    else if (docs_records_read(&arena, (enum docs_records_format)(data[0] % 6 - 3), bytes, &records,
                               &count, &err) == ERR_OK)
        for (size_t i = 0; i < count; i++)
            if (records[i].field_count > DOCS_RECORD_MAX_FIELDS)
                abort();
    arena_fini(&arena);
    return 0;
}
