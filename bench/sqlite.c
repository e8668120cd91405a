/* SPDX-License-Identifier: MIT */
/* bench/sqlite.c - SQLite on a thread and in a child process: a plain statement alone, and beside a
 * caller who sends the worst statements there are.
 *
 * Prints the median and the 99th percentile of a plain statement, in microseconds. The last line is
 * what an honest caller waits while another keeps sending statements that no interrupt ends; a
 * thread is not measured there, since it would never come back. The program is its own child. */
#include <stdio.h>
#include <string.h>

#include "backends/sql/sql_sqlite.h"
#include "backends/sql/child/sql_sqlite_child.h"
#include "backends/sql/child/sqlite_worker.h"
#include "bench/samples.h"
#include "core/loop/timer.h"

enum { PLAIN = 2000, BESIDE = 60, WORKER_FD = 3, WORST = 4, LATE_MS = 300, PAUSE_MS = 50 };

static const char plain[] = "SELECT 41 + 1";
static const char worst[] =
    "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c WHERE n<400000) "
    "SELECT instr(g, substr(g, 1, 1600000) || 'b') "
    "FROM (SELECT group_concat('aaaaaaaa', '') AS g FROM c) x";

struct bench {
    struct loop *loop;
    struct sql *sql;
    bool stop;
};

struct sender { /* one who sends the worst, again and again */
    struct bench *bench;
    struct sql_query query;
    struct sql_statement statement;
    struct timer pause; /* after a refusal */
    unsigned late, refused;
};

static const struct sql_variable heavy[] = {{{"user_id", 7}, {"heavy", 5}}};
static const struct sql_variable light[] = {{{"user_id", 7}, {"light", 5}}};

static void on_done(struct op *op)
{
    loop_stop(((struct bench *)op_owner(op))->loop);
}

static void send_again(struct op *op);

static void send_worst(struct sender *sender)
{
    sql_query_start(&sender->query, sender->bench->sql, &sender->statement,
                    (struct op_waiter){.done = send_again, .owner = sender});
}

static void on_paused(struct timer *timer)
{
    send_worst(container_of(timer, struct sender, pause));
}

static void send_again(struct op *op)
{
    struct sender *sender = op_owner(op);
    bool late = op->err.code == ERR_TIMEOUT;
    sender->late += late;
    sender->refused += !late;
    op_release(op);
    if (!sender->bench->stop)
        timer_start(&sender->pause, sender->bench->loop, late ? 0 : PAUSE_MS, on_paused);
}

static void on_rested(struct timer *timer)
{
    (void)timer;
}

static void rest(struct bench *bench)
{
    static struct timer timer;
    timer_start(&timer, bench->loop, PAUSE_MS, on_rested);
    while (timer_is_running(&timer))
        loop_turn(bench->loop, 1);
}

static void measure(struct bench *bench, const char *name, size_t count)
{
    static struct samples samples;
    const struct sql_statement statement = {
        .text = str_of(plain), .variables = light, .variable_count = 1};
    samples = (struct samples){.count = 0};
    for (size_t i = 0; i < count; i++) {
        struct sql_query query = {.impl = NULL};
        uint64_t began = loop_precise_ns();
        sql_query_start(&query, bench->sql, &statement,
                        (struct op_waiter){.done = on_done, .owner = bench});
        while (op_is_pending(&query.op))
            loop_run(bench->loop);
        samples_add(&samples, loop_precise_ns() - began);
        if (count == BESIDE) /* spread over seconds, as people ask */
            rest(bench);
        if (query.op.err.code != ERR_OK)
            fprintf(stderr, "%s: %s\n", name, query.op.err.text);
        op_release(&query.op);
    }
    printf("%-28s p50 %8.1f us   p99 %8.1f us\n", name, samples_us(&samples, 0.5),
           samples_us(&samples, 0.99));
}

static void begin(struct bench *bench, const char *path, bool children)
{
    *bench = (struct bench){.loop = loop_create()};
    CHECK(bench->loop != NULL);
    bench->sql = children ? sql_sqlite_child_create(bench->loop,
                                                    &(struct sql_sqlite_child_options){
                                                        .program = "/proc/self/exe", .path = path})
                          : sql_sqlite_create(bench->loop, path, 2, 256);
    CHECK(bench->sql != NULL);
}

static void end(struct bench *bench)
{
    bench->stop = true;
    sql_close(bench->sql, NULL, NULL);
    loop_run(bench->loop);
    loop_destroy(bench->loop);
}

int main(int argc, char **argv)
{
    struct bench bench;
    struct sender senders[WORST];
    const char *path = argc > 1 ? argv[1] : "/tmp/none.db";
    if (argc == 3 && strcmp(argv[1], "sqlite-worker") == 0)
        return sqlite_worker_main(WORKER_FD, argv[2]);
    for (int children = 0; children < 2; children++) {
        begin(&bench, path, children == 1);
        measure(&bench, children == 1 ? "in a child process" : "on a thread", PLAIN);
        end(&bench);
    }
    begin(&bench, path, true);
    measure(&bench, "one now and then, alone", BESIDE);
    for (size_t i = 0; i < WORST; i++) {
        senders[i] = (struct sender){.bench = &bench,
                                     .statement = {.text = str_of(worst),
                                                   .variables = heavy,
                                                   .variable_count = 1,
                                                   .timeout_ms = LATE_MS}};
        send_worst(&senders[i]);
    }
    measure(&bench, "beside the worst statements", BESIDE);
    for (size_t i = 0; i < WORST; i++) {
        timer_stop(&senders[i].pause);
        printf("  worst: %u late, %u refused\n", senders[i].late, senders[i].refused);
    }
    end(&bench);
    return 0;
}
