/* SPDX-License-Identifier: MIT */
/* server/auth/auth_sources.c - one GET for an address at a time.
 *
 * Happy path: the answer is a set of keys, which takes the place of the one before.
 * Failure paths: no answer, another status, a text that is no set: logged, the old keys stay until
 * they are a day old. */
#include "server/auth/auth_sources.h"

#include <string.h>

#include "backends/http/http_client.h"
#include "core/base/mem.h"

enum {
    FRESH_MS = 10 * 60 * 1000,
    STALE_MS = 24 * 3600 * 1000,
    PAUSE_MS = 30 * 1000, /* between two fetches of one address */
    CONNECT_MS = 5000,
    TOTAL_MS = 15 * 1000,
    ANSWER_BYTES = 1024 * 1024
};

struct source {
    struct list link;
    struct auth_sources *sources;
    char *url;
    struct auth_jwk_set *keys; /* NULL: none yet */
    uint64_t fetched_ms;       /* when keys came */
    uint64_t asked_ms;         /* when they were asked for last; 0: never */
    struct http_call call;
    struct buf body;
};

struct auth_sources {
    struct loop *loop;
    const struct log *log;
    struct http_client *http; /* made with the first address */
    struct list sources;
    bool is_closed;
};

struct auth_sources *auth_sources_create(struct loop *loop, const struct log *log)
{
    struct auth_sources *sources = mem_zalloc(1, sizeof *sources);
    if (sources == NULL)
        return NULL;
    sources->loop = loop;
    sources->log = log;
    list_init(&sources->sources);
    return sources;
}

void auth_sources_close(struct auth_sources *sources, void (*on_closed)(void *owner), void *owner)
{
    struct http_client *http = sources->http;
    sources->is_closed = true;
    sources->http = NULL;
    if (http == NULL)
        on_closed(owner);
    else
        http_client_close(http, on_closed, owner);
}

static void free_source(struct source *source)
{
    op_release(&source->call.op);
    auth_jwk_set_destroy(source->keys);
    buf_fini(&source->body);
    mem_free(source->url);
    mem_free(source);
}

void auth_sources_destroy(struct auth_sources *sources)
{
    if (sources == NULL)
        return;
    for (struct list *link; (link = list_take_first(&sources->sources)) != NULL;)
        free_source(list_item(link, struct source, link));
    mem_free(sources);
}

/* ---- fetching ---- */

static void on_body(struct http_call *call, struct str bytes)
{
    struct source *source = container_of(call, struct source, call);
    buf_push(&source->body, bytes);
}

static void take_keys(struct source *source, struct err *err)
{
    if (source->call.status != 200) {
        err_set(err, ERR_PROTOCOL, "expected status 200, got %d", source->call.status);
        return;
    }
    struct auth_jwk_set *keys = auth_jwk_set_create(buf_str(&source->body), err);
    if (keys == NULL)
        return;
    auth_jwk_set_destroy(source->keys);
    source->keys = keys;
    source->fetched_ms = loop_now_ms(source->sources->loop);
    LOG(source->sources->log, INFO, "auth.keys", "url=%s keys=%zu", source->url,
        auth_jwk_set_count(keys));
}

static void on_fetched(struct op *op)
{
    struct source *source = op_owner(op);
    struct err err = op->err;
    if (err.code == ERR_OK)
        take_keys(source, &err);
    if (err.code != ERR_OK && err.code != ERR_CANCELLED)
        LOG(source->sources->log, WARN, "auth.keys", "url=%s kept=%zu error=\"%s\"", source->url,
            source->keys == NULL ? 0 : auth_jwk_set_count(source->keys), err.text);
    op_release(op);
    buf_fini(&source->body);
}

static void fetch(struct source *source)
{
    struct auth_sources *sources = source->sources;
    const struct http_client_options one = {.spread = 1, .max_connections = 4};
    static const struct http_header accept = {STR("Accept"), STR("application/json")};
    source->asked_ms = size_max(loop_now_ms(sources->loop), 1);
    if (sources->http == NULL)
        sources->http = http_client_create(sources->loop, &one);
    if (sources->http == NULL)
        return; /* no memory: asked for again after the pause */
    buf_init(&source->body, ANSWER_BYTES);
    const struct http_call_options options = {
        .url = source->url,
        .method = "GET",
        .headers = &accept,
        .header_count = 1,
        .connect_ms = CONNECT_MS,
        .total_ms = TOTAL_MS,
        .max_body_bytes = ANSWER_BYTES,
    };
    http_call_start(&source->call, sources->http, &options, NULL, on_body,
                    (struct op_waiter){.done = on_fetched, .owner = source});
}

static struct source *find(const struct auth_sources *sources, const char *url)
{
    LIST_EACH(link, &sources->sources)
        if (strcmp(list_item(link, struct source, link)->url, url) == 0)
            return list_item(link, struct source, link);
    return NULL;
}

/* Whether the keys are on the way after this. */
static bool fetch_if_due(struct source *source)
{
    uint64_t now_ms = loop_now_ms(source->sources->loop);
    if (op_is_pending(&source->call.op))
        return true;
    if (source->sources->is_closed ||
        (source->asked_ms != 0 && now_ms < source->asked_ms + PAUSE_MS))
        return false;
    fetch(source);
    return op_is_pending(&source->call.op);
}

void auth_sources_want(struct auth_sources *sources, const char *url)
{
    size_t size = strlen(url) + 1;
    struct source *source = find(sources, url);
    if (source == NULL) {
        source = mem_zalloc(1, sizeof *source);
        char *copy = source == NULL ? NULL : mem_alloc(size);
        if (copy == NULL) {
            mem_free(source);
            return;
        }
        memcpy(copy, url, size);
        source->url = copy;
        source->sources = sources;
        list_push(&sources->sources, &source->link);
    }
    if (source->keys == NULL)
        (void)fetch_if_due(source); /* else it is asked for when somebody needs a key */
}

const struct auth_jwk_set *auth_sources_keys(struct auth_sources *sources, const char *url)
{
    uint64_t now_ms = loop_now_ms(sources->loop);
    struct source *source = find(sources, url);
    if (source == NULL || source->keys == NULL)
        return NULL;
    if (now_ms >= source->fetched_ms + FRESH_MS)
        (void)fetch_if_due(source);
    return now_ms >= source->fetched_ms + STALE_MS ? NULL : source->keys;
}

bool auth_sources_renew(struct auth_sources *sources, const char *url)
{
    struct source *source = find(sources, url);
    if (source == NULL) {
        auth_sources_want(sources, url);
        source = find(sources, url);
        return source != NULL && op_is_pending(&source->call.op);
    }
    return fetch_if_due(source);
}
