/* SPDX-License-Identifier: MIT */
/* server/observe/process_meters.c - from getrusage, getrlimit and /proc/self.
 *
 * Failure: what cannot be read is left out, or zero. */
#include "server/observe/process_meters.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/resource.h>

#include "core/base/mem.h"
#include "core/base/resident.h"

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static size_t count_descriptors(void)
{
    size_t count = 0;
    DIR *folder = opendir("/proc/self/fd");
    if (folder == NULL)
        return 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count - 1; /* the folder's own */
}

static void write_one(struct buf *out, const char *name, const char *type, const char *help,
                      double value)
{
    buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n%s %.15g\n", name, help, name, type, name, value);
}

void process_meters_write(uint64_t began, struct buf *out)
{
    struct rusage used;
    struct rlimit files;
    if (getrusage(RUSAGE_SELF, &used) == 0)
        write_one(out, "process_cpu_seconds_total", "counter", "CPU time, user and system.",
                  seconds_of(used.ru_utime) + seconds_of(used.ru_stime));
    if (getrlimit(RLIMIT_NOFILE, &files) == 0)
        write_one(out, "process_max_fds", "gauge", "File descriptors it may have.",
                  (double)files.rlim_cur);
    write_one(out, "process_open_fds", "gauge", "File descriptors it has.",
              (double)count_descriptors());
    write_one(out, "process_resident_memory_bytes", "gauge", "Resident memory.",
              (double)resident_bytes());
    write_one(out, "askd_memory_held_bytes", "gauge",
              "Memory that askd's own code has taken and not given back.",
              (double)mem_held_bytes());
    write_one(out, "process_start_time_seconds", "gauge", "When it started, Unix time.",
              (double)began);
}
