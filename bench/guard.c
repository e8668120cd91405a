/* SPDX-License-Identifier: MIT */
/* bench/guard.c - what judging a statement costs, by dialect, and how that grows with its size.
 *
 * bench_guard [ROUNDS]: every statement of tests/guard/corpus up to 1 KiB, ROUNDS times each (20):
 * the guard, which is what a loop spends; for SQLite also with the list of reads that goes along
 * with what is sent ("+reads", the loop's too), and with its compiler's second opinion where
 * nothing is run ("+sqlite", askd sql check alone). Percentiles are over statements, each by the
 * best of its rounds, which other programs do not touch; "all" is over every round. Beside them
 * what the engine's own parser takes for the same texts in the same run: libpg_query's parse,
 * SQLite's prepare; MySQL has none that a library gives. Then statements made to be hard, at
 * doubling sizes up to the 16 KiB limit: the last column is the time of the largest against twice
 * the time of the one half its size (1.0: linear). Times are the thread's CPU time.
 */
#include <inttypes.h>
#include <pg_query.h>
#include <sqlite3.h>
#include <stdio.h>
#include <time.h>

#include "agents/sql/parse/parse_sqlite.h"
#include "agents/sql/guard/policy.h"
#include "agents/sql/parse/reads.h"
#include "bench/samples.h"
#include "core/base/file.h"
#include "core/base/mem.h"
#include "proto/json_value.h"

enum {
    FILE_BYTES = 4 << 20,
    CASE_BYTES = 32 << 20,
    SHORT_BYTES = 1024,
    LEAST_BYTES = 1024,
    MOST_BYTES = 16 * 1024,
    TRIES = 5,
};

struct bench {
    struct catalog *catalog;
    struct arena arena; /* of policies and statements */
    struct sql_policy_set policies;
    struct sql_oracle *oracle;
    sqlite3 *peer; /* the corpora's database */
    unsigned rounds;
};

enum judged { GUARD, GUARD_AND_READS, GUARD_AND_COMPILER };

struct corpus { /* of one dialect */
    enum sql_dialect dialect;
    enum judged judged;
    const char *kind;
    struct samples best, all, peer; /* of best and peer one for each statement */
};

static const char *const dialects[] = {
    [SQL_SQLITE] = "sqlite", [SQL_POSTGRES] = "postgres", [SQL_MYSQL] = "mysql"};

static const char *const judged_names[] = {
    [GUARD] = "", [GUARD_AND_READS] = "+reads", [GUARD_AND_COMPILER] = "+sqlite"};

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static const struct sql_policy *find_policy(const struct bench *bench, struct str name)
{
    for (size_t i = 0; i < bench->policies.count; i++) {
        if (str_equal(bench->policies.policies[i].name, name))
            return &bench->policies.policies[i];
    }
    return &sql_policy_default;
}

static uint64_t judge(const struct bench *bench, enum judged judged, enum sql_dialect dialect,
                      struct str policy, struct str sql)
{
    struct arena arena;
    struct sql_verdict verdict;
    const struct sql_policy *by = find_policy(bench, policy);
    const struct sql_tenant tenant = {.on = str_starts_with(policy, STR("tenant"))};
    uint64_t begin = now_ns();
    arena_init(&arena, CASE_BYTES);
    if (judged == GUARD_AND_COMPILER)
        sql_policy_judge_twice(by, sql, bench->catalog, tenant, bench->oracle, &arena, &verdict);
    else
        sql_policy_judge(by, dialect, sql, bench->catalog, tenant, &arena, &verdict);
    if (judged == GUARD_AND_READS && verdict.code == ERR_OK)
        CHECK(sql_reads_of(verdict.sent, bench->catalog, &arena) != NULL);
    arena_fini(&arena);
    return now_ns() - begin;
}

static bool read_file(const char *path, struct buf *out)
{
    char whole[512];
    struct err err = {0};
    snprintf(whole, sizeof whole, "%s/%s", ASKD_GUARD_FOLDER, path);
    if (file_read(whole, out, &err) == ERR_OK)
        return true;
    fprintf(stderr, "bench_guard: %s\n", err.text);
    return false;
}

/* ---- the corpora ---- */

/* 0: the dialect has no parser to compare with. */
static uint64_t parse_by_peer(const struct bench *bench, enum sql_dialect dialect, struct str sql,
                              const char *text)
{
    uint64_t begin = now_ns();
    if (dialect == SQL_POSTGRES) {
        pg_query_free_parse_result(pg_query_parse(text));
    } else if (dialect == SQL_SQLITE) {
        sqlite3_stmt *statement = NULL;
        sqlite3_prepare_v2(bench->peer, text, (int)sql.len + 1, &statement, NULL);
        sqlite3_finalize(statement);
    } else {
        return 0;
    }
    return now_ns() - begin;
}

