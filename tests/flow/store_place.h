/* SPDX-License-Identifier: MIT */
/* tests/flow/store_place.h - where the servers of a flow test keep what they say: in the store that
 * ASKD_TEST_STORE names, sqlite (default), postgres or redis. */
#ifndef TESTS_FLOW_STORE_PLACE_H
#define TESTS_FLOW_STORE_PLACE_H

#include <sqlite3.h>

#include "tests/contract/store_rig.h"

struct store_place {
    const struct store_rig_store *of;
    char name[STORE_RIG_PLACE], url[STORE_RIG_PLACE + 16];
};

static inline void store_place_make(struct store_place *place)
{
    place->of = store_rig_of();
    place->of->make(place->name);
    if (strcmp(place->of->name, "redis") == 0) { /* a number of its own, and the usual prefix */
        char command[STORE_RIG_PLACE + 128];
        assert_true(store_rig_server("redis.url", place->url, sizeof place->url - 1));
        strrchr(place->url, '/')[1] = '\0';
        snprintf(place->url + strlen(place->url), 3, "9");
        snprintf(place->name, sizeof place->name, "askd:");
        snprintf(command, sizeof command, "redis-cli -u %s flushdb >/dev/null", place->url);
        assert_int_equal(system(command), 0);
    } else {
        snprintf(place->url, sizeof place->url, "%s%s",
                 strcmp(place->of->name, "sqlite") == 0 ? "sqlite:" : "", place->name);
    }
}

static inline void store_place_drop(const struct store_place *place)
{
    place->of->drop(place->name);
}

/* The store itself, as a server has it open. */
static inline struct store *store_place_open(struct loop *loop, const struct store_place *place)
{
    struct err err = {.code = ERR_OK};
    return strcmp(place->of->name, "redis") == 0
               ? store_redis_create(
                     loop,
                     &(struct store_redis_options){.url = str_of(place->url),
                                                   .timeout_ms = STORE_RIG_PATIENCE_MS},
                     &err)
               : place->of->open(loop, place->name);
}

static inline bool store_place_is(const struct store_place *place, const char *name)
{
    return strcmp(place->of->name, name) == 0;
}

static inline void store_place_command(const struct store_place *place, const char *what)
{
    char command[STORE_RIG_PLACE + 1024];
    if (store_place_is(place, "redis"))
        snprintf(command, sizeof command, "redis-cli -u %s %s >/dev/null", place->url, what);
    else
        snprintf(command, sizeof command, "echo \"%s\" | %s run %s postgres %s", what,
                 getenv("ASKD_TEST_DATABASE"), getenv("ASKD_TEST_SERVERS"),
                 strrchr(place->url, '/') + 1);
    assert_int_equal(system(command), 0);
}

/* From now on a turn takes a while to be saved there, and others read meanwhile. SQLite and Redis
 * do one thing after the other. */
static inline void store_place_slow(const struct store_place *place)
{
    if (store_place_is(place, "postgres"))
        store_place_command(
            place, "CREATE FUNCTION askd_store.slow() RETURNS trigger LANGUAGE plpgsql AS "
                   "'BEGIN PERFORM pg_sleep(0.3); RETURN NEW; END'; CREATE TRIGGER slow BEFORE "
                   "INSERT ON askd_store.turns FOR EACH ROW EXECUTE FUNCTION askd_store.slow();");
}

/* Nobody can write events there until store_place_go, with what this gives. */
static inline sqlite3 *store_place_hold(const struct store_place *place)
{
    sqlite3 *db = NULL;
    if (store_place_is(place, "redis")) {
        store_place_command(place, "client pause 60000 write");
    } else if (store_place_is(place, "postgres")) {
        store_place_command(place, "ALTER TABLE askd_store.events RENAME TO held;");
    } else {
        assert_int_equal(sqlite3_open(place->name, &db), SQLITE_OK);
        assert_int_equal(sqlite3_busy_timeout(db, 60000), SQLITE_OK);
        assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    }
    return db;
}

static inline void store_place_go(const struct store_place *place, sqlite3 *db)
{
    if (store_place_is(place, "redis"))
        store_place_command(place, "client unpause");
    else if (store_place_is(place, "postgres"))
        store_place_command(place, "ALTER TABLE askd_store.held RENAME TO events;");
    else
        assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static inline int store_place_main(const struct CMUnitTest *tests, size_t count)
{
    if (getenv("ASKD_TEST_STORE") == NULL) /* the default of contracts keeps nothing */
        setenv("ASKD_TEST_STORE", "sqlite", 1);
    return store_rig_main(tests, count);
}

#endif
