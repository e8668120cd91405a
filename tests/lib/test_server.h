/* SPDX-License-Identifier: MIT */
/* tests/lib/test_server.h - a database of a test's own on the servers that tests/servers started.
 *
 * For tests under askd_needs_servers. Blocking. */
#ifndef TESTS_LIB_TEST_SERVER_H
#define TESTS_LIB_TEST_SERVER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/test.h"

/* Make the database name anew on "postgres" or "mysql", run the SQL files (absolute, separated by
 * blanks; may be "") in it, and write its url. Names should differ between test programs: they run
 * at once. */
static inline void test_server_create(const char *engine, const char *name, const char *files,
                                      char *url, size_t url_bytes)
{
    char command[4096];
    const char *script = getenv("ASKD_TEST_DATABASE"), *folder = getenv("ASKD_TEST_SERVERS");
    if (script == NULL || folder == NULL)
        fail_msg("ASKD_TEST_SERVERS is not set: run this through ctest");
    snprintf(command, sizeof command, "%s create %s %s %s %s", script, folder, engine, name, files);
    FILE *out = popen(command, "r");
    assert_non_null(out);
    if (fgets(url, (int)url_bytes, out) == NULL)
        url[0] = '\0';
    url[strcspn(url, "\n")] = '\0';
    assert_int_equal(pclose(out), 0);
}

static inline void test_server_drop(const char *engine, const char *name)
{
    char command[4096];
    snprintf(command, sizeof command, "%s drop %s %s %s", getenv("ASKD_TEST_DATABASE"),
             getenv("ASKD_TEST_SERVERS"), engine, name);
    assert_int_equal(system(command), 0);
}

#endif
