/* SPDX-License-Identifier: MIT */
/* bench/cancel.c - how long a cancelled statement stays in the server's activity view, beside a
 * bare round trip in the same run.
 *
 * bench_cancel [--rounds N] URL...: for each postgresql:// or mysql:// url, with a connection of
 * the pool free for the cancel and with none (PQcancel in a worker; the connection kept for KILL
 * QUERY). A statement naps on the server; from op_cancel on the view is asked again and again,
 * on another connection, until the nap is not in it. So what is printed holds one such question. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backends/sql/sql_mysql.h"
#include "backends/sql/sql_pg.h"
#include "bench/samples.h"

enum { ROUNDS = 200, WARM = 20 };

struct bench {
    struct loop *loop;
    bool postgres;
    struct sql *sql, *view; /* measured; the one that looks */
    struct sql_query nap, look;
    unsigned napping, looking; /* 1: in flight */
    struct err err;
};

static void on_nap(struct op *op)
{
    struct bench *bench = op_owner(op);
    bench->napping = 0;
}

static void on_look(struct op *op)
{
    struct bench *bench = op_owner(op);
    bench->looking = 0;
    bench->err = op->err;
    loop_stop(bench->loop);
}

/* One statement on the looking connection; its first number, or -1 having said why. */
static int64_t ask(struct bench *bench, const char *text)
{
    const struct sql_statement statement = {.text = str_of(text), .timeout_ms = 60000};
    op_release(&bench->look.op);
    bench->looking = 1;
    sql_query_start(&bench->look, bench->view, &statement,
                    (struct op_waiter){on_look, bench, NULL});
    while (bench->looking > 0)
        loop_run(bench->loop);
    if (bench->err.code == ERR_OK && bench->look.result.row_count == 1)
        return sql_result_at(&bench->look.result, 0, 0)->integer;
    fprintf(stderr, "bench_cancel: %s: %s\n", text, bench->err.text);
    return -1;
}

static int64_t count_naps(struct bench *bench)
{
    return ask(bench,
               bench->postgres
                   ? "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query "
                     "LIKE 'SELECT pg_sleep(3601%' AND pid <> pg_backend_pid()"
                   : "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE "
                     "'SELECT SLEEP(3601%' AND id <> CONNECTION_ID()");
}

static struct sql *open_pool(struct bench *bench, const char *url, size_t size)
{
    const struct conn_pool_options pool = {.size = size};
    struct err err = {0};
    struct sql *sql =
        bench->postgres
            ? sql_pg_create(bench->loop, &(struct sql_pg_options){.url = url, .pool = pool}, &err)
            : sql_mysql_create(bench->loop, &(struct sql_mysql_options){.url = url, .pool = pool},
                               &err);
    if (sql == NULL)
        fprintf(stderr, "bench_cancel: %s\n", err.text);
    return sql;
}

/* One nap, cancelled once the view shows it. 0: something went wrong, and was said. */
static uint64_t time_cancel(struct bench *bench)
{
    const struct sql_statement nap = {.text = bench->postgres ? STR("SELECT pg_sleep(3601)")
                                                              : STR("SELECT SLEEP(3601)"),
                                      .timeout_ms = 3600 * 1000};
    int64_t naps;
    op_release(&bench->nap.op);
    bench->napping = 1;
    sql_query_start(&bench->nap, bench->sql, &nap, (struct op_waiter){on_nap, bench, NULL});
    do
        naps = count_naps(bench);
    while (naps == 0 && bench->napping > 0);
    if (naps != 1)
        return 0;
    uint64_t began = loop_precise_ns();
    op_cancel(&bench->nap.op);
    do
        naps = count_naps(bench);
    while (naps > 0);
    uint64_t took = loop_precise_ns() - began;
    while (naps == 0 && bench->napping > 0)
        naps = ask(bench, "SELECT 0");
    return naps < 0 ? 0 : took;
}

