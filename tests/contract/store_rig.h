/* SPDX-License-Identifier: MIT */
/* tests/contract/store_rig.h - every implementation of core/store, driven by the same tests.
 *
 *   STORE_TEST(a_turn_is_kept)
 *   {
 *       STORE_CODE(f, "load", STORE_RUN(f, load, .key = store_rig_ann), ERR_OK);
 *   }
 * is a cmocka test of the store that ASKD_TEST_STORE names (default: memory), with a place of its
 * own (a file, a database). STORE_RUN waits; the answer is in f->call until the next. A new store
 * is a line in store_rig_stores. */
#ifndef TESTS_CONTRACT_STORE_RIG_H
#define TESTS_CONTRACT_STORE_RIG_H

#include <stdio.h>
#include <stdlib.h>

#include "backends/stores/store_memory.h"
#include "backends/stores/store_pg.h"
#include "backends/stores/store_redis.h"
#include "backends/stores/store_sqlite.h"
#include "core/base/id.h"
#include "core/store/event.h"
#include "tests/lib/test_server.h"
#include "tests/unit/backends/rig.h"
#include "tests/unit/backends/sqlite_file.h"

enum { STORE_RIG_PLACE = 256, STORE_RIG_PATIENCE_MS = 600000, STORE_RIG_LEASE_MS = 600000 };

struct store_rig_store {
    const char *name; /* in failures */
    /* Make an empty place, write how to find it into place; and remove it. */
    void (*make)(char *place);
    void (*drop)(const char *place);
    /* One more store on a place, with the deadline of STORE_RIG_PATIENCE_MS. NULL: no memory. */
    struct store *(*open)(struct loop *loop, const char *place);
    bool is_lasting;       /* what is in it is there when it is opened again */
    bool (*is_here)(void); /* its server; NULL: it needs none */
};

struct store_rig {
    struct rig rig;
    const struct store_rig_store *of;
    char place[STORE_RIG_PLACE];
    struct store *store;
    struct store_call call;
};

/* ---- the stores ---- */

static inline void store_rig_nowhere(char *place)
{
    place[0] = '\0';
}

static inline void store_rig_drop_nothing(const char *place)
{
    (void)place;
}

static inline struct store *store_rig_open_memory(struct loop *loop, const char *place)
{
    (void)place;
    return store_memory_create(loop);
}

static inline void store_rig_make_file(char *place)
{
    struct sqlite_file file;
    sqlite_file_name(&file);
    snprintf(place, STORE_RIG_PLACE, "%s", file.path);
}

static inline void store_rig_drop_file(const char *place)
{
    struct sqlite_file file = {0};
    snprintf(file.path, sizeof file.path, "%.95s", place);
    snprintf(file.folder, sizeof file.folder, "%.*s", (int)(strrchr(place, '/') - place), place);
    sqlite_file_remove(&file);
}

static inline struct store *store_rig_open_sqlite(struct loop *loop, const char *place)
{
    return store_sqlite_create(
        loop, &(struct store_sqlite_options){.path = place, .timeout_ms = STORE_RIG_PATIENCE_MS});
}

/* The line in a file of the servers' folder; false: there is none. */
static inline bool store_rig_server(const char *file, char *line, size_t line_bytes)
{
    char path[512];
    const char *folder = getenv("ASKD_TEST_SERVERS");
    snprintf(path, sizeof path, "%s/%s", folder == NULL ? "" : folder, file);
    FILE *in = fopen(path, "r");
    bool is_here = in != NULL && fgets(line, (int)line_bytes, in) != NULL;
    if (in != NULL)
        fclose(in);
    line[is_here ? strcspn(line, "\n") : 0] = '\0';
    return is_here;
}

static inline bool store_rig_has_redis(void)
{
    char url[STORE_RIG_PLACE];
    return store_rig_server("redis.url", url, sizeof url);
}

/* A prefix of its own; what was there goes with the server. */
static inline void store_rig_make_redis(char *place)
{
    snprintf(place, STORE_RIG_PLACE, "%s:", id_random().text);
}

static inline struct store *store_rig_open_redis(struct loop *loop, const char *place)
{
    char url[STORE_RIG_PLACE];
    struct err err = {.code = ERR_OK};
    assert_true(store_rig_server("redis.url", url, sizeof url));
    return store_redis_create(loop,
                              &(struct store_redis_options){.url = str_of(url),
                                                            .prefix = str_of(place),
                                                            .timeout_ms = STORE_RIG_PATIENCE_MS},
                              &err);
}

static inline bool store_rig_has_postgres(void)
{
    char url[STORE_RIG_PLACE];
    return store_rig_server("postgres.url", url, sizeof url);
}

/* A database of its own. */
static inline void store_rig_make_postgres(char *place)
{
    char name[64];
    snprintf(name, sizeof name, "store_%s", id_random().text);
    test_server_create("postgres", name, "", place, STORE_RIG_PLACE);
}

static inline void store_rig_drop_postgres(const char *place)
{
    test_server_drop("postgres", strrchr(place, '/') + 1);
}

static inline struct store *store_rig_open_postgres(struct loop *loop, const char *place)
{
    struct err err = {.code = ERR_OK};
    return store_pg_create(
        loop, &(struct store_pg_options){.url = place, .timeout_ms = STORE_RIG_PATIENCE_MS}, &err);
}

