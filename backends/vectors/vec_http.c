/* SPDX-License-Identifier: MIT */
/* backends/vectors/vec_http.c - runs that go to and fro between the thread pool and HTTP.
 *
 * Happy path: a step writes a request on the thread pool; it goes out; the next step reads its
 * answer there; and so on until a step asks for nothing more.
 *   stepping -asked-> asking -answered-> stepping -nothing asked-> over
 * Failure paths:
 *   no connection, cut, not HTTP      the client's error, with the store's name
 *   a status that is not 2xx          the step's affair, mostly vec_http_check
 *   an answer over its limit          ERR_TOO_LARGE
 *   late, cancelled, closed           what is under way is given up; the run ends when it has */
#include "backends/vectors/vec_http.h"

#include <stdlib.h>

#include "core/loop/backoff.h"
#include "backends/http/http_client.h"
#include "backends/passages/passage_check.h"
#include "backends/vectors/vec_http_url.h"
#include "core/base/mem.h"
#include "core/loop/closing.h"
#include "core/loop/work.h"

enum { DEFAULT_SEARCH_MS = 10000, DEFAULT_WRITE_MS = 60000, CONNECT_MS = 5000 };
enum { MAX_CONNECTIONS = 16, PATH_BYTES = 4096, HEADERS = 3, SAID_BYTES = 300 };
enum { URL_BYTES = 8192 };

static const size_t run_bytes = (size_t)512 << 20; /* a thousand hits of the longest, as a tree */
static const size_t body_bytes = (size_t)128 << 20;

struct vec_http {
    struct vec vec;
    struct vec_vtable vtable;
    struct http_client *client;
    const struct vec_http_dialect *dialect;
    struct arena arena; /* of place and root */
    struct vec_http_place place;
    struct str root;
    struct list runs;
    struct closing closing; /* out: runs, then the client */
    struct err last;        /* why it could not be reached, last known */
};

struct run { /* of one operation, from start to release */
    struct vec_http_run seen;
    struct vec_http *store;
    struct op *op;
    struct list link;
    uint64_t deadline_ms;
    enum err_code why; /* it is to end early */
    struct work work;
    struct http_call http;
    struct buf answer;
};

static struct vec_http *store_of(struct vec *vec)
{
    return container_of(vec, struct vec_http, vec);
}

static void begin_step(struct run *run);

/* ---- the end ---- */

static void give_hits(struct run *run)
{
    struct vec_search *search = container_of(run->op, struct vec_search, op);
    search->hits = run->seen.hits;
    search->hit_count = size_min(run->seen.hit_count, run->seen.query->top_k);
}

/* The one way an operation ends. */
static void finish(struct run *run, const struct err *err)
{
    struct vec_http *store = run->store;
    list_remove(&run->link);
    op_release(&run->work.op);
    op_release(&run->http.op);
    buf_fini(&run->answer);
    buf_fini(&run->seen.path);
    buf_fini(&run->seen.body);
    if (err->code == ERR_OK || err->code == ERR_UNAVAILABLE)
        store->last = *err;
    if (err->code == ERR_OK && run->seen.query != NULL)
        give_hits(run);
    op_finish_err(run->op, err);
    closing_leave(&store->closing);
}

/* Whether the run was told to end meanwhile; the run has then ended. */
static bool end_early(struct run *run)
{
    struct err err;
    if (run->why == ERR_OK && loop_now_ms(run->store->vec.loop) >= run->deadline_ms)
        run->why = ERR_TIMEOUT;
    if (run->why == ERR_OK)
        return false;
    err_set(&err, run->why, "%s %s", run->store->dialect->product,
            run->why == ERR_TIMEOUT ? "did not answer in time" : "was not waited for: cancelled");
    finish(run, &err);
    return true;
}

static void stop(struct run *run)
{
    if (run->why == ERR_OK)
        run->why = ERR_CANCELLED;
    op_cancel(&run->work.op);
    op_cancel(&run->http.op);
}

static void free_run(struct run *run)
{
    if (run != NULL)
        arena_fini(&run->seen.arena);
    mem_free(run);
}

static void cancel_search(struct op *op)
{
    struct run *run = container_of(op, struct vec_search, op)->impl;
    if (run != NULL)
        stop(run);
}

