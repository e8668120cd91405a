/* SPDX-License-Identifier: MIT */
/* backends/models/embed_cache.c - memory, then the file, then inner, for what is left each time.
 *
 * Happy path: the texts' keys (made by the job when there are many) are looked up in memory; what
 * is missing there in the file, by a job; what is missing there is asked of inner, given to the
 * caller, put into memory, and saved by a second job, which the caller does not wait for. Failure
 * paths: inner's error is the caller's; the file's errors are logged once and count as nothing
 * found, and for a minute the file is left alone; vectors of another size in the file than inner's
 * now are forgotten, and all is asked of inner. A cancel goes to whatever is awaited. */
#include "backends/models/embed_cache.h"

#include <openssl/sha.h>
#include <stdio.h>
#include <string.h>

#include "backends/models/embed_memory.h"
#include "backends/sqlite/sqlite_thread.h"
#include "core/base/list.h"
#include "core/base/mem.h"
#include "core/loop/closing.h"

enum { LOOK_MS = 2000, SAVE_MS = 20000, BUSY_MS = 1000, LEFT_ALONE_MS = 60000, PATH_BYTES = 4096 };
enum { SHORT_BYTES = 64 << 10, BYTES_PER_KEY = 128 };
enum { DEFAULT_FILE_BYTES = 256 << 20, DEFAULT_MEMORY_BYTES = 4 << 20 };

struct embed_cache {
    struct embed embed;
    struct embed *inner;
    struct sqlite_thread *file;
    struct embed_cache_options options;
    struct embed_memory memory;
    struct list calls;
    uint64_t left_alone_ms; /* until then the file is not used */
    bool has_logged;
    struct closing closing; /* out: calls and saves, then inner, then the file */
};

struct cache_call { /* until released and saved */
    struct list link;
    struct embed_cache *cache;
    struct embed_texts *texts; /* NULL: released */
    const struct embed_request *request;
    uint64_t deadline_ms;
    struct sqlite_embeddings rows;
    struct sqlite_embeddings_key *keys;
    struct sqlite_job job;
    struct embed_texts inner; /* for the texts that were not found */
    struct embed_request inner_request;
    struct str *missing;
    bool is_hashed, is_cancelled, is_saving;
};

/* ---- the file ---- */

static void note_trouble(struct embed_cache *cache, const struct err *err)
{
    if (err->code == ERR_OK || err->code == ERR_CANCELLED)
        return;
    cache->left_alone_ms = loop_now_ms(cache->embed.loop) + LEFT_ALONE_MS;
    if (!cache->has_logged && cache->options.log != NULL)
        LOG(cache->options.log, WARN, "embed.cache", "code=%s reason=\"%s\"", err_name(err->code),
            err->text);
    cache->has_logged = true;
}

static bool may_use_file(const struct embed_cache *cache)
{
    return cache->file != NULL && loop_now_ms(cache->embed.loop) >= cache->left_alone_ms;
}

static enum err_code on_open(void *owner UNUSED, struct sqlite3 *db, struct err *err)
{
    return sqlite_embeddings_make(db, err);
}

static void hash_texts(struct cache_call *call)
{
    const struct embed_request *request = call->request;
    for (size_t i = 0; i < request->count; i++)
        SHA256((const unsigned char *)request->texts[i].at, request->texts[i].len,
               call->keys[i].bytes);
    call->is_hashed = true;
}

static enum err_code run_look(struct sqlite_job *job, struct sqlite3 *db, struct err *err)
{
    struct cache_call *call = job->arg;
    if (!call->is_hashed)
        hash_texts(call);
    return sqlite_embeddings_load(db, &call->rows, err);
}

static enum err_code run_save(struct sqlite_job *job, struct sqlite3 *db, struct err *err)
{
    return sqlite_embeddings_save(db, job->arg, err);
}

/* ---- ending ---- */

static void free_call(struct cache_call *call)
{
    if (call == NULL)
        return;
    mem_free(call->keys);
    mem_free(call->rows.found);
    mem_free(call->rows.vectors);
    mem_free(call->missing);
    mem_free(call);
}