static void judge_line(struct bench *bench, struct corpus *corpus, struct str line)
{
    struct err err = {0};
    const struct json_value *value = json_value_parse(&bench->arena, line, NULL, &err);
    const struct json_value *policy = json_value_member(value, STR("policy"));
    const struct json_value *sql = json_value_member(value, STR("sql"));
    const char *text =
        sql == NULL || sql->text.len > SHORT_BYTES ? NULL : arena_cstr(&bench->arena, sql->text);
    uint64_t best = UINT64_MAX, peer = UINT64_MAX;
    if (policy == NULL || text == NULL)
        return;
    for (unsigned i = 0; i < bench->rounds; i++) {
        uint64_t took = judge(bench, corpus->judged, corpus->dialect, policy->text, sql->text);
        uint64_t took_peer = parse_by_peer(bench, corpus->dialect, sql->text, text);
        samples_add(&corpus->all, took);
        best = took < best ? took : best;
        peer = took_peer < peer ? took_peer : peer;
    }
    samples_add(&corpus->best, best);
    samples_add(&corpus->peer, peer);
}

static void print_corpus(const struct corpus *corpus)
{
    double p50 = samples_us(&corpus->best, 0.5), p99 = samples_us(&corpus->best, 0.99);
    double peer50 = samples_us(&corpus->peer, 0.5), peer99 = samples_us(&corpus->peer, 0.99);
    printf("%-9s %-9s %-8s %6" PRIu64 " %8.2f %8.2f %8.2f %9.2f", dialects[corpus->dialect],
           corpus->kind, judged_names[corpus->judged], corpus->best.count, p50, p99,
           (double)corpus->best.most / 1000, samples_us(&corpus->all, 0.99));
    if (peer50 > 0)
        printf(" %8.2f %8.2f %8.2f %8.2f\n", peer50, peer99, p50 / peer50, p99 / peer99);
    else
        printf(" %8s %8s %8s %8s\n", "-", "-", "-", "-");
}

static void judge_corpus(struct bench *bench, enum judged judged, enum sql_dialect dialect,
                         const char *kind)
{
    char path[64];
    struct buf text;
    struct corpus corpus = {.dialect = dialect, .judged = judged, .kind = kind};
    buf_init(&text, FILE_BYTES);
    snprintf(path, sizeof path, "corpus/%s_%s.jsonl", dialects[dialect], kind);
    if (read_file(path, &text)) {
        struct str rest = arena_str(&bench->arena, buf_str(&text));
        while (!str_is_absent(rest)) {
            struct str line = str_trim(str_split(&rest, '\n'));
            if (line.len > 0)
                judge_line(bench, &corpus, line);
        }
        print_corpus(&corpus);
    }
    buf_fini(&text);
}

static void judge_corpora(struct bench *bench)
{
    static const char *const kinds[] = {"honest", "hostile", "limits", "rewrites", "tenants"};
    printf("%-9s %-9s %-8s %6s %8s %8s %8s %9s %8s %8s %8s %8s\n", "dialect", "corpus", "", "n",
           "p50 us", "p99", "most", "all p99", "peer p50", "peer p99", "x p50", "x p99");
    for (size_t d = 0; d < countof(dialects); d++) {
        for (size_t k = 0; k < countof(kinds); k++)
            judge_corpus(bench, GUARD, (enum sql_dialect)d, kinds[k]);
    }
    for (size_t k = 0; k < countof(kinds); k++)
        judge_corpus(bench, GUARD_AND_READS, SQL_SQLITE, kinds[k]);
    for (size_t k = 0; k < countof(kinds); k++)
        judge_corpus(bench, GUARD_AND_COMPILER, SQL_SQLITE, kinds[k]);
}

/* ---- sizes ---- */

