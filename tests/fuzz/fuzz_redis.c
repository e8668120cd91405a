/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_redis.c - Redis' answers in three cuts give the same replies. */
#include "backends/redis/redis_conn_reader.h"
#include "backends/redis/redis_error.h"
#include "tests/fuzz/cuts.h"

enum { LIMIT = 2048, MOST_BYTES = 4096 };

static void show(struct buf *out, const struct redis_reply *reply)
{
    struct err err;
    buf_printf(out, "%d %lld ", (int)reply->kind, (long long)reply->integer);
    buf_push(out, reply->text);
    if (reply->kind == REDIS_REPLY_IS_REFUSAL) {
        redis_error_of(reply->text, &err);
        CHECK(str_is_utf8(str_of(err.text)));
        buf_printf(out, " %d %s", (int)err.code, err.text);
    }
    for (size_t i = 0; redis_reply_find(reply, i) != NULL; i++)
        show(out, redis_reply_find(reply, i));
    buf_push_char(out, '|');
}

/* The limit counts whole pieces as they come, so it is out of reach here. */
static void transcribe(struct str input, size_t step, struct buf *out)
{
    struct redis_conn_reader *reader = redis_conn_reader_create(MOST_BYTES + LIMIT);
    struct redis_reply reply;
    struct arena arena;
    struct err err = {.code = ERR_OK};
    CHECK(reader != NULL);
    buf_clear(out);
    for (size_t at = 0; at < input.len && err.code == ERR_OK; at += step) {
        struct str piece = str_slice(input, at, at + step);
        char *exact = cuts_copy(piece);
        enum err_code code = redis_conn_reader_feed(reader, str_make(exact, piece.len), &err);
        mem_free(exact);
        while (code == ERR_OK && redis_conn_reader_next(reader, &reply, &arena, &err)) {
            show(out, &reply);
            arena_fini(&arena);
        }
    }
    buf_printf(out, "%d %s", (int)err.code, err.text);
    CHECK(buf_ok(out));
    redis_conn_reader_destroy(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return cuts_try(data, size, MOST_BYTES, transcribe);
}