static void on_saved(struct op *op)
{
    struct cache_call *call = op_owner(op);
    struct embed_cache *cache = call->cache;
    note_trouble(cache, &op->err);
    op_release(&call->job.op);
    closing_leave(&cache->closing);
    call->is_saving = false;
    if (call->texts == NULL)
        free_call(call);
}

/* Keep what inner gave; the caller has it already. */
static void save(struct cache_call *call)
{
    struct embed_cache *cache = call->cache;
    if (!may_use_file(cache) || closing_is_begun(&cache->closing))
        return;
    call->is_saving = true;
    closing_enter(&cache->closing);
    sqlite_job_start(&call->job, cache->file, run_save, &call->rows, SAVE_MS,
                     (struct op_waiter){.done = on_saved, .owner = call});
}

static void finish_call(struct cache_call *call, const struct err *err)
{
    struct embed_texts *texts = call->texts;
    list_remove(&call->link);
    closing_leave(&call->cache->closing);
    if (err->code == ERR_OK) {
        texts->vectors = call->rows.vectors;
        texts->dimensions = call->rows.dimensions;
    }
    op_finish_err(&texts->op, err);
}

static void finish_cancelled(struct cache_call *call)
{
    struct err err;
    err_set(&err, ERR_CANCELLED, "the embedding was cancelled");
    finish_call(call, &err);
}

/* ---- inner ---- */

static void ask_inner(struct cache_call *call);

/* Put what inner gave into its rows. False: no memory. */
static bool take_inner(struct cache_call *call)
{
    struct sqlite_embeddings *rows = &call->rows;
    const struct embed_texts *inner = &call->inner;
    size_t given = 0;
    rows->dimensions = inner->dimensions;
    if (rows->vectors == NULL)
        rows->vectors = mem_zalloc(rows->count, inner->dimensions * sizeof *rows->vectors);
    if (rows->vectors == NULL)
        return false;
    for (size_t i = 0; i < rows->count; i++) {
        if (rows->found[i])
            continue;
        float *row = rows->vectors + i * inner->dimensions;
        memcpy(row, inner->vectors + given++ * inner->dimensions, inner->dimensions * sizeof *row);
        embed_memory_put(&call->cache->memory, &rows->keys[i], row, inner->dimensions);
    }
    return true;
}

/* What was found has another size than what inner gives now. */
static void forget_found(struct cache_call *call)
{
    mem_free(call->rows.vectors);
    call->rows.vectors = NULL;
    call->rows.dimensions = 0;
    memset(call->rows.found, 0, call->rows.count * sizeof *call->rows.found);
    embed_memory_fini(&call->cache->memory);
}

static void on_inner_done(struct op *op)
{
    struct cache_call *call = op_owner(op);
    struct err err = op->err;
    call->texts->tokens += call->inner.tokens;
    bool is_new_size = err.code == ERR_OK && call->rows.dimensions != 0 &&
                       call->rows.dimensions != call->inner.dimensions;
    if (err.code == ERR_OK && !is_new_size && !take_inner(call))
        err_set(&err, ERR_NO_MEMORY, "no memory for vectors");
    op_release(&call->inner.op);
    if (call->is_cancelled && (err.code != ERR_OK || is_new_size)) {
        finish_cancelled(call);
    } else if (is_new_size) {
        forget_found(call);
        ask_inner(call);
    } else {
        if (err.code == ERR_OK)
            save(call);
        finish_call(call, &err);
    }
}

static void ask_inner(struct cache_call *call)
{
    struct embed_cache *cache = call->cache;
    uint64_t now_ms = loop_now_ms(cache->embed.loop);
    size_t count = 0;
    for (size_t i = 0; i < call->rows.count; i++)
        if (!call->rows.found[i])
            call->missing[count++] = call->request->texts[i];
    call->texts->cached = call->rows.count - count;
    call->inner_request = (struct embed_request){
        .texts = call->missing,
        .count = count,
        .timeout_ms = call->deadline_ms == 0       ? 0
                      : call->deadline_ms > now_ms ? call->deadline_ms - now_ms
                                                   : 1,
    };
    embed_texts_start(&call->inner, cache->inner, &call->inner_request,
                      (struct op_waiter){.done = on_inner_done,
                                         .owner = call,
                                         .trace = call->texts->op.waiter.trace});
}

