/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_snapshot.c - a body whatever, with head and checksum put right, is read or
 * refused; what was read is written and read again to the same state. */
#include <string.h>

#include "core/base/crc.h"
#include "core/base/mem.h"
#include "tests/unit/core/snapshot_rig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ARENA_BYTES = 1 << 22 };

static void push_checksum(struct buf *bytes)
{
    uint32_t crc = crc_32c(buf_str(bytes));
    for (unsigned i = 0; i < 4; i++)
        buf_push_char(bytes, (char)(crc >> (8 * i)));
}

/* Full, as a string of bytes. */
static void write_full(const struct graph *graph, const struct snapshot *snapshot,
                       const struct state *state, struct buf *out)
{
    struct snapshot_mark marks[SNAPSHOT_MOST_SLOTS];
    buf_init(out, ARENA_BYTES);
    snapshot_write_full(snapshot, graph, state, marks, out);
}

static void read_again(const struct graph *graph, const struct snapshot *snapshot,
                       const struct state *state)
{
    struct arena arena;
    struct snapshot second;
    struct err err = {0};
    struct buf once, twice;
    write_full(graph, snapshot, state, &once);
    arena_init(&arena, ARENA_BYTES);
    struct state *copy = state_create(&snapshot_def.schema, &arena);
    if (copy != NULL && buf_ok(&once)) {
        enum err_code code = snapshot_read(buf_str(&once), graph, &arena, copy, &second, &err);
        CHECK(code == ERR_OK || code == ERR_NO_MEMORY);
        if (code == ERR_OK) {
            write_full(graph, &second, copy, &twice);
            CHECK(!buf_ok(&twice) || str_equal(buf_str(&once), buf_str(&twice)));
            buf_fini(&twice);
        }
    }
    buf_fini(&once);
    arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct graph *graph = snapshot_rig_graph();
    struct arena arena;
    struct buf bytes;
    struct snapshot snapshot;
    struct err err = {0};
    CHECK(graph != NULL);
    arena_init(&arena, ARENA_BYTES);
    buf_init(&bytes, ARENA_BYTES);
    buf_push(&bytes, STR("ASKS\1"));
    buf_push(&bytes, str_make((const char *)data, size));
    push_checksum(&bytes);
    struct state *state = state_create(&snapshot_def.schema, &arena);
    enum err_code code = snapshot_read(buf_str(&bytes), graph, &arena, state, &snapshot, &err);
    CHECK(code == ERR_OK || code == ERR_INVALID || code == ERR_NO_MEMORY);
    if (code == ERR_OK)
        read_again(graph, &snapshot, state);
    buf_fini(&bytes);
    arena_fini(&arena);
    graph_destroy(graph);
    return 0;
}