static void release_search(struct op *op)
{
    struct vec_search *search = container_of(op, struct vec_search, op);
    free_run(search->impl);
    search->impl = NULL;
    search->hits = NULL;
    search->hit_count = 0;
}

static void cancel_write(struct op *op)
{
    struct run *run = container_of(op, struct vec_write, op)->impl;
    if (run != NULL)
        stop(run);
}

static void release_write(struct op *op)
{
    struct vec_write *write = container_of(op, struct vec_write, op);
    free_run(write->impl);
    write->impl = NULL;
}

static const struct op_kind search_kind = {
    .name = "vec.search", .cancel = cancel_search, .release = release_search};
static const struct op_kind write_kind = {
    .name = "vec.write", .cancel = cancel_write, .release = release_write};

/* ---- requests ---- */

static void on_body(struct http_call *http, struct str bytes)
{
    struct run *run = http->user;
    buf_push(&run->answer, bytes);
}

static void on_answered(struct op *op)
{
    struct run *run = op_owner(op);
    const char *product = run->store->dialect->product;
    struct err err = op->err;
    int status = run->http.status;
    op_release(op);
    if (end_early(run))
        return;
    if (err.code == ERR_OK && !buf_ok(&run->answer))
        err_set(&err, ERR_NO_MEMORY, "no memory for its answer");
    if (err.code != ERR_OK) {
        err_prefix(&err, product);
        finish(run, &err);
        return;
    }
    run->seen.status = status;
    run->seen.answer = buf_str(&run->answer);
    begin_step(run);
}

static void send_request(struct run *run)
{
    const struct vec_http *store = run->store;
    const struct http_header headers[HEADERS] = {
        {STR("Content-Type"), STR("application/json")},
        {STR("Accept"), STR("application/json")},
        {store->dialect->key_name, store->place.key},
    };
    buf_clear(&run->answer);
    run->http.user = run;
    http_call_start(&run->http, run->store->client,
                    &(struct http_call_options){
                        .url = buf_str(&run->seen.path).at,
                        .method = run->seen.method,
                        .headers = headers,
                        .header_count = HEADERS - str_is_absent(store->place.key),
                        .body = buf_str(&run->seen.body),
                        .connect_ms = CONNECT_MS,
                        .total_ms = run->deadline_ms - loop_now_ms(run->store->vec.loop),
                        .max_body_bytes = body_bytes,
                    },
                    NULL, on_body, (struct op_waiter){.done = on_answered, .owner = run});
}

static enum err_code run_step(struct work *work, struct err *err)
{
    struct run *run = work->arg;
    struct vec_http_run *seen = &run->seen;
    vec_http_step_fn *step = seen->next;
    seen->next = NULL;
    buf_clear(&seen->path);
    buf_clear(&seen->body);
    buf_push(&seen->path, run->store->place.base);
    enum err_code code = step(seen, err);
    if (code == ERR_OK && (!buf_ok(&seen->path) || !buf_ok(&seen->body) || !arena_ok(&seen->arena)))
        code = err_set(err, ERR_NO_MEMORY, "no memory for what %s is asked or says",
                       seen->dialect->product);
    if (code == ERR_OK && seen->hit_count > 1 && seen->next == NULL)
        qsort(seen->hits, seen->hit_count, sizeof *seen->hits, passage_compare_hits);
    return code;
}

static void on_stepped(struct op *op)
{
    struct run *run = op_owner(op);
    struct err err = op->err;
    op_release(op);
    if (end_early(run))
        return;
    if (err.code != ERR_OK || run->seen.next == NULL)
        finish(run, &err);
    else
        send_request(run);
}

static void begin_step(struct run *run)
{
    work_start(&run->work, run->store->vec.loop, run_step, run,
               (struct op_waiter){.done = on_stepped, .owner = run});
}

/* ---- starting ---- */

