/* SPDX-License-Identifier: MIT */
/* tests/contract/store_hand.h - a hand in a store's own rows: reads and writes what a place (a
 * spot) holds, past core/store. For tests of what a store does with damaged bytes. Blocking.
 *
 * A spot of sqlite and postgres is a table, a column and a condition; of redis a kind (hash,
 * stream), a key behind the prefix and, of a hash, a field. NULL: the store has no such spot. */
#ifndef TESTS_CONTRACT_STORE_HAND_H
#define TESTS_CONTRACT_STORE_HAND_H

#include <libpq-fe.h>

#include "backends/redis/redis_conn.h"
#include "tests/contract/store_rig.h"

enum { STORE_HAND_BYTES = 8192 };

struct store_spot {
    const char *name;
    const char *sqlite[3], *postgres[3], *redis[3];
};

struct store_hand {
    struct store_rig *f;
    sqlite3 *sqlite;
    PGconn *postgres;
    struct redis_conn *redis;
    struct redis_url url;
    struct redis_command command;
    int type;               /* sqlite: the value's as it was read */
    char id[64], first[64]; /* redis: of the entry of a stream as it was read */
};

static inline void store_hand_open(struct store_hand *hand, struct store_rig *f)
{
    *hand = (struct store_hand){.f = f};
    char url[STORE_RIG_PLACE];
    if (strcmp(f->of->name, "sqlite") == 0) {
        assert_int_equal(sqlite3_open(f->place, &hand->sqlite), SQLITE_OK);
        sqlite3_busy_timeout(hand->sqlite, STORE_RIG_PATIENCE_MS);
    } else if (strcmp(f->of->name, "postgres") == 0) {
        hand->postgres = PQconnectdb(f->place);
        assert_int_equal(PQstatus(hand->postgres), CONNECTION_OK);
    } else if (strcmp(f->of->name, "redis") == 0) {
        struct err err = {0};
        assert_true(store_rig_server("redis.url", url, sizeof url));
        assert_int_equal(redis_url_parse(&hand->url, str_of(url), &err), ERR_OK);
        hand->redis = redis_conn_create(
            f->rig.loop,
            &(struct redis_conn_options){.url = &hand->url, .connect_ms = STORE_RIG_PATIENCE_MS});
        assert_non_null(hand->redis);
    }
}

static inline void store_hand_on_closed(void *owner)
{
    bool *is_closed = owner;
    *is_closed = true;
}

static inline void store_hand_close(struct store_hand *hand)
{
    bool is_closed = false;
    sqlite3_close(hand->sqlite);
    PQfinish(hand->postgres);
    op_release(&hand->command.op);
    if (hand->redis == NULL)
        return;
    redis_conn_close(hand->redis, store_hand_on_closed, &is_closed);
    for (unsigned turn = 0; turn < RIG_TURNS && !is_closed; turn++)
        loop_turn(hand->f->rig.loop, 1);
    assert_true(is_closed);
    redis_url_fini(&hand->url);
}

static inline const char *const *store_hand_words(const struct store_hand *hand,
                                                  const struct store_spot *spot)
{
    return hand->sqlite != NULL     ? spot->sqlite
           : hand->postgres != NULL ? spot->postgres
                                    : spot->redis;
}

/* Statements on a spot; value: how the new one is bound. */
static inline const char *store_hand_select(const char *schema, const char *const *words)
{
    static char sql[512];
    snprintf(sql, sizeof sql, "SELECT %s FROM %s%s WHERE %s", words[1], schema, words[0], words[2]);
    return sql;
}

static inline const char *store_hand_update(const char *schema, const char *const *words,
                                            const char *value)
{
    static char sql[512];
    snprintf(sql, sizeof sql, "UPDATE %s%s SET %s = %s WHERE %s", schema, words[0], words[1], value,
             words[2]);
    return sql;
}

/* ---- redis ---- */

static inline const struct redis_reply *store_hand_ask(struct store_hand *hand,
                                                       const struct str *args, size_t count)
{
    struct rig *rig = &hand->f->rig;
    op_release(&hand->command.op);
    redis_command_start(&hand->command, hand->redis,
                        &(struct redis_request){
                            .args = args, .arg_count = count, .deadline_ms = STORE_RIG_PATIENCE_MS},
                        rig_waiter(rig));
    while (op_is_pending(&hand->command.op))
        loop_run(rig->loop);
    if (hand->command.op.err.code != ERR_OK)
        fail_msg("%.*s: %s", STR_ARG(args[0]), hand->command.op.err.text);
    return &hand->command.reply;
}

static inline struct str store_hand_key(const struct store_hand *hand, const char *const *words)
{
    static char key[STORE_RIG_PLACE + 64];
    snprintf(key, sizeof key, "%s%s", hand->f->place, words[1]);
    return str_of(key);
}

/* The only entry of a stream: {id, {"first", number, "bytes", text}}. */
static inline struct str store_hand_read_entry(struct store_hand *hand, struct str key)
{
    const struct str args[] = {STR("XRANGE"), key, STR("-"), STR("+")};
    const struct redis_reply *entries = store_hand_ask(hand, args, countof(args));
    EXPECT_INT("one batch", entries->count, 1);
    const struct redis_reply *entry = &entries->items[0], *fields = &entry->items[1];
    snprintf(hand->id, sizeof hand->id, "%.*s", STR_ARG(redis_reply_text(entry, 0)));
    snprintf(hand->first, sizeof hand->first, "%.*s", STR_ARG(redis_reply_text(fields, 1)));
    return redis_reply_text(fields, 3);
}

