/* SPDX-License-Identifier: MIT */
/* core/base/resident.h - how much memory the process holds, and giving back what it does not use.
 *
 * Any thread; resident_trim is for one thread. */
#ifndef CORE_BASE_RESIDENT_H
#define CORE_BASE_RESIDENT_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes of memory that the process holds; 0: not known, since there is no /proc. */
uint64_t resident_bytes(void);
/* Whether memory of this process should be given back: bytes are held, after_bytes were held after
 * the last time (0: never), and free_bytes of them are free. */
bool resident_wants_trim(uint64_t bytes, uint64_t after_bytes, uint64_t free_bytes);
/* Give free memory back to the system when a peak has left much of it. *after_bytes begins at 0 and
 * is this function's own. Takes milliseconds for each 100 MiB, and other threads that allocate
 * may wait for it. True: it was done. */
bool resident_trim(uint64_t *after_bytes);

#endif