static struct run *begin_run(struct vec_http *store, struct op *op, uint64_t timeout_ms)
{
    bool is_closing = closing_is_begun(&store->closing);
    struct run *run = is_closing ? NULL : mem_zalloc(1, sizeof *run);
    if (run == NULL) {
        op_finish(op, is_closing ? ERR_CANCELLED : ERR_NO_MEMORY, "%s",
                  is_closing ? "the store of vectors is being closed"
                             : "no memory to ask the store of vectors");
        return NULL;
    }
    run->store = store;
    run->op = op;
    run->deadline_ms = loop_now_ms(store->vec.loop) + timeout_ms;
    run->seen.dialect = store->dialect;
    run->seen.root = store->root;
    arena_init(&run->seen.arena, run_bytes);
    buf_init(&run->seen.path, PATH_BYTES);
    buf_init(&run->seen.body, body_bytes);
    buf_init(&run->answer, body_bytes);
    list_push(&store->runs, &run->link);
    closing_enter(&store->closing);
    return run;
}

static void start_search(struct vec *vec, struct vec_search *search, struct op_waiter waiter)
{
    const struct vec_query *query = search->query;
    op_begin(&search->op, &search_kind, vec->loop, waiter);
    search->impl = NULL;
    struct run *run = begin_run(store_of(vec), &search->op,
                                query->timeout_ms == 0 ? DEFAULT_SEARCH_MS : query->timeout_ms);
    search->impl = run;
    if (run == NULL)
        return;
    run->seen.query = query;
    run->seen.next = run->seen.dialect->search;
    begin_step(run);
}

static void start_write(struct vec *vec, struct vec_write *write, struct op_waiter waiter)
{
    const struct vec_change *change = write->change;
    op_begin(&write->op, &write_kind, vec->loop, waiter);
    write->impl = NULL;
    struct run *run = begin_run(store_of(vec), &write->op,
                                change->timeout_ms == 0 ? DEFAULT_WRITE_MS : change->timeout_ms);
    write->impl = run;
    if (run == NULL)
        return;
    run->seen.change = change;
    run->seen.next = run->seen.dialect->write;
    begin_step(run);
}

static enum err_code tell_ready(struct vec *vec, struct err *err)
{
    *err = store_of(vec)->last;
    return err->code;
}

/* ---- closing ---- */

static void free_store(struct vec_http *store)
{
    arena_fini(&store->arena);
    mem_free(store);
}

static void close_client(struct closing *closing)
{
    closing_enter(closing);
    http_client_close(container_of(closing, struct vec_http, closing)->client, closing_leave_part,
                      closing);
}

static void free_closed(struct closing *closing)
{
    free_store(container_of(closing, struct vec_http, closing));
}

static void close_store(struct vec *vec, void (*on_closed)(void *owner), void *owner)
{
    struct vec_http *store = store_of(vec);
    closing_begin(&store->closing, on_closed, owner);
    LIST_EACH(link, &store->runs)
        stop(list_item(link, struct run, link));
}

/* ---- making ---- */

enum err_code vec_http_check_url(const struct vec_http_dialect *dialect, struct str url,
                                 struct err *err)
{
    struct arena arena;
    struct vec_http_place place;
    arena_init(&arena, URL_BYTES);
    enum err_code code =
        vec_http_url_read(&arena, url, dialect->name, dialect->make_root != NULL, &place, err);
    arena_fini(&arena);
    return code;
}

struct vec *vec_http_create(struct loop *loop, const struct vec_http_dialect *dialect,
                            struct str url)
{
    static closing_fn *const steps[] = {close_client, free_closed, NULL};
    struct err err;
    struct vec_http *store = mem_zalloc(1, sizeof *store);
    if (store == NULL)
        return NULL;
    arena_init(&store->arena, 2 * URL_BYTES);
    list_init(&store->runs);
    closing_init(&store->closing, loop, steps);
    store->vtable =
        (struct vec_vtable){dialect->name, start_search, start_write, tell_ready, close_store};
    store->vec = (struct vec){.vtable = &store->vtable, .loop = loop};
    store->dialect = dialect;
    struct str own = arena_str(&store->arena, url);
    bool fine = arena_ok(&store->arena) &&
                vec_http_url_read(&store->arena, own, dialect->name, dialect->make_root != NULL,
                                  &store->place, &err) == ERR_OK;
    if (fine && dialect->make_root != NULL)
        store->root = dialect->make_root(&store->arena, store->place.path);
    if (fine && arena_ok(&store->arena))
        store->client = http_client_create(
            loop, &(struct http_client_options){.spread = 1, .max_connections = MAX_CONNECTIONS});
    if (store->client != NULL)
        return &store->vec;
    free_store(store);
    return NULL;
}

