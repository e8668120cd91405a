/* SPDX-License-Identifier: MIT */
/* bench/samples.c - a histogram with buckets of a power of two in SAMPLES_STEPS steps. */
#include "bench/samples.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static size_t bucket_of(uint64_t ns)
{
    if (ns < SAMPLES_STEPS)
        return (size_t)ns;
    unsigned power = 63 - (unsigned)__builtin_clzll(ns); /* at least 5 */
    uint64_t step = (ns >> (power - 5)) & (SAMPLES_STEPS - 1);
    return (size_t)(power - 4) * SAMPLES_STEPS + (size_t)step;
}

static double bucket_end_ns(size_t bucket)
{
    if (bucket < SAMPLES_STEPS)
        return (double)bucket;
    size_t power = bucket / SAMPLES_STEPS + 4, step = bucket % SAMPLES_STEPS;
    return (double)((uint64_t)(SAMPLES_STEPS + step + 1) << (power - 5));
}

void samples_add(struct samples *samples, uint64_t ns)
{
    samples->buckets[bucket_of(ns)]++;
    samples->count++;
    if (ns > samples->most)
        samples->most = ns;
}

double samples_us(const struct samples *samples, double share)
{
    double wanted = share * (double)samples->count, seen = 0;
    if (samples->count == 0)
        return 0;
    for (size_t i = 0; i < SAMPLES_BUCKETS; i++) {
        seen += (double)samples->buckets[i];
        if (seen >= wanted && seen > 0)
            return bucket_end_ns(i) / 1000;
    }
    return (double)samples->most / 1000;
}

bool samples_of_process(long pid, struct samples_process *process)
{
    char path[64], text[1024] = "";
    unsigned long user, system;
    long pages;
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false;
    bool ok = fgets(text, sizeof text, file) != NULL;
    fclose(file);
    const char *after_name = strrchr(text, ')'); /* the name may hold anything */
    ok = ok && after_name != NULL &&
         sscanf(after_name + 1,
                " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %*d %*d %*d %*d %*d %*d %*u "
                "%*u %ld",
                &user, &system, &pages) == 3;
    if (!ok)
        return false;
    process->cpu_us = (double)(user + system) * 1e6 / (double)sysconf(_SC_CLK_TCK);
    process->rss_kib = (double)pages * (double)sysconf(_SC_PAGESIZE) / 1024;
    return true;
}