/* ---- looking ---- */

static bool is_all_found(const struct cache_call *call)
{
    for (size_t i = 0; i < call->rows.count; i++)
        if (!call->rows.found[i])
            return false;
    return true;
}

static void on_looked(struct op *op)
{
    struct cache_call *call = op_owner(op);
    struct embed_memory *memory = &call->cache->memory;
    note_trouble(call->cache, &op->err);
    op_release(&call->job.op);
    if (!call->is_hashed) /* the job never began */
        hash_texts(call);
    for (size_t i = 0; i < call->rows.count; i++)
        if (call->rows.found[i])
            embed_memory_put(memory, &call->keys[i], call->rows.vectors + i * call->rows.dimensions,
                             call->rows.dimensions);
    if (call->is_cancelled) {
        finish_cancelled(call);
    } else if (is_all_found(call)) {
        call->texts->cached = call->rows.count;
        finish_call(call, &(struct err){0});
    } else {
        ask_inner(call);
    }
}

/* Rows of what memory has. False: no memory for them. */
static bool look_in_memory(struct cache_call *call)
{
    struct sqlite_embeddings *rows = &call->rows;
    for (size_t i = 0; i < rows->count; i++) {
        const float *vector = embed_memory_find(&call->cache->memory, &rows->keys[i]);
        if (vector == NULL)
            continue;
        rows->dimensions = call->cache->memory.dimensions;
        if (rows->vectors == NULL)
            rows->vectors = mem_zalloc(rows->count, rows->dimensions * sizeof *rows->vectors);
        if (rows->vectors == NULL)
            return false;
        memcpy(rows->vectors + i * rows->dimensions, vector, rows->dimensions * sizeof *vector);
        rows->found[i] = true;
    }
    return true;
}

/* ---- the interface ---- */

static struct embed_cache *cache_of(struct embed *embed)
{
    return container_of(embed, struct embed_cache, embed);
}

static void cancel_call(struct cache_call *call)
{
    call->is_cancelled = true;
    if (op_is_pending(&call->inner.op))
        op_cancel(&call->inner.op);
    else if (op_is_pending(&call->job.op))
        op_cancel(&call->job.op);
}

static void cancel_texts(struct op *op)
{
    cancel_call(container_of(op, struct embed_texts, op)->impl);
}

static void release_texts(struct op *op)
{
    struct embed_texts *texts = container_of(op, struct embed_texts, op);
    struct cache_call *call = texts->impl;
    texts->impl = NULL;
    texts->vectors = NULL;
    if (call != NULL && call->is_saving)
        call->texts = NULL; /* on_saved frees it */
    else
        free_call(call);
}

static const struct op_kind texts_kind = {
    .name = "embed.cache", .cancel = cancel_texts, .release = release_texts};

static struct cache_call *make_call(struct embed_cache *cache, struct embed_texts *texts)
{
    const struct embed_request *request = texts->request;
    struct cache_call *call = mem_zalloc(1, sizeof *call);
    if (call == NULL)
        return NULL;
    call->cache = cache;
    call->texts = texts;
    call->request = request;
    call->keys = mem_zalloc(request->count, sizeof *call->keys);
    call->missing = mem_zalloc(request->count, sizeof *call->missing);
    call->rows = (struct sqlite_embeddings){
        .model = cache->embed.model,
        .keys = call->keys,
        .count = request->count,
        .now_s = loop_wall_ms(cache->embed.loop) / 1000,
        .file_bytes = cache->options.file_bytes,
        .found = mem_zalloc(request->count, sizeof *call->rows.found),
    };
    if (call->keys != NULL && call->missing != NULL && call->rows.found != NULL)
        return call;
    free_call(call);
    return NULL;
}

/* Whether the texts' keys are made in well under a millisecond. */
static bool is_short(const struct embed_request *request)
{
    size_t bytes = 0;
    for (size_t i = 0; i < request->count; i++)
        bytes += request->texts[i].len + BYTES_PER_KEY;
    return bytes <= SHORT_BYTES;
}