/* ---- for dialects ---- */

void vec_http_ask(struct vec_http_run *run, const char *method, vec_http_step_fn *next)
{
    buf_push_char(&run->path, '\0'); /* the client wants a C string */
    run->method = method;
    run->next = next;
}

enum err_code vec_http_check(const struct vec_http_run *run, struct err *err)
{
    if (run->status >= 200 && run->status < 300)
        return ERR_OK;
    struct arena arena;
    arena_init(&arena, body_bytes);
    struct str said = run->dialect->read_error(&arena, run->answer);
    bool may_pass = run->status >= 500 || run->status == 429 || run->status == 408;
    err_set(err, may_pass ? ERR_UNAVAILABLE : ERR_REJECTED, "%s answered %d: %.*s",
            run->dialect->product, run->status, STR_ARG(str_utf8_prefix(said, SAID_BYTES)));
    arena_fini(&arena);
    return err->code;
}

struct str vec_http_collection(const struct vec_http_run *run)
{
    return run->query != NULL ? run->query->collection : run->change->collection;
}

enum err_code vec_http_check_kind(const struct vec_http_run *run, struct err *err)
{
    const struct vec_query *query = run->query;
    return passage_check_kind(vec_http_collection(run), run->held_model, run->held_dimensions,
                              query != NULL ? query->model : run->change->model,
                              query != NULL ? query->dimensions : run->change->dimensions, err);
}

enum err_code vec_http_keep_hits(struct vec_http_run *run, struct err *err)
{
    if (run->status == VEC_HTTP_NOT_FOUND)
        return ERR_OK;
    if (vec_http_check(run, err) != ERR_OK)
        return err->code;
    struct str answer = arena_str(&run->arena, run->answer); /* hits are views of it */
    if (str_is_absent(answer))
        return err_set(err, ERR_NO_MEMORY, "no memory for the hits of %s", run->dialect->product);
    return run->dialect->read_hits(&run->arena, answer, &run->hits, &run->hit_count, err);
}

enum err_code vec_http_read_count(struct vec_http_run *run, uint64_t *count, struct err *err)
{
    *count = 0;
    if (run->status == VEC_HTTP_NOT_FOUND)
        return ERR_OK;
    enum err_code code = vec_http_check(run, err);
    return code == ERR_OK ? run->dialect->read_count(&run->arena, run->answer, count, err) : code;
}

enum err_code vec_http_query_counted(struct vec_http_run *run, struct err *err)
{
    uint64_t count;
    if (vec_http_read_count(run, &count, err) != ERR_OK)
        return err->code;
    return count == 0 ? ERR_OK : vec_http_check_kind(run, err);
}

enum err_code vec_http_check_still_there(const struct vec_http_run *run, struct err *err)
{
    if (run->status == VEC_HTTP_NOT_FOUND)
        return err_set(err, ERR_UNAVAILABLE,
                       "%s's collection of '%.*s' was removed while it was changed",
                       run->dialect->product, STR_ARG(vec_http_collection(run)));
    return vec_http_check(run, err);
}

static int compare_points(const void *a, const void *b)
{
    const struct vec_point *const *left = a, *const *right = b;
    int order = str_compare((*left)->passage.id, (*right)->passage.id);
    if (order != 0)
        return order;
    return *left < *right ? -1 : *left > *right;
}

bool vec_http_order_points(struct vec_http_run *run)
{
    const struct vec_change *change = run->change;
    const struct vec_point **sorted =
        arena_array(&run->arena, size_max(1, change->upsert_count), sizeof(struct vec_point *));
    if (sorted == NULL)
        return false;
    for (size_t i = 0; i < change->upsert_count; i++)
        sorted[i] = &change->upsert[i];
    qsort(sorted, change->upsert_count, sizeof *sorted, compare_points);
    size_t kept = 0;
    for (size_t i = 0; i < change->upsert_count; i++)
        if (i + 1 == change->upsert_count ||
            !str_equal(sorted[i]->passage.id, sorted[i + 1]->passage.id))
            sorted[kept++] = sorted[i];
    run->points = sorted;
    run->point_count = kept;
    return true;
}
