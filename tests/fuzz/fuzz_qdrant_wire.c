/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_qdrant_wire.c - whatever Qdrant might answer is read or refused; what is read is
 * UTF-8, and hits can be written as points again. */
#include "backends/vectors/qdrant_wire.h"
#include "tests/fuzz/hits.h"

static void write_again(const struct passage_hit *hits, size_t count)
{
    struct vec_point points[HITS_MOST];
    const struct vec_point *list[HITS_MOST];
    size_t kept = hits_to_points(hits, count, points, list);
    struct buf out;
    buf_init(&out, 16 << 20);
    const struct qdrant_wire_change change = {.points = list, .point_count = kept, .dimensions = 1};
    CHECK(qdrant_wire_write_change(&out, &change) == kept);
    CHECK(buf_ok(&out));
    buf_fini(&out);
}

static void read(struct arena *arena, struct str answer)
{
    struct passage_hit *hits = NULL;
    struct qdrant_wire_collection collection;
    struct err err = {0};
    uint64_t number;
    size_t count;
    enum err_code code = qdrant_wire_read_collection(arena, answer, &collection, &err);
    hits_check_code(code, &err);
    CHECK(code != ERR_OK || str_is_utf8(collection.model));
    hits_check_code(qdrant_wire_read_count(arena, answer, &number, &err), &err);
    code = qdrant_wire_read_hits(arena, answer, &hits, &count, &err);
    hits_check_code(code, &err);
    if (code == ERR_OK)
        write_again(hits, count);
    (void)qdrant_wire_read_error(arena, answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return hits_try(data, size, read);
}
