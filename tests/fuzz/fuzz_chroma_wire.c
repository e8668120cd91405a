/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_chroma_wire.c - whatever Chroma might answer is read or refused; what is read is
 * UTF-8, and hits can be written as points again. */
#include <stdint.h>
#include <string.h>

#include "backends/chroma_wire.h"
#include "backends/passage_check.h"
#include "core/base/mem.h"

enum { MOST_BYTES = 16384, MOST_HITS = 32 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_code(enum err_code code, const struct err *err)
{
    CHECK(code == ERR_OK || code == ERR_PROTOCOL);
    CHECK(code == ERR_OK || str_is_utf8(str_of(err->text)));
}

static void write_again(const struct passage_hit *hits, size_t count)
{
    static const float vector[1];
    struct vec_point points[MOST_HITS];
    const struct vec_point *list[MOST_HITS];
    struct buf out;
    size_t kept = 0;
    for (size_t i = 0; i < count && kept < MOST_HITS; i++) {
        const struct passage *passage = &hits[i].passage;
        CHECK(str_is_utf8(passage->id) && str_is_utf8(passage->text));
        points[kept] = (struct vec_point){*passage, vector};
        list[kept] = &points[kept];
        const struct vec_change change = {.collection = STR("c"),
                                          .model = STR("m"),
                                          .dimensions = 1,
                                          .upsert = &points[kept],
                                          .upsert_count = 1};
        struct err err;
        kept += passage_check_vec_change(&change, &err) == ERR_OK;
    }
    buf_init(&out, 16 << 20);
    chroma_wire_write_upsert(&out, list, kept, 1);
    CHECK(buf_ok(&out));
    buf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct passage_hit *hits = NULL;
    struct chroma_wire_collection collection;
    struct err err = {0};
    uint64_t number;
    size_t count;
    if (size == 0 || size > MOST_BYTES)
        return 0;
    char *exact = mem_alloc(size);
    CHECK(exact != NULL);
    memcpy(exact, data, size);
    struct str answer = str_make(exact, size);
    arena_init(&arena, 64 << 20);
    enum err_code code = chroma_wire_read_collection(&arena, answer, &collection, &err);
    check_code(code, &err);
    CHECK(code != ERR_OK || str_is_utf8(collection.model));
    check_code(chroma_wire_read_count(answer, &number, &err), &err);
    code = chroma_wire_read_hits(&arena, answer, &hits, &count, &err);
    check_code(code, &err);
    if (code == ERR_OK)
        write_again(hits, count);
    (void)chroma_wire_read_error(&arena, answer);
    arena_fini(&arena);
    mem_free(exact);
    return 0;
}
