/* SPDX-License-Identifier: MIT */
/* backends/text_pg without a PostgreSQL: urls, nobody there, nobody who answers. What every text
 * promises is in contract_text, on a real server. */
#include "backends/words/text_pg.h"

#include "tests/unit/backends/pg_store_rig.h"

static struct text_query asked = {.collection = STR("docs"), .words = STR("overtime"), .top_k = 5};
static const struct passage passage = {.id = STR("a"), .text = STR("overtime")};
static const struct text_change addition = {.collection = STR("docs"),
                                            .upsert = &passage,
                                            .upsert_count = 1,
                                            .timeout_ms = PG_STORE_PATIENCE_MS};
static struct text_search found;
static struct text_write written;

static void *create(struct loop *loop, const char *url, struct err *err)
{
    return text_pg_create(loop, url, err);
}

static struct op *start_search(void *store, uint64_t timeout_ms, struct op_waiter waiter)
{
    asked.timeout_ms = timeout_ms;
    text_search_start(&found, store, &asked, waiter);
    return &found.op;
}

static struct op *start_change(void *store, struct op_waiter waiter)
{
    text_write_start(&written, store, &addition, waiter);
    return &written.op;
}

static size_t count_hits(void)
{
    return found.hit_count;
}

static enum err_code tell_ready(void *store, struct err *err)
{
    return text_ready(store, err);
}

static void close_store(void *store, void (*on_closed)(void *owner), void *owner)
{
    text_close(store, on_closed, owner);
}

static const struct pg_store_kind kind = {create,     start_search, start_change,
                                          count_hits, tell_ready,   close_store};

TEST(urls)
{
    pg_store_refuses_urls(&kind);
}

TEST(a_server_that_says_nothing)
{
    pg_store_hears_nothing(&kind);
}

TEST(nobody_is_there)
{
    pg_store_finds_nobody(&kind);
}

RUN_TESTS(T(urls), T(a_server_that_says_nothing), T(nobody_is_there))
