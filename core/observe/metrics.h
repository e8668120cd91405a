/* SPDX-License-Identifier: MIT */
/* core/observe/metrics.h - counters, gauges and latency histograms with one writer each.
 *
 * Every worker has its own struct metrics (one writer: its thread; relaxed atomic stores); a
 * reader on any thread sums over all of them. The set of series is fixed at start, so an update is
 * an add at an index, without locks or allocation. Label values are few and known at start. */
#ifndef CORE_OBSERVE_METRICS_H
#define CORE_OBSERVE_METRICS_H

#include "core/base/buf.h"
#include "core/base/err.h"

struct metrics_schema;
struct metrics;

/* A ratio is a gauge of millionths, 0 to 1000000; readers get the mean of all, as 0 to 1. */
enum metric_type { METRIC_COUNTER, METRIC_GAUGE, METRIC_RATIO, METRIC_HISTOGRAM };

/* A schema under construction, owned by the caller; shared and immutable once metrics exist. */
struct metrics_schema *metrics_schema_create(void);
void metrics_schema_destroy(struct metrics_schema *schema);
/* Declare one series; name without labels ("askd_runs_total"), labels as "graph=\"banking\"" or
 * NULL, help one sentence. The same name and labels again give the same index. Strings are
 * borrowed for the schema's life. Histograms observe seconds, buckets 1 ms .. 60 s. */
MUST_USE enum err_code metrics_declare(struct metrics_schema *schema, enum metric_type type,
                                       const char *name, const char *labels, const char *help,
                                       unsigned *index);

/* From now on a series of the family called name, which is declared, is shown once it has changed:
 * for families of many series most of which stay zero. */
void metrics_show_changed(struct metrics_schema *schema, const char *name);

/* One worker's values, all zero. NULL: no memory. */
struct metrics *metrics_create(const struct metrics_schema *schema);
void metrics_destroy(struct metrics *metrics);
/* Owner thread only. */
void metrics_add(struct metrics *metrics, unsigned index, int64_t amount);
void metrics_set(struct metrics *metrics, unsigned index, int64_t value);
void metrics_observe_ns(struct metrics *metrics, unsigned index, uint64_t ns);
/* Any thread. */
int64_t metrics_get(const struct metrics *metrics, unsigned index);
/* Prometheus text format 0.0.4, summed over all[count]. Any thread. */
void metrics_write(const struct metrics_schema *schema, const struct metrics *const *all,
                   size_t count, struct buf *out);

#endif