static const struct hard {
    const char *name, *policy, *begin, *again, *end;
} hards[] = {
    {"conjuncts", "analyst", "SELECT id FROM members WHERE id = 1", " AND id = 1", ""},
    {"alternatives", "analyst", "SELECT id FROM members WHERE id = 1", " OR id = 1", ""},
    {"sum", "analyst", "SELECT 1", " + id", " FROM members"},
    {"in list", "analyst", "SELECT id FROM members WHERE id IN (1", ",1", ")"},
    {"items", "analyst", "SELECT id", ", city AS c", " FROM members"},
    {"stars", "analyst", "SELECT m.*", ", m.*", " FROM members m"},
    {"unknown names", "analyst", "SELECT id", ", nam", " FROM members"},
    {"order", "analyst", "SELECT id FROM members ORDER BY id", ", city", ""},
    {"unions", "analyst", "SELECT id FROM members", " UNION SELECT id FROM members", ""},
    {"joins", "analyst", "SELECT m.id FROM members m", " JOIN members USING (id)", ""},
    {"subqueries", "analyst", "SELECT id FROM members WHERE id IN (1)",
     " AND id IN (SELECT id FROM members)", ""},
    {"company", "tenant", "SELECT id FROM shipment WHERE id IN (1)",
     " AND id IN (SELECT id FROM depot)", ""},
    {"company stars", "tenant", "SELECT id FROM shipment WHERE id IN (1)",
     " AND EXISTS (SELECT * FROM shipment)", ""},
    {"calls", "analyst", "SELECT coalesce(1", ", lower(city)", ") FROM members"},
    {"case", "analyst", "SELECT CASE", " WHEN id = 1 THEN 2", " END FROM members"},
    {"parentheses", "analyst", "SELECT id FROM members WHERE (id = 1)", " AND (id = (1))", ""},
    {"nested", "analyst", "SELECT ", "(", "1"},
    {"comments", "analyst", "SELECT id FROM members", " /* c */", " WHERE id = 1"},
    {"strings", "analyst", "SELECT id FROM members WHERE city IN (''", ",'it''s'", ")"},
    {"ctes", "analyst", "WITH a AS (SELECT 1)", ", b AS (SELECT id FROM members)",
     " SELECT id FROM members"},
    {"open quote", "analyst", "SELECT '", "''", ""},
    {"semicolons", "analyst", "SELECT 1", ";", ""},
    {"windows", "analyst", "SELECT id", ", sum(id) OVER (ORDER BY id)", " FROM members"},
};

static struct str make_hard(const struct hard *hard, size_t bytes, struct buf *out)
{
    size_t end = str_of(hard->end).len, again = str_of(hard->again).len;
    buf_clear(out);
    buf_push(out, str_of(hard->begin));
    while (buf_len(out) + again + end <= bytes)
        buf_push(out, str_of(hard->again));
    buf_push(out, str_of(hard->end));
    return buf_str(out);
}

static void judge_hard(const struct bench *bench, enum sql_dialect dialect, const struct hard *hard)
{
    struct buf text;
    double before = 0, last = 0;
    buf_init(&text, FILE_BYTES);
    printf("%-9s %-14s", dialects[dialect], hard->name);
    for (size_t bytes = LEAST_BYTES; bytes <= MOST_BYTES; bytes *= 2) {
        struct str sql = make_hard(hard, bytes, &text);
        uint64_t best = UINT64_MAX;
        for (int i = 0; i < TRIES; i++) {
            uint64_t took = judge(bench, GUARD, dialect, str_of(hard->policy), sql);
            best = took < best ? took : best;
        }
        before = last;
        last = (double)best / 1000;
        printf("  %5zu B %8.1f", bytes, last);
    }
    printf("  x %.2f\n", last / (2 * before));
    buf_fini(&text);
}

static void judge_all_hard(const struct bench *bench)
{
    for (size_t d = 0; d < countof(dialects); d++) {
        for (size_t i = 0; i < countof(hards); i++)
            judge_hard(bench, (enum sql_dialect)d, &hards[i]);
    }
}

/* ---- */

/* The corpora's tables, for what SQLite alone takes to compile. */
static bool load_peer(struct bench *bench, struct buf *text)
{
    buf_clear(text);
    if (!read_file("world/sqlite.sql", text) || sqlite3_open(":memory:", &bench->peer) != SQLITE_OK)
        return false;
    const char *script = arena_cstr(&bench->arena, buf_str(text));
    return script != NULL && sqlite3_exec(bench->peer, script, NULL, NULL, NULL) == SQLITE_OK;
}

static bool load(struct bench *bench, struct buf *text)
{
    struct err err = {0};
    if (!read_file("world/schema.json", text))
        return false;
    if (catalog_from_join_graph(buf_str(text), &bench->catalog, &err) != ERR_OK)
        goto fail;
    buf_clear(text);
    if (!read_file("world/policies.json", text))
        return false;
    if (sql_policy_read(arena_str(&bench->arena, buf_str(text)), &bench->arena, &bench->policies,
                        &err) != ERR_OK)
        goto fail;
    bench->oracle = sql_oracle_create(bench->catalog, &err);
    if (bench->oracle != NULL)
        return true;
fail:
    fprintf(stderr, "bench_guard: %s\n", err.text);
    return false;
}

int main(int argc, char **argv)
{
    struct bench bench = {.catalog = NULL};
    struct buf text;
    uint64_t rounds = 20;
    if (argc > 1 && !str_to_u64(str_of(argv[1]), &rounds))
        return 2;
    bench.rounds = (unsigned)rounds;
    buf_init(&text, FILE_BYTES);
    arena_init(&bench.arena, (size_t)64 << 20);
    bool ready = load(&bench, &text) && load_peer(&bench, &text);
    if (ready) {
        judge_corpora(&bench);
        judge_all_hard(&bench);
    }
    sqlite3_close(bench.peer);
    sql_oracle_destroy(bench.oracle);
    catalog_destroy(bench.catalog);
    arena_fini(&bench.arena);
    buf_fini(&text);
    return ready ? 0 : 1;
}
