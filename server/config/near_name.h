/* SPDX-License-Identifier: MIT */
/* server/config/near_name.h - which of several names was perhaps meant by one that is none of them.
 *
 * A name is near another when few letters were added, left out, changed or swapped, or when it is
 * the other's beginning. Any thread. */
#ifndef SERVER_CONFIG_NEAR_NAME_H
#define SERVER_CONFIG_NEAR_NAME_H

#include "core/base/str.h"

struct near_name {     /* a search among names that are tried one by one */
    const char *found; /* the nearest so far, borrowed; NULL: none is near enough */
    /* private */
    struct str name;
    size_t fewest; /* mistakes; a name with as many is not nearer */
};

/* Begin to look for a name with at most that many mistakes. */
void near_name_begin(struct near_name *near, struct str name, size_t most_mistakes);
void near_name_try(struct near_name *near, const char *candidate);
/* The nearest of names to a word of a command line; NULL: none is near. */
const char *near_name_of(struct str word, const char *const *names, size_t count);

#endif
