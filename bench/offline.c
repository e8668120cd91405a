/* SPDX-License-Identifier: MIT */
/* bench/offline.c - what a question costs the offline engine, and how long it takes to get to know
 * a database.
 *
 * bench_offline [TABLES ROWS]: a made-up schema in a SQLite file (default: 122 tables with one
 * million rows in all, then the names of 545 tables without rows): reading it and indexing its
 * values in wall-clock time (and the time of all threads), then questions of ten shapes over its
 * tables in the thread's CPU time. The issue allows 5 ms a question (99 in 100) at 122 tables, 20
 * ms at 545, and 2 s of indexing. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <sqlite3.h>

#include "agents/loading.h"
#include "agents/lexicon/lexicon.h"
#include "agents/offline/answers/question.h"
#include "backends/sql/sql_sqlite.h"
#include "bench/samples.h"

enum {
    TABLES = 122,
    ROWS = 1000 * 1000,
    MANY_TABLES = 545,
    QUESTIONS = 4000,
    ARENA_BYTES = 8 << 20,
    TEXT_BYTES = 16 << 10,
    NAMES = 24,
};

static const char *const nouns[NAMES] = {
    "customer", "contract", "asset",   "visit",  "invoice", "payment", "vehicle", "project",
    "supplier", "shipment", "machine", "permit", "claim",   "policy",  "branch",  "ticket",
    "meter",    "reading",  "tariff",  "route",  "driver",  "pallet",  "batch",   "recipe"};
static const char *const kinds[] = {"",       "_line",  "_note",  "_plan",  "_class", "_log",
                                    "_limit", "_stage", "_share", "_check", "_draft", "_copy",
                                    "_order", "_event", "_group", "_price", "_level", "_round",
                                    "_test",  "_unit",  "_seal",  "_lot",   "_bin"};
static const char *const states[] = {"open", "planned", "closed", "blocked", "waiting"};

struct bench {
    struct loop *loop;
    struct sql *sql;
    struct loading loading;
    struct join_finder *finder;
    uint64_t seed;
    size_t tables;
};

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static size_t below(struct bench *b, size_t n)
{
    b->seed ^= b->seed << 13;
    b->seed ^= b->seed >> 7;
    b->seed ^= b->seed << 17;
    return (size_t)(b->seed % n);
}

static void push_table(struct buf *out, size_t table)
{
    buf_printf(out, "%s%s", nouns[table % NAMES], kinds[(table / NAMES) % countof(kinds)]);
    if (table / NAMES >= countof(kinds))
        buf_printf(out, "_%zu", table / NAMES / countof(kinds));
}

/* Each table refers to one or two before it, as most do. */
static size_t parent_of(size_t table, size_t which)
{
    return which == 0 ? table / 3 : table / 7;
}

static void push_schema(struct buf *out, size_t table)
{
    buf_push(out, STR("CREATE TABLE "));
    push_table(out, table);
    buf_push(out, STR("(id INTEGER PRIMARY KEY, name TEXT NOT NULL, status TEXT NOT NULL, city "
                      "TEXT, amount NUMERIC, quantity INTEGER, is_active BOOLEAN, created_at "
                      "TIMESTAMP"));
    for (size_t which = 0; which < 2 && table > 0; which++) {
        if (which == 1 && parent_of(table, 1) == parent_of(table, 0))
            continue;
        buf_push(out, STR(", "));
        push_table(out, parent_of(table, which));
        buf_push(out, STR("_id INTEGER REFERENCES "));
        push_table(out, parent_of(table, which));
        buf_push(out, STR("(id)"));
    }
    buf_push(out, STR(");"));
}

static bool run(sqlite3 *db, struct buf *sql)
{
    char *message = NULL;
    buf_push_char(sql, '\0');
    bool fine = buf_ok(sql) && sqlite3_exec(db, sql->at + sql->start, NULL, NULL, &message) == 0;
    if (!fine)
        fprintf(stderr, "bench_offline: %s\n", message == NULL ? "no memory" : message);
    sqlite3_free(message);
    buf_clear(sql);
    return fine;
}

static bool make_database(struct bench *b, const char *path, size_t rows)
{
    sqlite3 *db;
    struct buf sql;
    buf_init(&sql, TEXT_BYTES);
    bool fine = sqlite3_open(path, &db) == SQLITE_OK;
    buf_push(&sql, STR("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN"));
    fine = fine && run(db, &sql);
    for (size_t t = 0; fine && t < b->tables; t++) {
        push_schema(&sql, t);
        fine = run(db, &sql);
        if (rows == 0)
            continue;
        buf_push(&sql, STR("INSERT INTO "));
        push_table(&sql, t);
        buf_printf(&sql,
                   "(id,name,status,city,amount,quantity,is_active,created_at) WITH RECURSIVE n(i) "
                   "AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %zu) SELECT i, 'Name ' || "
                   "(i %% 4000), CASE i %% 5 WHEN 0 THEN 'open' WHEN 1 THEN 'planned' WHEN 2 THEN "
                   "'closed' WHEN 3 THEN 'blocked' ELSE 'waiting' END, 'City ' || (i %% 300), i %% "
                   "997, i %% 13, i %% 2, '2024-01-01 00:00:00' FROM n",
                   rows / b->tables);
        fine = run(db, &sql);
    }
    buf_push(&sql, STR("COMMIT"));
    fine = fine && run(db, &sql);
    sqlite3_close(db);
    buf_fini(&sql);
    return fine;
}

