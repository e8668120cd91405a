/* SPDX-License-Identifier: MIT */
/* bench/samples.h - times in nanoseconds as a histogram (3 % wide steps), and a process's costs. */
#ifndef BENCH_SAMPLES_H
#define BENCH_SAMPLES_H

#include "core/base/defs.h"

enum { SAMPLES_STEPS = 32, SAMPLES_BUCKETS = 64 * SAMPLES_STEPS };

struct samples { /* zeroed is empty */
    uint64_t count, most;
    uint64_t buckets[SAMPLES_BUCKETS];
};

void samples_add(struct samples *samples, uint64_t ns);
/* The time that share (0 to 1) of the samples do not exceed, in microseconds; 0 when empty. */
double samples_us(const struct samples *samples, double share);

struct samples_process {
    double cpu_us; /* user and system, since it began */
    double rss_kib;
};

/* Read from the kernel; false: there is no such process. */
MUST_USE bool samples_of_process(long pid, struct samples_process *process);

#endif
