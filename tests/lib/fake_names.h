/* SPDX-License-Identifier: MIT */
/* tests/lib/fake_names.h - a resolver of the test's own, below libcurl and libuv.
 *
 * A test that is linked with this answers getaddrinfo for the names it sets, and sees every
 * connect: one to an address outside of this machine fails as where there is no network, so that no
 * packet leaves; one to a loopback address is made. Other names are looked up as ever. Any thread.
 */
#ifndef TESTS_LIB_FAKE_NAMES_H
#define TESTS_LIB_FAKE_NAMES_H

#include <stddef.h>

/* From now on the n-th lookup of name answers answers[n], addresses in numbers with blanks between
 * them, and the last of them ever after. Borrowed. Forgets what was seen. */
void fake_names_set(const char *name, const char *const *answers, size_t count);

struct fake_names_seen {
    unsigned lookups; /* of the name */
    unsigned outside; /* connects to other machines, which failed */
    unsigned inside;  /* connects to this one */
};

/* Since fake_names_set. */
struct fake_names_seen fake_names_seen(void);

#endif
