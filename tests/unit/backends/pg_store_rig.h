/* SPDX-License-Identifier: MIT */
/* tests/unit/backends/pg_store_rig.h - what a store in PostgreSQL does without a PostgreSQL: wrong
 * urls, nobody there, nobody who answers. For stores of words and of vectors. */
#ifndef TESTS_UNIT_BACKENDS_PG_STORE_RIG_H
#define TESTS_UNIT_BACKENDS_PG_STORE_RIG_H

#include "tests/unit/backends/stub_server.h"

enum { PG_STORE_PATIENCE_MS = 600000, PG_STORE_SHORT_MS = 40 };

struct pg_store_kind {
    void *(*create)(struct loop *loop, const char *url, struct err *err);
    /* Start the test's one search, or its one change; its operation. */
    struct op *(*search)(void *store, uint64_t timeout_ms, struct op_waiter waiter);
    struct op *(*change)(void *store, struct op_waiter waiter);
    size_t (*hit_count)(void); /* of that search */
    enum err_code (*ready)(void *store, struct err *err);
    void (*close)(void *store, void (*on_closed)(void *owner), void *owner);
};

static inline void pg_store_refuses_urls(const struct pg_store_kind *kind)
{
    static const char *const wrong[] = {"", "mysql://a@b/c", "postgresql://a@b:port/c",
                                        "postgresql://a@b/c?service=x"};
    struct rig rig;
    rig_begin(&rig);
    TEST_EACH(url, wrong) {
        struct err err = {0};
        EXPECT_TRUE(*url, kind->create(rig.loop, *url, &err) == NULL);
        EXPECT_INT(*url, err.code, ERR_INVALID);
    }
    rig_end(&rig);
}

static inline void pg_store_hears_nothing(const struct pg_store_kind *kind)
{
    struct rig rig;
    struct stub_server server;
    struct err err = {0};
    char url[128];
    rig_begin(&rig);
    stub_server_start(&server, &rig, (struct str){NULL, 0}, STUB_KEEP);
    snprintf(url, sizeof url, "postgresql://askd:hush@%s?sslmode=disable",
             server.url + strlen("http://"));
    void *store = kind->create(rig.loop, url, &err);
    assert_non_null(store);
    struct op *search = kind->search(store, PG_STORE_SHORT_MS, rig_waiter(&rig));
    rig_wait("search", &rig, 1);
    enum err_code code = search->err.code;
    EXPECT_TRUE(search->err.text, code == ERR_UNAVAILABLE || code == ERR_TIMEOUT);
    EXPECT_TRUE(search->err.text, str_find(str_of(search->err.text), STR("hush")) == STR_NONE);
    EXPECT_INT("none", kind->hit_count(), 0);
    op_release(search);
    kind->close(store, rig_on_closed, &rig);
    stub_server_stop(&server);
    rig_end(&rig);
}

static inline void pg_store_finds_nobody(const struct pg_store_kind *kind)
{
    struct rig rig;
    struct err err = {0};
    rig_begin(&rig);
    void *store = kind->create(rig.loop, "postgresql://askd@127.0.0.1:1/x", &err);
    assert_non_null(store);
    EXPECT_INT("not known yet", kind->ready(store, &err), ERR_OK);
    struct op *search = kind->search(store, PG_STORE_PATIENCE_MS, rig_waiter(&rig));
    rig_wait("search", &rig, 1);
    EXPECT_INT("search", search->err.code, ERR_UNAVAILABLE);
    struct op *change = kind->change(store, rig_waiter(&rig));
    rig_wait("change", &rig, 2);
    EXPECT_INT("change", change->err.code, ERR_UNAVAILABLE);
    EXPECT_INT("ready", kind->ready(store, &err), ERR_UNAVAILABLE);
    op_release(search);
    op_release(change);
    kind->close(store, rig_on_closed, &rig);
    rig_end(&rig);
    EXPECT_INT("closed once", rig.closed_calls, 1);
}

#endif
