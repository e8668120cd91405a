/* SPDX-License-Identifier: MIT */
/* Declaring, adding from one thread while another reads, the text format. */
#include "tests/lib/test.h"

#include <pthread.h>

#include "core/observe/metrics.h"

TEST(series_are_declared_once)
{
    struct metrics_schema *schema = metrics_schema_create();
    unsigned a, b, again;
    assert_int_equal(metrics_declare(schema, METRIC_COUNTER, "n_total", NULL, "N.", &a), ERR_OK);
    assert_int_equal(metrics_declare(schema, METRIC_COUNTER, "n_total", "k=\"v\"", "N.", &b),
                     ERR_OK);
    assert_int_equal(metrics_declare(schema, METRIC_COUNTER, "n_total", NULL, "N.", &again),
                     ERR_OK);
    EXPECT_TRUE("same series, same index", a == again && a != b);
    EXPECT_INT("another type", metrics_declare(schema, METRIC_GAUGE, "n_total", NULL, "N.", &again),
               ERR_INVALID);
    metrics_schema_destroy(schema);
    metrics_schema_destroy(NULL);
}

TEST(the_text_of_two_workers)
{
    struct metrics_schema *schema = metrics_schema_create();
    unsigned runs_a, open, runs_b, wait;
    assert_int_equal(metrics_declare(schema, METRIC_COUNTER, "runs_total", "graph=\"a\"",
                                     "Runs begun.", &runs_a),
                     ERR_OK);
    assert_int_equal(metrics_declare(schema, METRIC_GAUGE, "open", NULL, "Open now.", &open),
                     ERR_OK);
    assert_int_equal(metrics_declare(schema, METRIC_COUNTER, "runs_total", "graph=\"b\"",
                                     "Runs begun.", &runs_b),
                     ERR_OK);
    assert_int_equal(
        metrics_declare(schema, METRIC_HISTOGRAM, "wait_seconds", "op=\"x\"", "Waits.", &wait),
        ERR_OK);
    struct metrics *all[2] = {metrics_create(schema), metrics_create(schema)};
    metrics_add(all[0], runs_a, 2);
    metrics_add(all[1], runs_a, 3);
    metrics_set(all[0], open, 7);
    metrics_set(all[0], open, 4);
    metrics_add(all[1], open, -1);
    metrics_observe_ns(all[0], wait, 1000000); /* on the bound: counted below it */
    metrics_observe_ns(all[1], wait, 70000000);
    metrics_observe_ns(all[1], wait, UINT64_C(90000000000));
    EXPECT_INT("counter", metrics_get(all[0], runs_a), 2);
    EXPECT_INT("histogram counts", metrics_get(all[1], wait), 2);
    struct buf out;
    buf_init(&out, 8192);
    metrics_write(schema, (const struct metrics *const *)all, 2, &out);
    EXPECT_STR("text", buf_str(&out),
               STR("# HELP runs_total Runs begun.\n# TYPE runs_total counter\n"
                   "runs_total{graph=\"a\"} 5\nruns_total{graph=\"b\"} 0\n"
                   "# HELP open Open now.\n# TYPE open gauge\nopen 3\n"
                   "# HELP wait_seconds Waits.\n# TYPE wait_seconds histogram\n"
                   "wait_seconds_bucket{op=\"x\",le=\"0.001\"} 1\n"
                   "wait_seconds_bucket{op=\"x\",le=\"0.0025\"} 1\n"
                   "wait_seconds_bucket{op=\"x\",le=\"0.005\"} 1\n"
                   "wait_seconds_bucket{op=\"x\",le=\"0.01\"} 1\n"
                   "wait_seconds_bucket{op=\"x\",le=\"0.025\"} 1\n"
                   "wait_seconds_bucket{op=\"x\",le=\"0.05\"} 1\n"
                   "wait_seconds_bucket{op=\"x\",le=\"0.1\"} 2\n"
                   "wait_seconds_bucket{op=\"x\",le=\"0.25\"} 2\n"
                   "wait_seconds_bucket{op=\"x\",le=\"0.5\"} 2\n"
                   "wait_seconds_bucket{op=\"x\",le=\"1\"} 2\n"
                   "wait_seconds_bucket{op=\"x\",le=\"2.5\"} 2\n"
                   "wait_seconds_bucket{op=\"x\",le=\"5\"} 2\n"
                   "wait_seconds_bucket{op=\"x\",le=\"10\"} 2\n"
                   "wait_seconds_bucket{op=\"x\",le=\"30\"} 2\n"
                   "wait_seconds_bucket{op=\"x\",le=\"60\"} 2\n"
                   "wait_seconds_bucket{op=\"x\",le=\"+Inf\"} 3\n"
                   "wait_seconds_sum{op=\"x\"} 90.071\n"
                   "wait_seconds_count{op=\"x\"} 3\n"));
    buf_fini(&out);
    metrics_destroy(all[0]);
    metrics_destroy(all[1]);
    metrics_schema_destroy(schema);
}

