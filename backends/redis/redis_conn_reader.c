/* SPDX-License-Identifier: MIT */
/* backends/redis/redis_conn_reader.c - redisReader with object functions that build in an arena.
 *
 * Happy path: bytes are fed; when a reply is whole its tree is handed over with its arena.
 * Failure paths: nonsense on the wire, a reply over its limit (counted as it comes in, and by the
 * element count an array announces), no memory for the tree: all final.
 * Only hiredis' parser is used: its connection object aborts the process when a reply comes that
 * nobody asked for. */
#include "backends/redis/redis_conn_reader.h"

#include <hiredis/read.h>

#include "core/base/mem.h"

enum {
    WIRE_BYTES_PER_ITEM = 4,    /* ":0" and its line end: the least */
    ARENA_BYTES_PER_BYTE = 16,  /* what a tree of such items takes */
    ARENA_BYTES_MORE = 8192,    /* blocks and alignment of a small one */
    KEPT_BUFFER_BYTES = 1 << 18 /* a larger reply was an exception: its buffer goes */
};

struct redis_conn_reader {
    redisReader *parser;
    redisReplyObjectFunctions functions;
    size_t reply_bytes, fed_bytes;    /* the limit; fed since the last whole reply */
    size_t largest_bytes, item_count; /* items: announced by arrays of the reply being built */
    bool is_over;                     /* an array announced more than fits */
    struct redis_reply root;
    struct arena arena; /* of the reply being built */
};

/* Where the object of this task belongs: the root, or its place in the array around it. */
static struct redis_reply *place_of(const redisReadTask *task)
{
    struct redis_conn_reader *reader = task->privdata;
    if (task->parent == NULL)
        return &reader->root;
    struct redis_reply *array = task->parent->obj;
    return &array->items[task->idx];
}

static void *make_text(const redisReadTask *task, char *bytes, size_t len)
{
    struct redis_conn_reader *reader = task->privdata;
    struct redis_reply *reply = place_of(task);
    bool is_refusal = task->type == REDIS_REPLY_ERROR;
    *reply = (struct redis_reply){
        .kind = is_refusal ? REDIS_REPLY_IS_REFUSAL : REDIS_REPLY_IS_TEXT,
        .text = arena_str(&reader->arena, str_make(bytes, len)),
    };
    return arena_ok(&reader->arena) ? reply : NULL;
}

static void *make_array(const redisReadTask *task, int count)
{
    struct redis_conn_reader *reader = task->privdata;
    struct redis_reply *reply = place_of(task);
    size_t wanted = count < 0 ? 0 : (size_t)count;
    reader->item_count += wanted;
    if (reader->item_count > reader->reply_bytes / WIRE_BYTES_PER_ITEM) {
        reader->is_over = true;
        return NULL;
    }
    *reply = (struct redis_reply){.kind = REDIS_REPLY_IS_ARRAY, .count = wanted};
    if (wanted > 0)
        reply->items = arena_array(&reader->arena, wanted, sizeof *reply->items);
    return arena_ok(&reader->arena) ? reply : NULL;
}

static void *make_integer(const redisReadTask *task, long long value)
{
    struct redis_reply *reply = place_of(task);
    *reply = (struct redis_reply){.kind = REDIS_REPLY_IS_INTEGER, .integer = value};
    return reply;
}

static void *make_nil(const redisReadTask *task)
{
    struct redis_reply *reply = place_of(task);
    *reply = (struct redis_reply){.kind = REDIS_REPLY_IS_NIL};
    return reply;
}

/* False: no memory. */
static bool renew_parser(struct redis_conn_reader *reader)
{
    if (reader->parser != NULL)
        redisReaderFree(reader->parser);
    reader->parser = redisReaderCreateWithFunctions(&reader->functions);
    if (reader->parser == NULL)
        return false;
    reader->parser->maxbuf = 0; /* else it makes itself a new buffer, and asserts that it can */
    reader->parser->privdata = reader;
    reader->largest_bytes = 0;
    return true;
}

struct redis_conn_reader *redis_conn_reader_create(size_t reply_bytes)
{
    struct redis_conn_reader *reader = mem_zalloc(1, sizeof *reader);
    if (reader == NULL)
        return NULL;
    reader->functions = (redisReplyObjectFunctions){
        .createString = make_text,
        .createArray = make_array,
        .createInteger = make_integer,
        .createNil = make_nil,
    };
    reader->reply_bytes = reply_bytes;
    arena_init(&reader->arena, reply_bytes * ARENA_BYTES_PER_BYTE + ARENA_BYTES_MORE);
    if (!renew_parser(reader)) {
        redis_conn_reader_destroy(reader);
        return NULL;
    }
    return reader;
}

void redis_conn_reader_destroy(struct redis_conn_reader *reader)
{
    if (reader == NULL)
        return;
    if (reader->parser != NULL)
        redisReaderFree(reader->parser);
    arena_fini(&reader->arena);
    mem_free(reader);
}

static enum err_code fail_over(const struct redis_conn_reader *reader, struct err *err)
{
    return err_set(err, ERR_TOO_LARGE, "redis: one answer is over the limit of %zu bytes",
                   reader->reply_bytes);
}

enum err_code redis_conn_reader_feed(struct redis_conn_reader *reader, struct str bytes,
                                     struct err *err)
{
    if (reader->fed_bytes > reader->reply_bytes)
        return fail_over(reader, err);
    reader->fed_bytes += bytes.len;
    if (redisReaderFeed(reader->parser, bytes.at, bytes.len) != REDIS_OK)
        return err_set(err, ERR_NO_MEMORY, "redis: no memory for an answer");
    return ERR_OK;
}

static void describe_failure(const struct redis_conn_reader *reader, struct err *err)
{
    if (reader->is_over)
        fail_over(reader, err);
    else if (!arena_ok(&reader->arena) || reader->parser->err == REDIS_ERR_OOM)
        err_set(err, ERR_NO_MEMORY, "redis: no memory for an answer");
    else
        err_set(err, ERR_PROTOCOL, "redis: the server does not speak its protocol: %s",
                reader->parser->errstr);
}

bool redis_conn_reader_next(struct redis_conn_reader *reader, struct redis_reply *reply,
                            struct arena *arena, struct err *err)
{
    void *whole = NULL;
    err->code = ERR_OK;
    if (redisReaderGetReply(reader->parser, &whole) != REDIS_OK) {
        describe_failure(reader, err);
        return false;
    }
    if (whole == NULL)
        return false;
    reader->item_count = 0;
    *reply = reader->root;
    *arena = reader->arena;
    arena_init(&reader->arena, arena->budget);
    reader->largest_bytes = size_max(reader->largest_bytes, reader->fed_bytes);
    reader->fed_bytes = reader->parser->len - reader->parser->pos;
    if (reader->fed_bytes == 0 && reader->largest_bytes > KEPT_BUFFER_BYTES &&
        !renew_parser(reader)) {
        arena_fini(arena);
        err_set(err, ERR_NO_MEMORY, "redis: no memory for a reader");
        return false;
    }
    return true;
}
