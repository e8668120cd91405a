/* SPDX-License-Identifier: MIT */
/* backends/extract/confine.h - a process gives its rights away before it looks at a stranger's
 * bytes.
 *
 * Afterwards it has no network, writes no file, reads only below the system's folders of programs
 * and their data, gains no rights by what it starts, ends with its parent, and has limits of memory
 * and processor time. What the kernel does not offer (Landlock before 5.13, seccomp on another
 * processor) is left out: the limits hold all the same. */
#ifndef BACKENDS_EXTRACT_CONFINE_H
#define BACKENDS_EXTRACT_CONFINE_H

#include <stdint.h>

struct confine_limits {
    uint64_t address_bytes; /* not under sanitizers, which reserve more than any limit allows */
    uint64_t cpu_seconds;   /* of each process by itself */
};

void confine_process(const struct confine_limits *limits);

#endif