/* So that the pool has as many connections as it may: two statements at once. */
static bool fill_pool(struct bench *bench)
{
    const struct sql_statement nap = {.text = bench->postgres ? STR("SELECT pg_sleep(0.2)")
                                                              : STR("SELECT SLEEP(0.2)")};
    struct sql *view = bench->view;
    bench->napping = 1;
    sql_query_start(&bench->nap, bench->sql, &nap, (struct op_waiter){on_nap, bench, NULL});
    bench->view = bench->sql;
    int64_t answer = 0;
    do
        answer = ask(bench, "SELECT 0");
    while (answer == 0 && bench->napping > 0);
    bench->view = view;
    return answer == 0;
}

/* A connection of its own, made, used and closed; 0: it could not be. */
static uint64_t time_connect(struct bench *bench, const char *url)
{
    struct sql *view = bench->view;
    uint64_t began = loop_precise_ns();
    bench->view = open_pool(bench, url, 1);
    int64_t answer = bench->view == NULL ? -1 : ask(bench, "SELECT 0");
    uint64_t took = loop_precise_ns() - began;
    op_release(&bench->look.op);
    if (bench->view != NULL)
        sql_close(bench->view, NULL, NULL);
    bench->view = view;
    return answer == 0 ? took : 0;
}

static bool measure(struct bench *bench, const char *name, const char *url, uint64_t rounds)
{
    struct samples cancels = {0}, trips = {0}, connects = {0};
    for (uint64_t i = 0; i < WARM + rounds; i++) {
        uint64_t began = loop_precise_ns();
        if (count_naps(bench) != 0)
            return false;
        uint64_t trip = loop_precise_ns() - began, took = time_cancel(bench);
        uint64_t connect = time_connect(bench, url);
        if (took == 0 || connect == 0)
            return false;
        if (i < WARM)
            continue;
        samples_add(&trips, trip);
        samples_add(&cancels, took);
        samples_add(&connects, connect);
    }
    double middle = samples_us(&cancels, 0.5), trip = samples_us(&trips, 0.5);
    printf(
        "%-40s gone p50 %8.0f us  p99 %8.0f us; one look %6.0f us (x%.1f), one connection %6.0f us "
        "(x%.1f)\n",
        name, middle, samples_us(&cancels, 0.99), trip, trip > 0 ? middle / trip : 0,
        samples_us(&connects, 0.5),
        samples_us(&connects, 0.5) > 0 ? middle / samples_us(&connects, 0.5) : 0);
    return true;
}

static bool measure_url(const char *url, uint64_t rounds)
{
    static const struct {
        const char *postgres, *mysql;
        size_t size;
    } ways[] = {
        {"postgresql, by an idle connection", "mysql, KILL QUERY by an idle connection", 2},
        {"postgresql, PQcancel: the pool is full", "mysql, KILL QUERY: the pool is full", 1},
    };
    bool well = true;
    for (size_t i = 0; i < countof(ways) && well; i++) {
        struct bench bench = {.loop = loop_create(),
                              .postgres = str_starts_with(str_of(url), STR("postgres"))};
        bench.sql = bench.loop == NULL ? NULL : open_pool(&bench, url, ways[i].size);
        bench.view = bench.sql == NULL ? NULL : open_pool(&bench, url, 1);
        well = bench.view != NULL && fill_pool(&bench) &&
               measure(&bench, bench.postgres ? ways[i].postgres : ways[i].mysql, url, rounds);
        op_release(&bench.look.op);
        op_release(&bench.nap.op);
        if (bench.view != NULL)
            sql_close(bench.view, NULL, NULL);
        if (bench.sql != NULL)
            sql_close(bench.sql, NULL, NULL);
        if (bench.loop != NULL)
            loop_run(bench.loop);
        loop_destroy(bench.loop);
    }
    return well;
}

int main(int argc, char **argv)
{
    uint64_t rounds = ROUNDS;
    bool well = true;
    int first = 1;
    if (argc > 2 && strcmp(argv[1], "--rounds") == 0 && str_to_u64(str_of(argv[2]), &rounds))
        first = 3;
    if (first >= argc || argv[first][0] == '-') {
        fprintf(stderr, "usage: bench_cancel [--rounds N] postgresql://...|mysql://...\n");
        return 2;
    }
    for (int i = first; i < argc && well; i++)
        well = measure_url(argv[i], rounds);
    return well ? 0 : 1;
}