/* ---- getting to know it ---- */

static void on_done(struct op *op)
{
    loop_stop(op_owner(op));
}

static bool learn(struct bench *b, const char *path, bool with_values)
{
    const struct loading_options options = {.with_values = with_values};
    struct sql *sql = b->sql = sql_sqlite_create(b->loop, path, 0, 16); /* as many as askd has */
    uint64_t begin = clock_ns(CLOCK_MONOTONIC), worked = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    if (sql == NULL)
        return false;
    loading_start(&b->loading, sql, &options, (struct op_waiter){on_done, b->loop, NULL});
    loop_run(b->loop);
    uint64_t took = clock_ns(CLOCK_MONOTONIC) - begin;
    worked = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - worked;
    if (b->loading.op.err.code != ERR_OK) {
        fprintf(stderr, "bench_offline: %s\n", b->loading.op.err.text);
        return false;
    }
    printf("%4zu tables: schema%s known after %.0f ms, of which %.0f ms are work\n", b->tables,
           with_values ? " and values" : "", (double)took / 1e6, (double)worked / 1e6);
    b->finder = join_finder_create(b->loading.joins, NULL);
    return b->finder != NULL;
}

/* ---- questions ---- */

static void push_words(struct buf *out, size_t table, bool plural)
{
    size_t from = buf_len(out);
    push_table(out, table);
    for (size_t i = from; i < buf_len(out); i++)
        if (out->at[out->start + i] == '_')
            out->at[out->start + i] = ' ';
    if (plural)
        buf_push_char(out, 's');
}

static void push_question(struct bench *b, struct buf *out)
{
    size_t child = 1 + below(b, b->tables - 1), parent = parent_of(child, 0);
    const char *state = states[below(b, countof(states))];
    static const char *const shapes[] = {"How many %2 are there?",
                                         "How many %s %2 are there in %c?",
                                         "Number of %2 by status",
                                         "Top 5 %1 by number of %2",
                                         "Which %1 have no %2?",
                                         "Average amount of %2 per %0",
                                         "%1 with more than 3 %2",
                                         "What percentage of %2 is %s?",
                                         "Total amount of active %2 in May 2024",
                                         "Show the wonderful %2 of the galaxy"};
    const char *shape = shapes[below(b, countof(shapes))];
    for (; *shape != '\0'; shape++) {
        if (*shape != '%') {
            buf_push_char(out, *shape);
            continue;
        }
        shape++;
        if (*shape == 's')
            buf_push(out, str_of(state));
        else if (*shape == 'c')
            buf_printf(out, "City %zu", below(b, 300));
        else
            push_words(out, *shape == '2' ? child : parent, *shape != '0');
    }
}

static void ask(struct bench *b)
{
    struct samples samples = {.count = 0};
    struct buf text;
    size_t understood = 0;
    const struct offline_source source = {b->loading.lexicon, b->loading.joins, b->finder,
                                          SQL_SQLITE, english_dates_day(2025, 6, 30)};
    buf_init(&text, TEXT_BYTES);
    for (size_t i = 0; i < QUESTIONS; i++) {
        struct offline_answer *answer;
        struct arena arena;
        buf_clear(&text);
        push_question(b, &text);
        arena_init(&arena, ARENA_BYTES);
        uint64_t begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
        if (offline_question_read(&source, buf_str(&text), &arena, &answer) == ERR_OK)
            understood += answer->understood;
        samples_add(&samples, clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin);
        arena_fini(&arena);
    }
    buf_fini(&text);
    printf("%4zu tables: %" PRIu64 " questions, %zu understood, p50 %.2f ms, p99 %.2f ms, most "
           "%.2f ms\n",
           b->tables, samples.count, understood, samples_us(&samples, 0.5) / 1e3,
           samples_us(&samples, 0.99) / 1e3, (double)samples.most / 1e6);
}

static bool measure(size_t tables, size_t rows)
{
    char path[] = "/tmp/bench_offline_XXXXXX";
    struct bench b = {.loop = loop_create(), .seed = 88172645463325252u, .tables = tables};
    int file = mkstemp(path);
    bool fine =
        b.loop != NULL && file >= 0 && make_database(&b, path, rows) && learn(&b, path, rows > 0);
    if (fine)
        ask(&b);
    join_finder_destroy(b.finder);
    lexicon_destroy(b.loading.lexicon);
    join_graph_destroy(b.loading.joins);
    catalog_destroy(b.loading.catalog);
    buf_fini(&b.loading.warnings);
    if (b.sql != NULL)
        sql_close(b.sql, NULL, NULL);
    loop_run(b.loop);
    loop_destroy(b.loop);
    if (file >= 0) {
        close(file);
        unlink(path);
    }
    return fine;
}

int main(int argc, char **argv)
{
    if (argc == 3) {
        uint64_t tables, rows;
        if (!str_to_u64(str_of(argv[1]), &tables) || !str_to_u64(str_of(argv[2]), &rows) ||
            tables < 2) {
            fprintf(stderr, "usage: bench_offline [TABLES ROWS]\n");
            return 2;
        }
        return measure((size_t)tables, (size_t)rows) ? 0 : 1;
    }
    return measure(TABLES, ROWS) && measure(MANY_TABLES, 0) ? 0 : 1;
}