static const struct store_rig_store store_rig_stores[] = {
    {"memory", store_rig_nowhere, store_rig_drop_nothing, store_rig_open_memory, false, NULL},
    {"sqlite", store_rig_make_file, store_rig_drop_file, store_rig_open_sqlite, true, NULL},
    {"postgres", store_rig_make_postgres, store_rig_drop_postgres, store_rig_open_postgres, true,
     store_rig_has_postgres},
    {"redis", store_rig_make_redis, store_rig_drop_nothing, store_rig_open_redis, true,
     store_rig_has_redis},
};

/* The one that this process is to test. */
static inline const struct store_rig_store *store_rig_of(void)
{
    const char *name = getenv("ASKD_TEST_STORE");
    TEST_EACH(store, store_rig_stores) {
        if (strcmp(store->name, name == NULL ? "memory" : name) == 0)
            return store;
    }
    fail_msg("ASKD_TEST_STORE: no store '%s'", name);
    return NULL;
}

/* Run all tests; 77: the store needs a server that is not here. */
static inline int store_rig_main(const struct CMUnitTest *tests, size_t count)
{
    const struct store_rig_store *of = store_rig_of();
    if (of->is_here != NULL && !of->is_here())
        return 77;
    return _cmocka_run_group_tests("store", tests, count, NULL, NULL);
}

/* ---- one test's ---- */

static inline void store_rig_begin(struct store_rig *f, const struct store_rig_store *of)
{
    *f = (struct store_rig){.of = of};
    of->make(f->place);
    rig_begin(&f->rig);
    f->store = of->open(f->rig.loop, f->place);
    assert_non_null(f->store);
}

/* Close the store, and open it again on what it left. */
static inline void store_rig_reopen(struct store_rig *f)
{
    op_release(&f->call.op);
    store_close(f->store, rig_on_closed, &f->rig);
    assert_true(loop_run_dry(f->rig.loop, RIG_TURNS));
    EXPECT_INT(f->of->name, f->rig.closed_calls, 1);
    f->rig.closed_calls = 0;
    f->store = f->of->open(f->rig.loop, f->place);
    assert_non_null(f->store);
}

static inline void store_rig_end(struct store_rig *f)
{
    op_release(&f->call.op);
    if (f->store != NULL)
        store_close(f->store, rig_on_closed, &f->rig);
    rig_end(&f->rig);
    EXPECT_INT(f->of->name, f->rig.closed_calls, f->store != NULL);
    f->of->drop(f->place);
}

static inline struct store_call *store_rig_fresh(struct store_rig *f)
{
    op_release(&f->call.op);
    return &f->call;
}

static inline enum err_code store_rig_wait(struct store_rig *f)
{
    EXPECT_TRUE("not done inside start", op_is_pending(&f->call.op));
    for (unsigned run = 0; run < RIG_TURNS && op_is_pending(&f->call.op); run++)
        loop_run(f->rig.loop);
    EXPECT_TRUE(f->of->name, !op_is_pending(&f->call.op));
    return f->call.op.err.code;
}

#define STORE_RUN(f, name, ...)                                                                    \
    (store_##name##_start(store_rig_fresh(f), (f)->store, &(struct store_##name){__VA_ARGS__},     \
                          rig_waiter(&(f)->rig)),                                                  \
     store_rig_wait(f))

/* Demand a code, with the store, the case and what was said in the failure. */
#define STORE_CODE(f, what, got, want)                                                             \
    do {                                                                                           \
        enum err_code code_ = (got);                                                               \
        if (code_ != (want))                                                                       \
            fail_msg("%s: %s: got %s (%s), want %s", (f)->of->name, (what), err_name(code_),       \
                     (f)->call.op.err.text, err_name(want));                                       \
    } while (0)

#define STORE_TEST(test)                                                                           \
    static void test##_on(struct store_rig *f);                                                    \
    TEST(test)                                                                                     \
    {                                                                                              \
        static struct store_rig f;                                                                 \
        store_rig_begin(&f, store_rig_of());                                                       \
        test##_on(&f);                                                                             \
        store_rig_end(&f);                                                                         \
    }                                                                                              \
    static void test##_on(struct store_rig *f)

/* ---- callers, and what they keep ---- */

#define STORE_RIG_KEY(conversation, company, user)                                                 \
    ((struct identity){STR(conversation), STR(company), STR(user)})
#define STORE_RIG_ANN STORE_RIG_KEY("c-1", "acme", "ann")

/* A save of one turn behind expected_version. */
static inline enum err_code store_rig_say(struct store_rig *f, struct identity key,
                                          uint64_t expected_version, const char *question,
                                          const char *answer)
{
    const struct store_turn turn = {.run_id = STR("run_1"),
                                    .question = str_of(question),
                                    .answer = str_of(answer),
                                    .details = STR("{\"rows\":1}")};
    return STORE_RUN(f, save, .key = key, .expected_version = expected_version,
                     .checkpoint = {.run_id = STR("run_1"), .is_full = true, .bytes = STR("x")},
                     .turns = &turn, .turn_count = 1);
}

#endif
