/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_embeddings.c - an embeddings server's answer in three cuts gives the same
 * vectors, all finite, and the same end. */
#include <math.h>

#include "proto/models/openai_embeddings.h"
#include "tests/fuzz/cuts.h"

static enum err_code note_vector(void *owner, uint64_t index, const float *vector,
                                 size_t dimensions, struct err *err UNUSED)
{
    struct buf *out = owner;
    CHECK(dimensions >= 1 && dimensions <= OPENAI_EMBEDDINGS_DIMENSIONS);
    for (size_t i = 0; i < dimensions; i++)
        CHECK(isfinite(vector[i]));
    buf_push_u64(out, index);
    buf_push(out, str_make((const char *)vector, dimensions * sizeof *vector));
    return ERR_OK;
}

static void transcribe(struct str input, size_t step, struct buf *out)
{
    struct openai_embeddings reader;
    struct model_answer answer;
    struct err err = {0};
    enum err_code code = ERR_OK;
    buf_clear(out);
    openai_embeddings_init(&reader, note_vector, out);
    for (size_t at = 0; at < input.len && code == ERR_OK; at += step) {
        struct str piece = str_slice(input, at, at + step);
        char *exact = cuts_copy(piece);
        code = openai_embeddings_feed(&reader, str_make(exact, piece.len), &err);
        mem_free(exact);
    }
    code = openai_embeddings_end(&reader, &answer, &err);
    CHECK(str_is_utf8(str_of(err.text)));
    buf_printf(out, "%d %s", (int)code, err.text);
    if (code == ERR_OK)
        buf_push(out, answer.model);
    CHECK(buf_ok(out));
    openai_embeddings_fini(&reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return cuts_try(data, size, 8192, transcribe);
}
