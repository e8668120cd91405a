/* SPDX-License-Identifier: MIT */
/* core/base/resident.c - /proc/self/statm, mallinfo2 and malloc_trim.
 *
 * The allocator counts memory that it has given back as free all the same, so whether it was given
 * back is judged by what the process holds.
 * Failure: without /proc nothing is known, and nothing is given back. */
#include "core/base/resident.h"

#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

enum { WORTH_BYTES = 16 * 1024 * 1024 }; /* less is not worth the time */

uint64_t resident_bytes(void)
{
    unsigned long long pages = 0, resident = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    if (statm == NULL)
        return 0;
    bool is_read = fscanf(statm, "%llu %llu", &pages, &resident) == 2;
    fclose(statm);
    return is_read ? resident * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

bool resident_wants_trim(uint64_t bytes, uint64_t after_bytes, uint64_t free_bytes)
{
    return bytes >= after_bytes + WORTH_BYTES && free_bytes >= WORTH_BYTES;
}

bool resident_trim(uint64_t *after_bytes)
{
    if (!resident_wants_trim(resident_bytes(), *after_bytes, mallinfo2().fordblks))
        return false;
    malloc_trim(0);
    *after_bytes = resident_bytes();
    return true;
}
