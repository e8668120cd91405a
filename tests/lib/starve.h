/* SPDX-License-Identifier: MIT */
/* tests/lib/starve.h - makes the allocations of the libraries that the program is linked with fail.
 *
 * What mem_fail_nth (core/base/mem.h) is to our own allocations, this is to those of libcurl,
 * libuv, libpq, libmariadb, hiredis, SQLite, nghttp2, libpg_query, libzip, libxml2, zlib and md4c:
 * the calls of malloc, calloc, realloc, strdup and the like that are bound in their shared objects
 * lead here, and the program's own where a test wants that. Sanitizers see the memory as ever. One
 * test at a time; allocations of any thread count. */
#ifndef TESTS_LIB_STARVE_H
#define TESTS_LIB_STARVE_H

#include <stdbool.h>
#include <stdint.h>

/* The n-th allocation of a library from now on (1 = the next) fails, and the count - 1 after it. */
void starve_at(uint64_t n, uint64_t count);
/* The same, and the program's own allocations count, too; those of the calling thread do not. */
void starve_others_at(uint64_t n, uint64_t count);
/* Nothing fails any more. -> how many allocations there were since starve_at. */
uint64_t starve_end(void);
/* How many libraries were found, for a test that demands some. */
unsigned starve_libraries(void);

#endif