TEST(a_ratio_is_the_mean_of_all)
{
    struct metrics_schema *schema = metrics_schema_create();
    unsigned idle;
    assert_int_equal(
        metrics_declare(schema, METRIC_RATIO, "idle_ratio", "loop=\"x\"", "Idle.", &idle), ERR_OK);
    struct metrics *all[2] = {metrics_create(schema), metrics_create(schema)};
    metrics_set(all[0], idle, 1000000);
    metrics_set(all[1], idle, 250000);
    struct buf out;
    buf_init(&out, 8192);
    metrics_write(schema, (const struct metrics *const *)all, 2, &out);
    EXPECT_STR("text", buf_str(&out),
               STR("# HELP idle_ratio Idle.\n# TYPE idle_ratio gauge\n"
                   "idle_ratio{loop=\"x\"} 0.625\n"));
    buf_fini(&out);
    metrics_destroy(all[0]);
    metrics_destroy(all[1]);
    metrics_schema_destroy(schema);
}

TEST(a_family_may_show_only_what_changed)
{
    struct metrics_schema *schema = metrics_schema_create();
    unsigned ok, bad, seconds, open;
    assert_int_equal(
        metrics_declare(schema, METRIC_COUNTER, "asked_total", "code=\"200\"", "Asked.", &ok),
        ERR_OK);
    assert_int_equal(
        metrics_declare(schema, METRIC_COUNTER, "asked_total", "code=\"500\"", "Asked.", &bad),
        ERR_OK);
    assert_int_equal(
        metrics_declare(schema, METRIC_HISTOGRAM, "wait_seconds", NULL, "W.", &seconds), ERR_OK);
    assert_int_equal(metrics_declare(schema, METRIC_GAUGE, "open", NULL, "Open.", &open), ERR_OK);
    metrics_show_changed(schema, "asked_total");
    metrics_show_changed(schema, "wait_seconds");
    struct metrics *all[2] = {metrics_create(schema), metrics_create(schema)};
    metrics_add(all[1], bad, 2);
    struct buf out;
    buf_init(&out, 8192);
    metrics_write(schema, (const struct metrics *const *)all, 2, &out);
    EXPECT_STR("text", buf_str(&out),
               STR("# HELP asked_total Asked.\n# TYPE asked_total counter\n"
                   "asked_total{code=\"500\"} 2\n"
                   "# HELP wait_seconds W.\n# TYPE wait_seconds histogram\n"
                   "# HELP open Open.\n# TYPE open gauge\nopen 0\n"));
    metrics_observe_ns(all[0], seconds, 0); /* its sum stays zero, it was observed */
    buf_clear(&out);
    metrics_write(schema, (const struct metrics *const *)all, 2, &out);
    EXPECT_TRUE("shown", str_find(buf_str(&out), STR("wait_seconds_count 1")) >= 0);
    buf_fini(&out);
    metrics_destroy(all[0]);
    metrics_destroy(all[1]);
    metrics_schema_destroy(schema);
}

enum { ADDS = 100000 };

struct writer {
    struct metrics *metrics;
    unsigned counter, wait;
};

static void *add_many(void *arg)
{
    const struct writer *writer = arg;
    for (unsigned i = 0; i < ADDS; i++) {
        metrics_add(writer->metrics, writer->counter, 1);
        metrics_observe_ns(writer->metrics, writer->wait, i);
    }
    return NULL;
}

TEST(a_reader_on_another_thread)
{
    struct metrics_schema *schema = metrics_schema_create();
    struct writer writer;
    pthread_t thread;
    assert_int_equal(
        metrics_declare(schema, METRIC_COUNTER, "n_total", NULL, "N.", &writer.counter), ERR_OK);
    assert_int_equal(
        metrics_declare(schema, METRIC_HISTOGRAM, "w_seconds", NULL, "W.", &writer.wait), ERR_OK);
    writer.metrics = metrics_create(schema);
    assert_int_equal(pthread_create(&thread, NULL, add_many, &writer), 0);
    for (int64_t last = 0, now = 0; now < ADDS; last = now) {
        now = metrics_get(writer.metrics, writer.counter);
        EXPECT_TRUE("never goes back", now >= last);
    }
    pthread_join(thread, NULL);
    EXPECT_INT("all", metrics_get(writer.metrics, writer.wait), ADDS);
    metrics_destroy(writer.metrics);
    metrics_schema_destroy(schema);
}

TEST(the_nth_allocation_fails)
{
    for (uint64_t n = 1; n < 6; n++) {
        unsigned index;
        mem_fail_nth(n);
        struct metrics_schema *schema = metrics_schema_create();
        enum err_code code = ERR_OK;
        for (unsigned i = 0; schema != NULL && i < 3 && code == ERR_OK; i++)
            code = metrics_declare(schema, METRIC_COUNTER, "n",
                                   i == 0   ? "a"
                                   : i == 1 ? "b"
                                            : "c",
                                   "N.", &index);
        struct metrics *metrics = schema == NULL ? NULL : metrics_create(schema);
        mem_fail_nth(0);
        EXPECT_TRUE("code", code == ERR_OK || code == ERR_NO_MEMORY);
        metrics_destroy(metrics);
        metrics_schema_destroy(schema);
    }
}

RUN_TESTS(T(series_are_declared_once), T(the_text_of_two_workers), T(a_ratio_is_the_mean_of_all),
          T(a_family_may_show_only_what_changed), T(a_reader_on_another_thread),
          T(the_nth_allocation_fails))