static inline struct str store_hand_read_redis(struct store_hand *hand, const char *const *words)
{
    struct str key = store_hand_key(hand, words);
    if (strcmp(words[0], "stream") == 0)
        return store_hand_read_entry(hand, key);
    const struct str args[] = {STR("HGET"), key, str_of(words[2])};
    const struct redis_reply *reply = store_hand_ask(hand, args, countof(args));
    return reply->text;
}

static inline void store_hand_write_redis(struct store_hand *hand, const char *const *words,
                                          struct str bytes)
{
    struct str key = store_hand_key(hand, words);
    if (strcmp(words[0], "stream") != 0) {
        const struct str args[] = {STR("HSET"), key, str_of(words[2]), bytes};
        (void)store_hand_ask(hand, args, countof(args));
        return;
    }
    const struct str drop[] = {STR("DEL"), key};
    const struct str add[] = {
        STR("XADD"), key, str_of(hand->id), STR("first"), str_of(hand->first), STR("bytes"), bytes};
    (void)store_hand_ask(hand, drop, countof(drop));
    (void)store_hand_ask(hand, add, countof(add));
}

/* ---- sqlite and postgres ---- */

static inline struct str store_hand_read_sqlite(struct store_hand *hand, const char *const *words,
                                                char *room)
{
    sqlite3_stmt *statement = NULL;
    const char *sql = store_hand_select("", words);
    assert_int_equal(sqlite3_prepare_v2(hand->sqlite, sql, -1, &statement, NULL), SQLITE_OK);
    if (sqlite3_step(statement) != SQLITE_ROW)
        fail_msg("nothing there: %s", sql);
    hand->type = sqlite3_column_type(statement, 0);
    const void *bytes = sqlite3_column_blob(statement, 0);
    size_t len = (size_t)sqlite3_column_bytes(statement, 0);
    assert_true(bytes != NULL && len <= STORE_HAND_BYTES);
    memcpy(room, bytes, len);
    sqlite3_finalize(statement);
    return str_make(room, len);
}

static inline void store_hand_write_sqlite(struct store_hand *hand, const char *const *words,
                                           struct str bytes)
{
    sqlite3_stmt *statement = NULL;
    const char *sql = store_hand_update("", words, "?1");
    assert_int_equal(sqlite3_prepare_v2(hand->sqlite, sql, -1, &statement, NULL), SQLITE_OK);
    int bound = hand->type == SQLITE_BLOB
                    ? sqlite3_bind_blob(statement, 1, bytes.at, (int)bytes.len, SQLITE_STATIC)
                    : sqlite3_bind_text(statement, 1, bytes.at, (int)bytes.len, SQLITE_STATIC);
    assert_int_equal(bound, SQLITE_OK);
    if (sqlite3_step(statement) != SQLITE_DONE || sqlite3_changes(hand->sqlite) != 1)
        fail_msg("%s: %s", sql, sqlite3_errmsg(hand->sqlite));
    sqlite3_finalize(statement);
}

static inline PGresult *store_hand_run_postgres(struct store_hand *hand, const char *sql,
                                                const struct str *bytes)
{
    const char *value = bytes == NULL ? NULL : bytes->at;
    int len = bytes == NULL ? 0 : (int)bytes->len, is_binary = 1;
    PGresult *result =
        PQexecParams(hand->postgres, sql, bytes != NULL, NULL, &value, &len, &is_binary, is_binary);
    ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
        fail_msg("%s: %s", sql, PQerrorMessage(hand->postgres));
    return result;
}

static inline struct str store_hand_read_postgres(struct store_hand *hand, const char *const *words,
                                                  char *room)
{
    const char *sql = store_hand_select("askd_store.", words);
    PGresult *result = store_hand_run_postgres(hand, sql, NULL);
    EXPECT_INT(sql, PQntuples(result), 1);
    size_t len = (size_t)PQgetlength(result, 0, 0);
    assert_true(len <= STORE_HAND_BYTES);
    memcpy(room, PQgetvalue(result, 0, 0), len);
    PQclear(result);
    return str_make(room, len);
}

/* ---- a spot ---- */

/* A copy in room, of STORE_HAND_BYTES. Absent: the store has no such spot. */
static inline struct str store_hand_read(struct store_hand *hand, const struct store_spot *spot,
                                         char *room)
{
    const char *const *words = store_hand_words(hand, spot);
    if (words[0] == NULL)
        return (struct str){NULL, 0};
    if (hand->sqlite != NULL)
        return store_hand_read_sqlite(hand, words, room);
    if (hand->postgres != NULL)
        return store_hand_read_postgres(hand, words, room);
    struct str bytes = store_hand_read_redis(hand, words);
    if (str_is_absent(bytes) || bytes.len > STORE_HAND_BYTES)
        fail_msg("%s: nothing there", spot->name);
    memcpy(room, bytes.at, bytes.len);
    return str_make(room, bytes.len);
}

static inline void store_hand_write(struct store_hand *hand, const struct store_spot *spot,
                                    struct str bytes)
{
    const char *const *words = store_hand_words(hand, spot);
    if (hand->sqlite != NULL)
        store_hand_write_sqlite(hand, words, bytes);
    else if (hand->postgres != NULL)
        PQclear(
            store_hand_run_postgres(hand, store_hand_update("askd_store.", words, "$1"), &bytes));
    else
        store_hand_write_redis(hand, words, bytes);
}

#endif