static void start_texts(struct embed *embed, struct embed_texts *texts, struct op_waiter waiter)
{
    struct embed_cache *cache = cache_of(embed);
    const struct embed_request *request = texts->request;
    CHECK(request->count >= 1 && request->count <= EMBED_MAX_TEXTS);
    op_begin(&texts->op, &texts_kind, embed->loop, waiter);
    bool is_closing = closing_is_begun(&cache->closing);
    struct cache_call *call = is_closing ? NULL : make_call(cache, texts);
    texts->impl = call;
    if (call == NULL) {
        op_finish(&texts->op, is_closing ? ERR_CANCELLED : ERR_NO_MEMORY, "%s",
                  is_closing ? "the embeddings are being closed" : "no memory to embed texts");
        return;
    }
    call->deadline_ms =
        request->timeout_ms == 0 ? 0 : loop_now_ms(embed->loop) + request->timeout_ms;
    closing_enter(&cache->closing);
    list_push(&cache->calls, &call->link);
    if (!may_use_file(cache) || is_short(request))
        hash_texts(call);
    if (call->is_hashed && !look_in_memory(call)) {
        finish_call(call, &(struct err){.code = ERR_NO_MEMORY, .text = "no memory for vectors"});
    } else if (is_all_found(call)) {
        texts->cached = request->count;
        finish_call(call, &(struct err){0});
    } else if (may_use_file(cache)) {
        sqlite_job_start(&call->job, cache->file, run_look, call, LOOK_MS,
                         (struct op_waiter){.done = on_looked, .owner = call});
    } else {
        ask_inner(call);
    }
}

static enum err_code tell_ready(struct embed *embed, struct err *err)
{
    return embed_ready(cache_of(embed)->inner, err);
}

/* ---- closing ---- */

static void close_inner(struct closing *closing)
{
    closing_enter(closing);
    embed_close(container_of(closing, struct embed_cache, closing)->inner, closing_leave_part,
                closing);
}

static void close_file(struct closing *closing)
{
    struct sqlite_thread *file = container_of(closing, struct embed_cache, closing)->file;
    if (file == NULL)
        return;
    closing_enter(closing);
    sqlite_thread_close(file, closing_leave_part, closing);
}

static void free_cache(struct closing *closing)
{
    struct embed_cache *cache = container_of(closing, struct embed_cache, closing);
    embed_memory_fini(&cache->memory);
    mem_free(cache);
}

static void close_cache(struct embed *embed, void (*on_closed)(void *owner), void *owner)
{
    struct embed_cache *cache = cache_of(embed);
    closing_begin(&cache->closing, on_closed, owner);
    LIST_EACH(link, &cache->calls)
        cancel_call(list_item(link, struct cache_call, link));
}

static const struct embed_vtable vtable = {
    .name = "cache", .texts_start = start_texts, .ready = tell_ready, .close = close_cache};

struct embed *embed_cache_create(struct loop *loop, struct embed *inner,
                                 const struct embed_cache_options *options)
{
    static closing_fn *const steps[] = {close_inner, close_file, free_cache, NULL};
    char path[PATH_BYTES];
    struct embed_cache *cache = mem_zalloc(1, sizeof *cache);
    if (cache == NULL)
        return NULL;
    cache->embed = (struct embed){.vtable = &vtable, .loop = loop, .model = inner->model};
    cache->inner = inner;
    cache->options = *options;
    if (options->file_bytes == 0)
        cache->options.file_bytes = DEFAULT_FILE_BYTES;
    list_init(&cache->calls);
    closing_init(&cache->closing, loop, steps);
    embed_memory_init(&cache->memory,
                      options->memory_bytes == 0 ? DEFAULT_MEMORY_BYTES : options->memory_bytes);
    int len = snprintf(path, sizeof path, "%s/embeddings.db", options->folder);
    if (len < 0 || (size_t)len >= sizeof path)
        return &cache->embed; /* no such folder: in memory only */
    cache->file = sqlite_thread_create(
        loop, &(struct sqlite_thread_options){
                  .path = path, .make_folder = true, .busy_ms = BUSY_MS, .on_open = on_open});
    if (cache->file != NULL)
        return &cache->embed;
    mem_free(cache);
    return NULL;
}
